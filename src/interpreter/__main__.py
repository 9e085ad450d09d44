"""python -m interpreter"""

import sys

if not sys.flags.safe_path:
    sys.path.pop(0)  # the directory we are in: code may have put modules there, and we import late

from interpreter.cli import main

if __name__ == "__main__":
    sys.exit(main())

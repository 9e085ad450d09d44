"""Where the files are that run inside a cell; the host hands them in and never imports them."""

from pathlib import Path

INSIDE = Path(__file__).parents[1] / "inside"

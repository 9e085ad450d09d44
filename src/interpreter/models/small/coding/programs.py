"""The programs that look at a file and its tests, write it, and try others in its place."""

from __future__ import annotations

PASS, FAIL = "The tests pass.", "The tests fail."

LOOK = """\
from pathlib import Path
import os, re

def tests_of(word):
    for number, (above, folders, names) in enumerate(os.walk(".")):
        folders[:] = [one for one in folders if one[0] not in "._" and "node_modules" not in one]
        for name in names if number < 500 else ():
            if re.search(r"^test_.*py$|_test.py$|^tests?.py$", name):
                text = Path(above, name).read_text(errors="replace")
                if re.search(rf"\\b{{word}}\\b", text):
                    yield str(Path(above, name))

file = {name!r}
tests = {tests!r} or sorted(tests_of(Path(file).stem))[:3]
print("tests:", tests)
for name in [file, *tests]:
    text = Path(name).read_text() if Path(name).exists() else ""
    shown = text[:{longest} if name == file else {shown}]
    print(f"{{name}}, {{len(text)}} characters:\\n{{shown}}\\n")"""
TESTED = """\
from pathlib import Path
import os, re, subprocess, sys

def tested(here):
    if not [{test}]:
        try:
            compile(Path(here, {name!r}).read_text(), {name!r}, "exec")
        except SyntaxError as error:
            return f"SyntaxError: {{error}}", False
        return "There are no tests; it compiles.", True
    for tool in ("pytest -rN -p no:cacheprovider -p no:randomly", "unittest"):
        command = [sys.executable, "-B", "-m", *tool.split(), "-q", {test}]
        try:
            done = subprocess.run(command, cwd=here, capture_output=True, text=True,
                                  timeout={seconds}, env=os.environ | {{"PY_COLORS": "0"}})
        except subprocess.TimeoutExpired:
            return "It takes longer than {seconds} seconds.", False
        if "No module named pytest" not in done.stderr:
            break
    told = (done.stdout + done.stderr).strip()
    if ran := re.search(r"^Ran (\\d+) test", told, re.MULTILINE):
        broken = sum(map(int, re.findall(r"(?:failures|errors)=(\\d+)", told)))
        told += f"\\n{{int(ran[1]) - broken}} passed"
    told = re.split(r"\\n=+ (?:FAILURES|ERRORS) =+\\n", told, maxsplit=1)[-1].strip()
    if len(told) > {failed}:
        told = told[:{failed}] + "\\n...\\n" + told.splitlines()[-1]
    return told, done.returncode == 0

"""
WRITE = """\
Path({name!r}).write_text({source})
told, passes = tested(".")
print(told)
print({passing!r} if passes else {failing!r})"""
TRY = """\
def beside(there, here, parts):
    here.mkdir()
    for entry in there.iterdir():
        if entry.name != parts[0]:
            (here / entry.name).symlink_to(entry)
        elif len(parts) > 1:
            beside(entry, here / entry.name, parts[1:])

import tempfile
most = -1
WAYS = {ways!r}
for number, source in enumerate(WAYS):
    with tempfile.TemporaryDirectory() as place:
        here, file = Path(place) / "here", Path(place) / "here" / {name!r}
        beside(Path.cwd(), here, Path({name!r}).parts)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)
        told, passes = tested(here)
    passed = sum(map(int, re.findall(r"(\\d+) passed", told)))
    print(f"way {{number}}:", told if passed > most else told.rpartition("\\n")[2], sep="\\n")
    most = max(most, passed)
    print({passing!r} if passes else {failing!r})
    if passes:
        break"""

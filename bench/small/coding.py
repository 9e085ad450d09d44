"""Files of code that have to pass their tests: Exercism's exercises, QuixBugs' one-line bugs."""

import shutil
import subprocess
import sys
from pathlib import Path

from bench.small.cases import NO_ANSWER, RIGHT, WRONG, Case

SECONDS = 60


def exercism(data):
    """Exercises: instructions, a stub, and its tests."""
    return [_exercise(folder) for folder in sorted(Path(data).iterdir()) if folder.is_dir()]


def _exercise(folder):
    (tests,) = folder.glob("*_test.py")
    stub = tests.name.replace("_test.py", ".py")
    instructions = (folder / "instructions.md").read_text()
    ask = f"{instructions}\n\nImplement this in {stub} so that the tests in {tests.name} pass."

    def prepare(directory):
        for path in folder.iterdir():
            shutil.copyfile(path, directory / path.name)  # ours to write, whatever the data is

    def judge(answer, directory):
        if (directory / stub).read_text() == (folder / stub).read_text():
            return NO_ANSWER
        shutil.copy(tests, directory)
        return _passes(directory, tests.name)

    return Case(folder.name, "exercism", ask, prepare, judge, (stub,), block_is=stub)


def quixbugs(data):
    """Programs with a bug in one line."""
    data = Path(data)
    names = sorted(path.stem for path in (data / "python_programs").glob("*.py"))
    return [_bug(data, name) for name in names if _tests_of(data, name).exists()]


def _tests_of(data, name):
    return data / "python_testcases" / f"test_{name}.py"


def _bug(data, name):
    file, tests = f"python_programs/{name}.py", f"python_testcases/test_{name}.py"
    ask = f"Fix the bug in {file}, which is in one line, so that the tests in {tests} pass."

    def prepare(directory):
        shutil.copytree(data, directory, dirs_exist_ok=True, copy_function=shutil.copyfile)
        for path in (directory, *directory.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)

    def judge(answer, directory):
        if (directory / file).read_text() == (data / file).read_text():
            return NO_ANSWER
        shutil.copy(data / tests, directory / tests)
        return _passes(directory, tests)

    return Case(name, "quixbugs", ask, prepare, judge, (file,), block_is=file)


def _passes(directory, tests):
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", tests]
    try:
        ran = subprocess.run(command, cwd=directory, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return WRONG
    return RIGHT if ran.returncode == 0 else WRONG

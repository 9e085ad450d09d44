"""The programs that look at a file and its tests, write it or a part of it, and try others in its
place."""

from __future__ import annotations

PASS, FAIL = "The tests pass.", "The tests fail."
CUTS_A_REPLY = "It holds a line of three backticks, at which a reply would end."

AS_IT_IS = "As it is: "

TESTED = """\
from pathlib import Path
import os, re, subprocess, sys

file, tests = {name!r}, {tests!r}
BY_HAND = '''
import importlib.util, sys, traceback
ended = []
def ends(do):
    try:
        do()
    except BaseException:  # one that exits has not passed
        traceback.print_exc()
        return False
    return True
for path in sys.argv[1:]:
    spec = importlib.util.spec_from_file_location("tests", path)
    module = importlib.util.module_from_spec(spec)
    if not ends(lambda: spec.loader.exec_module(module)):
        ended.append(False)
    named = [one for name, one in vars(module).items() if name.startswith("test")]
    ended += [ends(test) for test in named if callable(test)]
print(sum(ended), "passed", ended.count(False), "failed")
sys.exit(not all(ended) or not ended)
'''

def tested(here):
    if not tests:
        try:
            compile(Path(here, file).read_bytes(), file, "exec")
        except (SyntaxError, ValueError) as error:
            return f"SyntaxError: {{error}}", False
        return "There are no tests; it compiles.", True
    for tool in (
        "-m pytest -rN -p no:cacheprovider -p no:randomly -q".split(),
        "-m unittest -q".split(),
        ["-c", BY_HAND],  # functions, which unittest does not see
    ):
        command = [sys.executable, "-B", *tool, *tests]
        try:
            done = subprocess.run(command, cwd=here, capture_output=True, text=True,
                                  timeout={seconds}, env=os.environ | {{"PY_COLORS": "0"}})
        except subprocess.TimeoutExpired:
            return "It takes longer than {seconds} seconds.", False
        if not re.search("No module named pytest|^Ran 0 tests", done.stderr, re.MULTILINE):
            break
    told = (done.stdout + done.stderr).strip()
    if ran := re.search(r"^Ran (\\d+) test", told, re.MULTILINE):
        broken = sum(map(int, re.findall(r"(?:failures|errors)=(\\d+)", told)))
        told += f"\\n{{int(ran[1]) - broken}} passed"
    told = re.split(r"\\n=+ (?:FAILURES|ERRORS) =+\\n", told, maxsplit=1)[-1].strip()
    if len(told) > {failed}:
        told = told[:{failed}] + "\\n...\\n" + told.splitlines()[-1]
    return told, done.returncode == 0

def print_in_short(told, passes):
    lines = [""] + told.splitlines()
    counts = [line for line in lines if " passed" in line]
    print({as_it_is!r} + (counts or lines)[-1][:200])
    print({passing!r} if passes else {failing!r})

"""
LOOK = """\
def tests_of(word):
    for number, (above, folders, names) in enumerate(os.walk(".")):
        folders[:] = [one for one in folders if one[0] not in "._" and "node_modules" not in one]
        for name in names if number < 500 else ():
            if re.search(r"^test_.*py$|_test.py$|^tests?.py$", name):
                text = Path(above, name).read_text(errors="replace")
                if re.search(rf"\\b{{word}}\\b", text):
                    yield str(Path(above, name))

tests = tests or sorted(tests_of(Path(file).stem))[:3]
print("tests:", tests)
is_there = Path(file).exists()
text = Path(file).read_text(encoding="utf-8") if is_there else ""
is_new = "" if is_there else " is not there yet"
print(f"{{file}}{{is_new}}, {{len(text)}} characters:\\n{{text[:{longest}]}}\\n")
room = ({most} - len(text[:{longest}])) // max(len(tests), 1)
for name in tests:
    test = Path(name).read_text(errors="replace") if Path(name).exists() else ""
    print(f"{{name}}, {{len(test)}} characters:\\n{{test[:min({shown}, room)]}}\\n")
if is_there and len(text) <= {longest}:
    print_in_short(*tested("."))"""
WRITE = """\
put(Path(file), {text}{old})
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
        here = Path(place) / "here"
        beside(Path.cwd(), here, Path(file).parts)
        (here / file).parent.mkdir(parents=True, exist_ok=True)
        put(here / file, source{old})
        told, passes = tested(here)
    passed = sum(map(int, re.findall(r"(\\d+) passed", told)))
    print(f"way {{number}}:", told if passed > most else told.rpartition("\\n")[2], sep="\\n")
    most = max(most, passed)
    print({passing!r} if passes else {failing!r})
    if passes:
        break"""

PUT = """\
def put(place, new, old=""):
    text = Path(file).read_bytes().decode() if Path(file).exists() else ""
    if "\\r\\n" in text:
        old, new = (part.replace("\\n", "\\r\\n") for part in (old, new))
    if old and text.count(old) != 1:
        raise LookupError(f"the part to be changed is not in {{file}} once")
    place.write_bytes((text.replace(old, new) if old else new).encode())

"""
CHOOSE = """\
import ast

def parts_of(tree):
    for one in tree.body:
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield one.name, one
        for inner in one.body if isinstance(one, ast.ClassDef) else ():
            if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield f"{{one.name}}.{{inner.name}}", inner

def names_in(node):
    for one in ast.iter_child_nodes(node):
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield one.name
        elif isinstance(one, ast.alias):
            yield (one.asname or one.name).partition(".")[0]
        elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            yield one.id
        else:
            yield from names_in(one)

def names_beside(name):
    owner = name.rpartition(".")[0]
    members = names_in(dict(parts_of(tree))[owner]) if owner else ()
    return {{*names_in(tree), *(f"{{owner}}.{{member}}" for member in members)}}

def text_of(one):
    first = min(each.lineno for each in (one, *one.decorator_list))
    return "\\n".join(lines[first - 1:one.end_lineno])

def concerned(name):
    word, one = name.rpartition(".")[2], parts[name]
    is_meant = rf"`[^`\\n]*\\b{{word}}\\b[^`\\n]*`|\\b{{word}}\\("
    is_meant += rf"|\\b(?:function|method|class) {{word}}\\b"
    is_meant += rf"|\\b{{word}} (?:function|method|class)\\b|\\b\\w+[._]{{word}}\\b"
    calls = rf"\\b{{word}}\\("
    inside = any(one.lineno <= line <= one.end_lineno for line in frames)
    score = 8 * bool(re.search(is_meant, asked)) + 3 * bool(re.search(rf"\\b{{word}}\\b", asked))
    score += 4 * inside + 2 * bool(re.search(calls, failing)) + bool(re.search(calls, told))
    return score, name.count("."), word[0] != "_"

lines = Path(file).read_text(encoding="utf-8-sig").split("\\n")
tree = ast.parse("\\n".join(lines))
found = [(name, one) for name, one in parts_of(tree) if "\\n".join(lines).count(text_of(one)) == 1]
parts = {{name: one for name, one in found if len(text_of(one)) <= {longest}}}
asked, (told, passes) = {asked!r}, tested(".")
in_file = rf'(?:^|[/"]){{re.escape(Path(file).name)}}(?::|", line )(\\d+)'
frames = [int(number) for number in re.findall(in_file, told, re.MULTILINE)]
failing = " ".join(line for line in told.splitlines() if re.match(r">|    self[.]assert", line))
best = max(parts, key=concerned, default="")
best = best if best and concerned(best)[0] else ""
print("part:", best)
text = text_of(parts[best]) if best else ""
fences = re.findall("^[ \\t]*`{{3,}}[ \\t]*(.*)", text, re.MULTILINE)
if re.search("^```", text, re.MULTILINE) or not all(fences[::2]):
    print({cuts!r})
elif best:
    are_imports = (ast.Import, ast.ImportFrom)
    imports = [ast.unparse(one) for one in tree.body if isinstance(one, are_imports)]
    heads = [lines[one.lineno - 1].rstrip() for _, one in parts_of(tree)]
    names, all_told, told = " ".join(sorted(names_beside(best)))[:{names}], told, told[:{failed}]
    room = {most} - len(names + text + told)
    outline = "\\n".join((*imports, *heads))[:min({outline}, room)]
    print(f"names: {{names}}\\nWhat is in {{file}}:\\n{{outline}}\\n")
    print(f"The part {{best}} of it:\\n```python\\n{{text}}\\n```")
    room = (room - len(outline)) // max(len(tests), 1)
    for name in tests:
        print(f"\\n{{name}}:\\n{{Path(name).read_text(errors='replace')[:min({shown}, room)]}}")
    print(f"\\nThe tests now:\\n{{told}}")
    print_in_short(all_told, passes)"""

"""Before a block runs, its text tells which files it is about."""

import pytest

from interpreter.checkpoints.effects.previews import preview


@pytest.fixture
def workspace(tmp_path):
    for name in ("sales.csv", "notes.txt", "a.tmp", "b.tmp", "c.tmp", "d.tmp", "e.tmp", "f.tmp"):
        (tmp_path / name).write_text("x")
    (tmp_path / "old").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("language", "source", "told"),
    [
        ("shell", "rm -rf old", "By its text it deletes old."),
        ("shell", "mv sales.csv old/ && echo hi > out.txt", "it moves sales.csv; writes out.txt."),
        ("shell", "sed -i s/a/b/ notes.txt\ncp notes.txt copy", "it writes notes.txt, copy."),
        ("shell", "rm *.tmp", "a.tmp, b.tmp, c.tmp, d.tmp, e.tmp and 1 more. These are 6 of the 8"),
        ("shell", "rm nothing-here", ""),
        ("shell", "ls -la; cat sales.csv | wc -l", ""),
        ("shell", "cd /tmp; rm sales.csv", ""),
        ("shell", "for f in *; do rm $f; done", ""),
        ("python", "open('out.txt', 'w').write('x')", "it writes out.txt."),
        ("python", "print(open('sales.csv').read())", ""),
        ("python", "df.to_csv('clean.csv', index=False)", "it writes clean.csv."),
        ("python", "import os, shutil\nos.remove('notes.txt'); shutil.rmtree('old')",
         "it deletes notes.txt, old."),
        ("python", "from pathlib import Path\nPath('notes.txt').rename('n')", "it moves notes.txt."),
        ("python", "open(name, 'w')", ""),
        ("python", "def broken(:", ""),
        ("javascript", "fs.rmSync('old')", ""),
    ],
)  # fmt: skip
def test_the_files_that_a_block_names_are_told(workspace, language, source, told):
    said = preview(language, source, workspace)
    assert (told in said) if told else said == ""

"""What a block did to text files is shown below it, in colour and in few lines."""

import pytest

RED, GREEN = "\x1b[31m", "\x1b[32m"


def ask(terminal, *expected):
    terminal.type("go\n")
    terminal.wait_for("[y]")
    terminal.type("y")
    terminal.wait_for(*expected, "Done.")
    return terminal.everything()


def test_an_edit_is_shown_in_colour_after_the_block(chat, tmp_path):
    code = "p = 'notes.txt'; s = open(p).read(); n = open(p, 'w').write(s.replace('two', 'deux'))"
    terminal = chat({"code": code}, "Done.")
    (tmp_path / "terminal0" / "notes.txt").write_text("one\ntwo\nthree\n")
    seen = ask(terminal, "~ notes.txt", "-two", "+deux")
    assert seen.index("~ notes.txt") < seen.index("-two") < seen.index("+deux")
    styled = terminal.everything(styled=True)
    assert f"{RED}-two" in styled
    assert f"{GREEN}+deux" in styled


def test_a_long_edit_and_many_files_are_cut_and_point_to_diff(chat, tmp_path):
    code = (
        "import pathlib\nfor p in sorted(pathlib.Path().glob('f*.txt')):\n"
        "    n = p.write_text(p.read_text().upper())"
    )
    terminal = chat({"code": code}, "Done.")
    for number in range(5):
        lines = "".join(f"line {n} of {number}\n" for n in range(20))
        (tmp_path / "terminal0" / f"f{number}.txt").write_text(lines)
    seen = ask(terminal, "f0.txt:", "f2.txt:", "29 more lines: %diff", "2 more files: %diff")
    assert "f3.txt:" not in seen
    assert seen.count("29 more lines") == 3


def test_new_files_and_data_and_binaries_are_only_named(chat, tmp_path):
    code = (
        "for name in ('new.txt', 'old.csv', 'old.bin'): n = open(name, 'wb').write(b'a\\n\\0b\\n')"
    )
    terminal = chat({"code": code}, "Done.")
    for name in ("old.csv", "old.bin"):
        (tmp_path / "terminal0" / name).write_bytes(b"x\n\0y\n")
    seen = ask(terminal, "+ new.txt", "~ old.csv", "~ old.bin")
    assert "@@" not in seen


def test_a_line_typed_by_hand_shows_its_edit_too(chat, tmp_path):
    terminal = chat("Done.")
    (tmp_path / "terminal0" / "notes.txt").write_text("one\n")
    terminal.type("! echo more >> notes.txt\n")
    terminal.wait_for("~ notes.txt", "+more")


def test_a_dry_run_shows_the_edit_before_it_asks_whether_it_stays(chat, tmp_path):
    terminal = chat({"code": "n = open('notes.txt', 'a').write('more\\n')"}, "Done.")
    (tmp_path / "terminal0" / "notes.txt").write_text("one\n")
    terminal.type("go\n")
    terminal.wait_for("[y]")
    terminal.type("d")
    seen = terminal.wait_for("Keep what it did?")
    assert "+more" in seen


@pytest.mark.parametrize(
    "block",
    [
        {"code": "from pathlib import Path\nPath('notes.txt').write_text('one\\ndeux\\n')"},
        {"code": "with open('notes.txt', 'w') as f:\n    f.write('one\\ndeux\\n')\nprint('ok')"},
        {"code": "cat > notes.txt <<'EOF'\none\ndeux\nEOF\n", "language": "shell"},
    ],
)
def test_an_edit_that_is_known_is_shown_in_colour_with_the_question(chat, tmp_path, block):
    terminal = chat(block, "Done.")
    (tmp_path / "terminal0" / "notes.txt").write_text("one\ntwo\n")
    terminal.type("go\n")
    terminal.wait_for("-two", "+deux", "[y]")
    styled = terminal.everything(styled=True)
    assert f"{RED}-two" in styled
    assert f"{GREEN}+deux" in styled


def test_a_block_that_does_more_shows_no_edit_with_the_question(chat, tmp_path):
    code = "text = 'deux\\n'\nfrom pathlib import Path\nn = Path('notes.txt').write_text(text)"
    terminal = chat({"code": code}, "Done.")
    (tmp_path / "terminal0" / "notes.txt").write_text("two\n")
    terminal.type("go\n")
    assert "-two" not in terminal.wait_for("[y]")


def test_a_file_that_was_only_moved_has_no_lines_in_the_diff(chat, tmp_path):
    terminal = chat("Done.")
    (tmp_path / "terminal0" / "a.txt").write_text("kept\n")
    terminal.type("! mv a.txt b.txt\n")
    terminal.wait_for("a.txt → b.txt")
    terminal.wait_for_prompt()
    terminal.type("%diff\n")
    assert "+kept" not in terminal.wait_for("renamed a.txt → b.txt")

"""`computer.languages` in a profile: the model is offered those, and no others run."""

from interpreter import Interpreter


def test_only_the_languages_of_a_profile_run(interpreter_command, script, tmp_path):
    profile = tmp_path / "mine.yaml"
    profile.write_text("version: 0.2.5\ncomputer:\n  languages: [Python, javascript]\n")
    model = script({"code": "echo no", "language": "bash"}, {"code": "print('yes')"}, "Done.")
    done = interpreter_command("-y", "-m", model, "-p", str(profile), "go")
    assert "not among the chosen languages" in done.stderr
    assert "yes" in done.stderr
    assert done.stdout == "Done.\n"


def test_a_language_goes_by_all_its_names():
    with Interpreter("scripted/demo", languages=("bash",)) as it:
        assert it.run("sh", "echo hi").output == "hi\n"
        refused = it.run("python", "1")
        assert not refused.ok
        assert "not among the chosen languages: shell" in refused.text + refused.summary

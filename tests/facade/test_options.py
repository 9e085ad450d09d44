"""Every option has the effect that its documentation promises."""

import pytest

from interpreter import Interpreter, OpenInterpreter
from interpreter.protocol.errors import ConfigurationError, UnknownLanguage
from interpreter.settings.profiles import with_profile
from interpreter.settings.settings import Settings

PICTURE = """
from IPython.display import Image, display
display(Image(data=bytes.fromhex("89504e470d0a1a0a"), format="png"))"""


class Asked:
    """A model of one's own without tools, which remembers what it was asked."""

    def __init__(self, *replies):
        self.requests = []
        self._replies = list(replies)

    def __call__(self, **request):
        self.requests.append(request)
        reply = self._replies.pop(0) if self._replies else "Yes."
        yield {"choices": [{"delta": {"content": reply}}]}

    def said(self, role, place=-1):
        messages = self.requests[place]["messages"]
        return [m["content"] for m in messages if m["role"] == role]


@pytest.fixture
def asked(play):
    """An interpreter with such a model."""

    def make(*replies, **options):
        it = play(**options)
        it.llm.completions = Asked(*replies)
        return it

    return make


SAYS_NOTHING = "```python\nx = 1\n```"
PRINTS = "```python\nprint(42)\n```"


def test_the_template_of_an_empty_output(asked):
    it = asked(SAYS_NOTHING, auto_run=True, empty_code_output_template="NOTHING CAME")
    it.chat("go", display=False)
    assert it.llm.completions.said("user")[-1] == "NOTHING CAME"


def test_output_can_come_from_the_assistant_itself(asked):
    it = asked(PRINTS, auto_run=True, code_output_sender="assistant")
    it.chat("go", display=False)
    assert "42" in it.llm.completions.said("assistant")[-1]
    assert not any("42" in text for text in it.llm.completions.said("user"))


def test_the_user_template_can_be_applied_always(asked):
    it = asked(user_message_template="<<{content}>>", always_apply_user_message_template=True)
    it.chat("one", display=False)
    it.chat("two", display=False)
    assert it.llm.completions.said("user") == ["<<one>>", "<<two>>"]


def test_custom_instructions_and_the_computers_words_reach_the_model(asked):
    it = asked(custom_instructions="Speak Latin.", import_computer_api=True)
    it.computer.system_message = "There is a computer."
    it.chat("hi", display=False)
    system = it.llm.completions.said("system")[0]
    assert "Speak Latin." in system
    assert "There is a computer." in system
    it.computer.import_computer_api = False
    it.chat("hi", display=False)
    assert "There is a computer." not in it.llm.completions.said("system")[0]


@pytest.mark.parametrize("wish", [False, None, ""])
def test_execution_instructions_can_be_left_out(asked, wish):
    it = asked()
    it.chat("hi", display=False)
    assert it.llm.execution_instructions in it.llm.completions.said("system")[0]
    usual, it.llm.execution_instructions = it.llm.execution_instructions, wish
    it.chat("hi", display=False)
    assert usual not in it.llm.completions.said("system")[0]


def test_of_long_output_the_model_reads_the_end(asked):
    it = asked("```python\nprint('a' * 500 + 'end')\n```", auto_run=True, max_output=50)
    it.chat("go", display=False)
    read = it.llm.completions.said("user")[-1]
    assert "a" * 46 + "end" in read
    assert "a" * 60 not in read


def test_messages_for_the_user_alone_are_not_read_by_the_model(asked):
    it = asked()
    secret = {"role": "computer", "type": "console", "format": "output", "recipient": "user"}
    it.messages = [{**secret, "content": "SECRET"}]
    it.chat("hi", display=False)
    assert "SECRET" not in str(it.llm.completions.requests)
    it.messages.append({**secret, "recipient": "assistant", "content": "FOR YOU"})
    it.chat("hi", display=False)
    assert "FOR YOU" in str(it.llm.completions.requests[-1])


def test_pictures_are_put_into_words_for_a_model_that_cannot_see(asked):
    it, rendered = asked(), []

    def render(lmc):
        rendered.append(lmc)
        return "a zebra"

    it.llm.vision_renderer = render
    picture = {"role": "user", "type": "image", "format": "base64.png", "content": "iVBORw0KGgo="}
    it.messages.append(picture)
    it.chat("what is it?", display=False)
    it.chat("really?", display=False)
    assert "a zebra" in str(it.llm.completions.requests[-1]["messages"])
    assert rendered == [picture]
    assert it.messages[0] == picture


def test_a_model_that_sees_is_shown_the_picture_itself(asked):
    it = asked()
    it.llm.supports_vision = True
    it.llm.vision_renderer = lambda lmc: "a zebra"
    it.messages.append({"role": "user", "type": "image", "format": "base64", "content": "iVBORw=="})
    it.chat("what is it?", display=False)
    assert "zebra" not in str(it.llm.completions.requests)
    assert "iVBORw==" in str(it.llm.completions.requests)


def test_pictures_of_code_run_by_hand_can_be_left_out(play):
    computer = play().computer
    assert [m["type"] for m in computer.run("python", PICTURE)] == ["image"]
    computer.emit_images = False
    assert computer.run("python", PICTURE) == []


def test_languages_can_be_given_by_name(play, tmp_path):
    profile = tmp_path / "mine.yaml"
    profile.write_text("computer:\n  languages: [Python, bash]\n")
    it = play()
    it.use_profile(str(profile))
    assert [one.name for one in it.computer.languages] == ["python", "shell"]
    assert it.computer.run("sh", "echo hi")[0]["content"] == "hi\n"
    with pytest.raises(UnknownLanguage, match="klingon"):
        it.computer.languages = ["klingon"]


def test_a_limit_of_money_ends_the_turn_before_anything_is_sent(play, caplog):
    it = play()
    it.llm.model, it.llm.api_key, it.llm.max_budget = "gpt-4o", "key", 0.0001
    assert it.chat("hi", display=False) == []
    assert "over the budget of $0.0001. Raise max_budget" in caplog.text


def test_the_parts_of_one_interpreter_can_be_given_to_another(play):
    one = play("One.", auto_run=True)
    other = OpenInterpreter(llm=one.llm, computer=one.computer)
    one.computer.run("python", "shared = 41")
    assert other.computer.run("python", "shared + 1")[0]["content"] == "42"
    assert other.llm is one.llm
    other.close()


# Skills.


@pytest.fixture
def skills(tmp_path):
    place = tmp_path / "skills"
    place.mkdir()
    (place / "greeting.py").write_text("def greet(name):\n    print('hello', name)\n")
    return place


def test_a_skill_is_there_in_a_block_of_the_model(play, skills):
    it = play({"code": "greet('Ada')"}, "Done.", import_skills=True, auto_run=True)
    it.skills_path = str(skills)
    assert it.chat("greet Ada", display=False)[1]["content"] == "hello Ada\n"
    it.reset()
    it.messages = []
    assert "NameError" in it.computer.run("python", "greet('Bob')")[0]["content"]


def test_a_skill_is_there_in_the_typed_interpreter(script, skills):
    model = script({"code": "greet('Ada')"}, "Done.")
    with Interpreter(model, auto_run=True, import_skills=True, skills_path=str(skills)) as it:
        assert it.ask("greet Ada").blocks[0].output == "hello Ada\n"


def test_skills_that_cannot_be_loaded_are_told_of_and_the_others_are_there(play, skills, caplog):
    (skills / "broken.py").write_text("import nowhere_at_all\n")
    it = play({"code": "greet('Ada')"}, "Done.", import_skills=True, auto_run=True)
    it.skills_path = str(skills)
    assert it.chat("greet Ada", display=False)[1]["content"] == "hello Ada\n"
    assert [
        record.getMessage() for record in caplog.records if "broken" in record.getMessage()
    ] == [
        "The skills in broken.py are not there: ModuleNotFoundError: No module named "
        "'nowhere_at_all'"
    ]


def test_a_skill_can_be_taught(play, tmp_path):
    it = play(skills_path=str(tmp_path / "skills"))
    new = it.computer.skills.new_skill
    new.create()
    new.name = "Feed the cat"
    new.add_step("Open the tin.", "open('tin')")
    new.add_step("Serve.", "print('cat')")
    new.save()
    assert it.computer.skills.list() == ["feed_the_cat"]
    it.computer.skills.import_skills()
    told = it.computer.run("python", "feed_the_cat()")[0]["content"]
    assert told.startswith("Step 1: Open the tin.\nopen('tin')\n\nStep 2: Serve.")
    it.computer.save_skills = False
    with pytest.raises(ConfigurationError, match="save_skills"):
        new.save()
    new.create()
    with pytest.raises(ConfigurationError, match="needs a name"):
        new.save()


# Profiles.


def test_options_of_the_terminal_in_a_profile_count(tmp_path):
    profile = tmp_path / "mine.yaml"
    profile.write_text("verbose: true\nplain_text_display: true\nskills_path: /s\nos: false\n")
    expected = Settings(verbose=True, plain=True, skills_path="/s")
    assert with_profile(Settings(), str(profile)) == expected


def test_a_profile_from_an_address_must_be_confirmed(served):
    address = served("/mine.yaml", "custom_instructions: Be brief.\n")
    it = OpenInterpreter()
    with pytest.raises(ConfigurationError, match="was not confirmed"):
        it.use_profile(address)
    it.use_profile(address, confirm=lambda source, text: "Be brief" in text)
    assert it.custom_instructions == "Be brief."
    with pytest.raises(ConfigurationError, match="was not confirmed"):
        Interpreter(profile=address)
    typed = Interpreter(profile=address, confirm=lambda source, text: source == address)
    assert typed.settings.custom_instructions == "Be brief."

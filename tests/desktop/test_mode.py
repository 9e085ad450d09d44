"""OS mode: a model sees the screen and acts, under the eyes of the user."""

import json
import re
import threading
from base64 import b64decode

import pytest

from interpreter.desktop.fake import FakeDesktop
from interpreter.desktop.mode.emergency import Emergency, Stoppable
from interpreter.desktop.mode.log import ActionLog
from interpreter.desktop.mode.safety import DesktopApprovals, Shielded
from interpreter.desktop.mode.tool import ComputerTool
from interpreter.desktop.pictures import image_of
from interpreter.models.pictures import dimensions
from interpreter.protocol.actions import Decision, Verdict
from interpreter.protocol.desktop import Box, DesktopError, Element, Monitor, Point, Window
from interpreter.protocol.events import DisplayShown
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import ActionCall, Code
from interpreter.protocol.ports import ToolContext, nobody_answers
from tests.desktop.conftest import in_front, wait_for


def call(**arguments):
    return ActionCall("computer", json.dumps(arguments), "1")


def done(tool, interrupt=None, **arguments):
    """The pictures and the end of one action."""
    context = ToolContext(nobody_answers, interrupt or Interrupt())
    *shown, end = tool.run(call(**arguments), context)
    assert all(isinstance(one, DisplayShown) for one in shown)
    return [one.display for one in shown], end


LARGE = (
    Monitor("large", Box(0, 0, 3840, 2160), primary=True),
    Monitor("left", Box(-1000, -100, 1000, 800)),
)


def pressed(desktop, element):
    desktop.shown = [e for e in desktop.shown if e is not element]
    desktop.shown.append(Element(element.name, "button", element.box, "shop", "Shop", "pressed"))


@pytest.fixture
def fake():
    buy = Element("Buy", "button", Box(2000, 1000, 400, 100), "shop", "Shop")
    desktop = FakeDesktop([buy], LARGE, on_click=pressed)
    desktop.window_list = [
        Window("1", "Shop", "shop", Box(1500, 500, 1500, 1000), active=True),
        Window("2", "Bank account", "bank", Box(0, 0, 400, 300)),
    ]
    return desktop


def test_a_large_screen_is_shown_smaller_and_points_are_brought_back(fake):
    tool = ComputerTool(lambda: fake)
    (picture,), end = done(tool, action="screenshot")
    assert picture.image.media_type == "image/jpeg"
    assert "The picture is 1429 by 804" in end.summary
    assert "monitor 0 of 2" in end.summary
    done(tool, action="left_click", coordinate=[818, 390])
    (moved,) = [entry[1] for entry in fake.done if entry[0] == "move"]
    assert Box(2000, 1000, 400, 100).holds(moved)


def test_a_monitor_left_of_the_origin_has_its_own_points(fake):
    tool = ComputerTool(lambda: fake)
    done(tool, action="screenshot", monitor=1)
    done(tool, action="mouse_move", coordinate=[0, 0])
    assert fake.pointer() == Point(-1000, -100)


def test_a_point_outside_of_the_picture_is_refused(fake):
    pictures, end = done(ComputerTool(lambda: fake), action="left_click", coordinate=[1429, 10])
    assert (pictures, end.outcome) == ([], "failed")
    assert "outside the picture, which is 1429 by 804" in end.summary
    assert fake.done == []


def test_the_new_picture_comes_when_something_changed_and_not_otherwise(fake):
    tool = ComputerTool(lambda: fake)
    pictures, end = done(tool, action="click_text", text="Buy")
    assert (len(pictures), end.summary) == (1, "Done; 0 % of the screen changed.")
    assert "what changed: (" in pictures[0].text
    assert max(dimensions(pictures[0].image)) < 300
    pictures, end = done(tool, action="key", text="ctrl+s")
    assert (pictures, end.summary) == ([], "Done; nothing on the screen changed.")
    assert [entry for entry in fake.done if entry[0] == "key down"] == [
        ("key down", "Control_L"), ("key down", "s"),
    ]  # fmt: skip


def test_several_of_a_name_come_back_numbered_in_a_picture(fake):
    fake.shown.append(Element("Buy", "button", Box(1600, 600, 100, 50), "shop", "Shop"))
    pictures, end = done(ComputerTool(lambda: fake), action="click_text", text="Buy")
    assert (len(pictures), end.outcome) == (1, "failed")
    assert "there 2 times" in end.summary
    assert fake.done == []


def test_a_hand_on_the_mouse_stops_everything(fake):
    tool, interrupt = ComputerTool(lambda: fake), Interrupt()
    done(tool, action="mouse_move", coordinate=[10, 10])
    fake.move(Point(500, 500))
    before = len(fake.done)
    _, end = done(tool, interrupt, action="left_click", coordinate=[10, 10])
    assert (end.outcome, interrupt.requested) == ("interrupted", True)
    assert len(fake.done) == before


def test_dry_mode_draws_and_does_nothing(fake):
    (picture,), end = done(
        ComputerTool(lambda: fake, dry=True), action="left_click", coordinate=[818, 390]
    )
    assert picture.image.media_type == "image/png"
    assert end.summary.startswith("Dry mode: nothing was done")
    assert fake.done == []


def test_elements_are_listed_with_points_of_the_picture(fake):
    _, end = done(ComputerTool(lambda: fake), action="elements")
    assert end.summary == "button 'Buy' at (818, 391)"


def test_what_was_done_can_be_looked_through(fake, tmp_path):
    log = ActionLog(tmp_path / "log")
    tool = ComputerTool(lambda: fake, log)
    done(tool, action="type", text="<b>words</b>")
    done(tool, action="click_text", text="Buy")
    page = log.page.read_text()
    assert "type “&lt;b&gt;words" in page
    assert (page.count("<section>"), page.count("<img ")) == (2, 4)
    pictures = re.findall(r'src="data:image/jpeg;base64,([^"]+)"', page)
    assert {b64decode(one)[:2] for one in pictures} == {b"\xff\xd8"}
    assert list(log.directory.iterdir()) == [log.page]


def test_what_is_typed_into_a_password_field_is_not_logged(fake, tmp_path):
    states = frozenset({"focused", "editable"})
    box = Box(2000, 800, 200, 40)
    fake.shown.append(Element("Key", "password text", box, "shop", "Shop", states=states))
    log = ActionLog(tmp_path / "log")
    done(ComputerTool(lambda: fake, log), action="type", text="hunter2")
    assert "hunter2" not in log.page.read_text()
    assert ("type", "hunter2") in fake.done


def test_the_key_that_stops_everything_stops_the_turn_and_code(fake):
    emergency, interrupt = Emergency(), Interrupt()
    stoppable = Stoppable(fake, emergency)
    tool = ComputerTool(lambda: stoppable, emergency=emergency)
    done(tool, interrupt, action="type", text="before")
    emergency.press()
    assert interrupt.requested
    before = len(fake.done)
    _, end = done(tool, interrupt, action="type", text="after")
    assert (end.outcome, len(fake.done)) == ("interrupted", before)
    with pytest.raises(DesktopError, match="stopped by its key"):
        stoppable.button("left", down=True)
    interrupt.clear()  # the next turn begins
    _, end = done(tool, interrupt, action="type", text="after")
    assert end.outcome == "ok"


@pytest.mark.parametrize("wish", [
    {"action": "hold_key", "text": "a", "duration": 30}, {"action": "wait", "duration": 30},
])  # fmt: skip
def test_the_key_ends_what_takes_its_time(fake, wish):
    emergency, interrupt = Emergency(), Interrupt()
    tool = ComputerTool(lambda: Stoppable(fake, emergency), emergency=emergency)
    ended = []
    worker = threading.Thread(target=lambda: ended.append(done(tool, interrupt, **wish)))
    worker.start()
    wait_for(lambda: interrupt._listeners, "the pause")
    emergency.press()
    worker.join(10)
    assert (len(ended), fake.held) == (1, [])


def test_typed_text_is_not_logged_where_nobody_tells_what_has_the_focus(fake, tmp_path):
    def broken(window=None):
        raise DesktopError("no bus")

    fake.elements = broken
    log = ActionLog(tmp_path / "log")
    done(ComputerTool(lambda: fake, log), action="type", text="hunter2")
    assert "hunter2" not in log.page.read_text()


def test_openais_calls_are_answered_with_the_whole_screen_whatever_changed(fake):
    click = {"type": "click", "x": 10, "y": 10, "button": "left"}
    pictures, end = done(ComputerTool(lambda: fake), actions=[click], id="cu_1")
    assert (len(pictures), end.outcome) == (1, "ok")
    assert dimensions(pictures[-1].image) == (1429, 804)


def test_a_vendors_warning_is_asked_about_even_where_nothing_else_is(fake):
    checks = [{"id": "s", "code": "x", "message": "This looks like a trap."}]
    warned = call(actions=[{"type": "wait"}], pending_safety_checks=checks)
    verdict = DesktopApprovals(Inner("allow"), ComputerTool(lambda: fake)).review(warned)
    assert (verdict.ruling, "a trap" in verdict.reason) == ("ask", True)


# Who may.


class Inner:
    """A policy that says one thing."""

    def __init__(self, ruling):
        self.ruling = ruling
        self.remembered = []

    def review(self, action):
        return Verdict(self.ruling)

    def remember(self, action, decision):
        self.remembered.append(action)


@pytest.fixture
def approvals(fake):
    return DesktopApprovals(Inner("ask"), ComputerTool(lambda: fake))


CLICK_SHOP = {"action": "left_click", "coordinate": [700, 300]}
CLICK_BANK = {"action": "left_click", "coordinate": [20, 20]}


def test_looking_needs_no_yes_and_acting_does(approvals):
    assert approvals.review(call(action="screenshot")).ruling == "allow"
    verdict = approvals.review(call(**CLICK_SHOP))
    assert verdict.ruling == "ask"
    assert verdict.reason.startswith("click at (700, 300) in shop.")


def test_a_program_can_be_allowed_and_others_are_still_asked_about(approvals):
    approvals.remember(call(**CLICK_SHOP), Decision("session"))
    assert approvals.review(call(**CLICK_SHOP)).ruling == "allow"
    assert approvals.review(call(action="type", text="x")).ruling == "allow"  # the active window
    assert approvals.review(call(**CLICK_BANK)).ruling == "ask"
    approvals.remember(call(**CLICK_BANK), Decision("always"))
    assert approvals.review(call(**CLICK_BANK)).ruling == "allow"


def test_what_a_rule_forbids_stays_forbidden_and_code_is_left_to_others(fake):
    strict = DesktopApprovals(Inner("deny"), ComputerTool(lambda: fake))
    strict.remember(call(**CLICK_SHOP), Decision("always"))
    assert strict.review(call(**CLICK_SHOP)).ruling == "deny"
    assert strict.review(Code("python", "1")).ruling == "deny"


def test_an_excluded_window_is_black_silent_and_out_of_reach(fake):
    fake.shown.append(Element("4711 EUR", "label", Box(10, 10, 200, 50), "bank", "Bank account"))
    shielded = Shielded(fake, ["bank"])
    seen = image_of(shielded.grab(Box(0, 0, 800, 600)))
    assert seen.getpixel((50, 30)) == (0, 0, 0)
    assert seen.getpixel((500, 400)) != (0, 0, 0)
    assert "4711" not in repr(shielded.elements())
    assert [one.title for one in shielded.windows()] == ["Shop"]
    fake.shown.append(Element("Balance 4711", "menu item", Box(600, 10, 90, 20), "bank"))
    fake.selected = "4711 selected"
    assert "4711" not in repr(shielded.elements()) + shielded.selection()
    shielded.move(Point(50, 30))
    for reach in (
        lambda: shielded.button("left", down=True), lambda: shielded.scroll(0, 1),
        lambda: shielded.activate(fake.window_list[1]),
    ):  # fmt: skip
        with pytest.raises(DesktopError, match="excluded"):
            reach()
    fake.activate(fake.window_list[1])
    for reach in (lambda: shielded.type("x"), lambda: shielded.key("enter", down=True)):
        with pytest.raises(DesktopError, match="excluded"):
            reach()
    assert fake.text == ""


# Whole journeys on a real screen.


def tool_call(**arguments):
    return {"tool": "computer", "arguments": json.dumps(arguments)}


@pytest.fixture
def scripted(tmp_path):
    def script(*replies):
        import yaml

        file = tmp_path / "script.yaml"
        file.write_text(yaml.safe_dump(list(replies), allow_unicode=True))
        return f"scripted/{file}"

    return script


def agent_with(model, tmp_path, monkeypatch):
    from interpreter import OpenInterpreter

    monkeypatch.chdir(tmp_path)
    agent = OpenInterpreter(os=True)
    agent.llm.model = model
    agent.llm.supports_vision = True
    return agent


def test_a_journey_code_then_names_then_keys(screen, desktop, scripted, tmp_path, monkeypatch):
    app = screen.start("gtk3")
    in_front(app, desktop)
    wait_for(lambda: any(e.name == "Delete" for e in desktop.elements()), "the tree")
    field = next(e for e in desktop.elements(app.window(desktop)) if e.role == "text").box.center
    shown = ComputerTool(lambda: desktop)
    x, y = (lambda p: (p.x, p.y))(shown._whole_view().to_picture(field))
    model = scripted(
        {"code": "print('cheapest first')"},
        tool_call(action="screenshot"),
        tool_call(action="left_click", coordinate=[x, y]),
        tool_call(action="type", text="naïve 你好"),
        tool_call(action="click_text", text="Delete"),
        tool_call(action="click_text", text="Proceed to Checkout"),
        "Ordered.",
    )
    agent = agent_with(model, tmp_path, monkeypatch)
    agent.auto_run = True
    try:
        messages = agent.chat("order it", display=False)
    finally:
        agent.close()
    wait_for(lambda: app.state()["clicked"] == ["Proceed to Checkout"], "the click")
    assert app.state()["text"] == "naïve 你好"
    assert messages[-1]["content"] == "Ordered."
    assert sum(one["type"] == "image" for one in messages) >= 4
    assert any("there 2 times" in str(one["content"]) for one in messages)


def test_nobody_there_to_ask_means_that_nothing_is_clicked(
    screen, desktop, scripted, tmp_path, monkeypatch
):
    app = screen.start("gtk3")
    in_front(app, desktop)
    wait_for(lambda: any(e.name == "Cancel" for e in desktop.elements()), "the tree")
    model = scripted(tool_call(action="click_text", text="Cancel"), "Oh.")
    agent = agent_with(model, tmp_path, monkeypatch)
    try:
        agent.chat("cancel", display=False, stream=False)
    finally:
        agent.close()
    assert app.state()["clicked"] == []

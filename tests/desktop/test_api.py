"""`computer.*` for code: on the host, and from inside the sandboxed kernel."""

import io

import pytest

from interpreter.desktop.api.parts import DesktopParts, desktop_functions
from interpreter.desktop.fake import FakeDesktop
from interpreter.protocol.calls import PNG, CallContext
from interpreter.protocol.desktop import (
    AmbiguousTarget,
    Box,
    DesktopError,
    Element,
    Monitor,
    NoDesktop,
    OutOfRange,
    Point,
    Window,
)
from interpreter.protocol.errors import CallFailed
from interpreter.protocol.interrupt import Interrupt
from tests.desktop.conftest import in_front, wait_for

MONITORS = (
    Monitor("main", Box(0, 0, 800, 600), primary=True),
    Monitor("left", Box(-400, 100, 400, 300)),
)


def button(name, left, top):
    return Element(name, "button", Box(left, top, 100, 20), "shop", "Shop")


@pytest.fixture
def fake():
    desktop = FakeDesktop([button("Buy", 10, 10), button("Sell", 10, 50)], MONITORS)
    desktop.window_list = [Window("1", "Shop", "shop", Box(0, 0, 300, 200), active=True)]
    return desktop


@pytest.fixture
def computer(fake):
    return DesktopParts(lambda text, picture: f"{text} {bool(picture)}", lambda: fake)


def test_the_display_tells_of_all_monitors(computer):
    assert computer.display.size() == (800, 600)
    assert computer.display.center() == (400, 300)
    assert [one["left"] for one in computer.display.info()] == [0, -400]
    assert computer.display.screenshot().size == (800, 600)
    assert computer.display.view(screen=1).size == (400, 300)
    assert computer.display.screenshot(combine_screens=True).size == (1200, 600)
    assert computer.display.screenshot(active_app_only=True).size == (300, 200)
    assert computer.display.screenshot(quadrant=4).size == (400, 300)
    with pytest.raises(DesktopError, match="There is no screen 2; there are 2, from 0"):
        computer.display.screenshot(screen=2)


def test_a_text_is_found_with_its_point_and_its_place_among_all_monitors(computer):
    (found,) = computer.display.find_text("Buy")
    assert found["point"] == (60, 20)
    assert found["coordinates"] == ((60 + 400) / 1200, 20 / 600)
    assert (found["similarity"], found["how"], found["role"]) == (1.0, "accessibility", "button")
    assert computer.display.find('"Sell"')[0]["point"] == (60, 60)


def test_clicks_go_to_points_and_names_and_tell_what_was_hit(computer, fake):
    hit = computer.mouse.click("Sell")
    assert hit == {"point": (60, 60), "how": "accessibility", "text": "Sell", "role": "button",
                   "similarity": 1.0}  # fmt: skip
    computer.mouse.double_click(x=-10, y=150)
    computer.mouse.right_click()
    assert fake.done == [
        ("move", Point(60, 60)), ("down", "left"), ("up", "left"),
        ("move", Point(-10, 150)), ("down", "left"), ("up", "left"), ("down", "left"), ("up", "left"),
        ("down", "right"), ("up", "right"),
    ]  # fmt: skip


def test_a_point_beside_the_monitors_is_not_clicked(computer, fake):
    with pytest.raises(OutOfRange):
        computer.mouse.click(-10, 50)
    assert fake.done == []


def test_two_of_a_name_are_not_clicked(computer, fake):
    fake.shown.append(button("Buy", 10, 90))
    with pytest.raises(AmbiguousTarget, match="'Buy' is there 2 times"):
        computer.mouse.click("Buy")
    assert fake.done == []


def test_keys_and_text(computer, fake):
    computer.keyboard.write("naïve 😀")
    computer.keyboard.hotkey("ctrl", "shift", "t")
    computer.keyboard.press("enter", presses=2, interval=0)
    assert fake.text == "naïve 😀"
    names = [entry[1] for entry in fake.done if entry[0] == "key down"]
    assert names == ["Control_L", "Shift_L", "t", "Return", "Return"]
    assert fake.held == []


def test_dragging_and_scrolling(computer, fake):
    computer.mouse.drag(10, 10, 90, 50)
    computer.mouse.scroll(-3)
    assert fake.done[0] == ("move", Point(10, 10))
    assert fake.done[-3:] == [("move", Point(90, 50)), ("up", "left"), ("scroll", 0, 3)]


def test_the_clipboard_holds_texts_and_pictures(computer):
    computer.clipboard.copy("text")
    assert computer.clipboard.view() == "text"
    computer.clipboard.copy(computer.display.screenshot())
    assert computer.clipboard.view().size == (800, 600)


def test_windows_and_programs(computer, fake):
    assert computer.os.active_window()["title"] == "Shop"
    assert [one["title"] for one in computer.os.windows()] == ["Shop"]
    computer.os.open("calculator")
    computer.os.notify("x" * 300)
    fake.selected = "chosen"
    assert computer.os.get_selected_text() == "chosen"
    assert (fake.opened, len(fake.notices[0])) == (["calculator"], 200)


class Copies(FakeDesktop):
    """One that tells nothing of a selection and copies it by keys."""

    def key(self, name, *, down):
        super().key(name, down=down)
        if down and self.held == ["Control_L", "c"]:
            self.write_clipboard(b"chosen", "text/plain")


@pytest.mark.parametrize("before", [b"other", b"chosen"])
def test_a_selection_that_nobody_tells_is_copied_and_the_clipboard_is_as_before(before):
    fake = Copies()
    fake.write_clipboard(before, "text/plain")
    computer = DesktopParts(lambda text, picture: "", lambda: fake)
    assert computer.os.get_selected_text() == "chosen"
    assert fake.clipboard == {"text/plain": before}


def test_a_picture_is_read_here_and_described_by_the_model(computer):
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("RGB", (400, 60), "white")
    font = ImageFont.load_default(size=24)
    ImageDraw.Draw(picture).text((10, 15), "Invoice 4711", fill="black", font=font)
    assert computer.vision.ocr(pil_image=picture) == "Invoice 4711"
    assert computer.vision.query("What?", pil_image=picture) == "What? True"


def test_without_a_display_each_use_is_a_sentence():
    from interpreter.desktop.opening import open_desktop

    computer = DesktopParts(lambda text, picture: "", lambda: open_desktop({}))
    with pytest.raises(NoDesktop, match="There is no display here"):
        computer.mouse.click(1, 1)


def bomb():
    """A small file that says it is an enormous picture."""
    from PIL import Image

    data = io.BytesIO()
    Image.new("1", (9_000, 9_000)).save(data, "PNG")
    return data.getvalue()


def test_what_would_fill_the_memory_or_go_on_for_hours_is_refused(computer, fake):
    picture = bomb()
    assert len(picture) < 50_000
    for use in (computer.clipboard.copy, computer.display.find_picture):
        with pytest.raises(DesktopError, match="too large: 9000 by 9000"):
            use(picture)
    with pytest.raises(DesktopError, match="would take 1000 seconds"):
        computer.keyboard.write("a" * 1_000, interval=1)
    with pytest.raises(DesktopError, match="would take"):
        computer.keyboard.press("a", presses=1_000, interval=1)
    assert (fake.done, fake.clipboard) == ([], {})


# As functions of the host.


def functions(computer):
    return {one.name: one for one in desktop_functions(computer)}


def test_what_acts_or_shows_the_screen_asks_and_what_tells_sizes_does_not(computer):
    quiet = {name for name, one in functions(computer).items() if not one.asks}
    assert quiet == {"computer.display.size", "computer.display.center", "computer.display.info",
                     "computer.display.width", "computer.display.height", "computer.mouse.position", "computer.vision.load"}  # fmt: skip


def test_code_in_a_cell_names_no_file_of_the_host(computer):
    for one in functions(computer).values():
        assert not {"path", "lmc", "attachments"} & set(one.parameters["properties"])


def test_code_in_a_cell_asks_about_all_mail_and_says_what_is_not_set_up(computer):
    mail = {n: one for n, one in functions(computer).items() if n.startswith("computer.mail.")}
    assert {one.asks for one in mail.values()} == {"even in auto"}
    with pytest.raises(CallFailed, match="accounts.toml"):
        mail["computer.mail.unread_count"].call({}, CallContext(Interrupt()))


def test_pictures_cross_as_png_and_ambiguity_with_its_points(computer, fake):
    context = CallContext(Interrupt())
    shot = functions(computer)["computer.display.screenshot"].call({}, context)
    assert (shot.media_type, shot.data[:4]) == (PNG, b"\x89PNG")
    fake.shown.append(button("Buy", 10, 90))
    with pytest.raises(CallFailed) as raised:
        functions(computer)["computer.mouse.click"].call({"args": ["Buy"]}, context)
    assert (raised.value.kind, raised.value.details) == (
        "AmbiguousTarget", {"candidates": [[60, 20], [60, 100]]},
    )  # fmt: skip


# With a real desktop, in the library and in the cell.


@pytest.fixture
def agent(desktop, tmp_path, monkeypatch):
    from interpreter import OpenInterpreter

    monkeypatch.chdir(tmp_path)
    agent = OpenInterpreter()
    agent.auto_run = agent.os = True
    yield agent
    agent.close() if hasattr(agent, "close") else agent.terminate()


def test_the_library_clicks_and_types_in_a_real_program(screen, desktop, agent):
    app = screen.start("gtk3")
    in_front(app, desktop)
    wait_for(lambda: any(e.name == "Cancel Order" for e in desktop.elements()), "the tree")
    agent.computer.mouse.click("Cancel Order")
    wait_for(lambda: app.state()["clicked"] == ["Cancel Order"], "the click")
    assert agent.computer.display.size() == (1280, 900)
    assert agent.computer.screenshot().size == (1280, 900)


CODE = r"""
hit = computer.mouse.click("Proceed to Checkout")
print(hit["how"], hit["text"])
try:
    computer.mouse.click("Delete")
except ValueError as error:
    print(type(error).__name__, len(error.details["candidates"]))
picture = computer.display.screenshot()
print(len(picture) > 1000, computer.display.size())
import os, socket
number = os.environ.get("DISPLAY", ":0").strip(":")
reached = 0
for address in (f"/tmp/.X11-unix/X{number}", f"\0/tmp/.X11-unix/X{number}"):
    reached += socket.socket(socket.AF_UNIX).connect_ex(address) == 0
print(reached, [m for m in ("mss", "Xlib", "PIL") if m in __import__("sys").modules])
picture
"""


def test_code_in_the_sandboxed_kernel_does_it_through_the_host(screen, desktop, agent):
    app = screen.start("gtk3")
    in_front(app, desktop)
    wait_for(lambda: any(e.name == "Delete" for e in desktop.elements()), "the tree")
    chunks = agent.computer.run("python", CODE)
    text = "".join(c["content"] for c in chunks if c["type"] == "console")
    assert text.splitlines()[:4] == [
        "accessibility Proceed to Checkout", "AmbiguousTarget 2", "True [1280, 900]", "0 []",
    ]  # fmt: skip
    wait_for(lambda: app.state()["clicked"] == ["Proceed to Checkout"], "the click")
    from base64 import b64decode

    from PIL import Image

    picture = next(c for c in chunks if c["type"] == "image")
    assert Image.open(io.BytesIO(b64decode(picture["content"]))).size == (1280, 900)


@pytest.mark.parametrize("auto_run", [False, True])
def test_nobody_there_to_ask_means_no(screen, desktop, agent, auto_run):
    agent.auto_run, agent.os = auto_run, False
    app = screen.start("gtk3")
    said = agent.computer.run("python", "computer.keyboard.write('typed unasked')")
    assert "not allowed" in str(said)
    assert app.state()["text"] == ""


def test_offering_the_functions_opens_no_display():
    def refuse():
        raise AssertionError("the display was opened")

    assert len(list(desktop_functions(DesktopParts(lambda text, picture: "", refuse)))) > 30

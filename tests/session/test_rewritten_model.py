"""What the model is shown: pictures that are not too large."""

import io

import numpy
from PIL import Image

from interpreter.models.scripted import ScriptedModel
from interpreter.protocol.interrupt import Interrupt
from interpreter.protocol.messages import Display, Face, Message, Output, user_says
from interpreter.protocol.ports import Request
from interpreter.session.request.rewritten_model import LARGEST_PICTURE, with_small_pictures


class Watched(ScriptedModel):
    """A scripted model that remembers what it was asked."""

    def __init__(self):
        super().__init__(["Yes."], repeat=True)
        self.seen = []

    def stream(self, request, interrupt):
        self.seen.append(request.messages)
        return super().stream(request, interrupt)


def shown(*messages, times=1):
    model = Watched()
    view = with_small_pictures(model)
    for _ in range(times):
        list(view.stream(Request("", messages), Interrupt()))
    return model.seen


def test_what_is_short_is_shown_as_it_is_and_the_same_each_time():
    hello = user_says("hello")
    long = Message("computer", (Output("a" * 50),))
    first, second = shown(hello, long, times=2)
    assert first[0] is second[0] is hello
    assert first[1] is second[1]


def test_a_picture_that_is_too_large_is_made_smaller():
    noise = numpy.random.default_rng(0).integers(0, 256, (1400, 1400, 3), dtype="uint8")
    file = io.BytesIO()
    Image.fromarray(noise).save(file, "PNG")
    picture = Display((Face("image/png", file.getvalue()),))
    assert len(file.getvalue()) > LARGEST_PICTURE
    ((seen,),) = shown(Message("user", (picture,)))
    assert len(seen.parts[0].image.data) <= LARGEST_PICTURE


def test_a_picture_that_would_run_a_program_is_not_opened(tmp_path, monkeypatch):
    """Pillow draws PostScript by starting another program."""
    for name in ("gs", "gswin32c"):
        (tmp_path / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/RAN\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    head = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n"
    picture = Display((
        Face("image/png", head + b"% ......\n" * (LARGEST_PICTURE // 8) + b"%%EOF\n"),
    ))
    ((seen,),) = shown(Message("user", (picture,)))
    assert seen.parts == (picture,)
    assert not (tmp_path / "RAN").exists()


def test_a_small_file_that_is_a_vast_picture_is_not_unpacked():
    file = io.BytesIO()
    Image.new("1", (8_000, 8_000)).save(file, "PNG")
    picture = Display((Face("image/png", file.getvalue() + bytes(LARGEST_PICTURE)),))
    ((seen,),) = shown(Message("user", (picture,)))
    assert seen.parts == (picture,)

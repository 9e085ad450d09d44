"""Milliseconds of the desktop on a screen of 1920 by 1080, beside the limits that we set."""

import os
import statistics
import time
from contextlib import closing

from tests.desktop.conftest import displayed, wait_for

from interpreter.desktop.finding.finder import Finder
from interpreter.desktop.finding.reading import ScreenReader
from interpreter.desktop.geometry import fitting
from interpreter.desktop.hands import Hands
from interpreter.desktop.pictures import jpeg

TRIES = 15


def _median(work, tries=TRIES):
    """Milliseconds by the clock, and of our own processor time, which a busy machine bends less."""
    taken, spent = [], []
    for _ in range(tries):
        began, worked = time.perf_counter(), time.process_time()
        work()
        taken.append((time.perf_counter() - began) * 1000)
        spent.append((time.process_time() - worked) * 1000)
    return statistics.median(taken), statistics.median(spent)


def _clicked(app, hands, point):
    before = len(app.state()["clicked"])
    hands.click(point)
    while len(app.state()["clicked"]) == before:
        time.sleep(0.0005)


def measured():
    """Name, milliseconds and limit of each."""
    with displayed(["Xvfb", "-screen", "0", "1920x1080x24"]) as screen:
        os.environ |= screen.environment
        with closing(screen.desktop()) as desktop:
            app, other = screen.start("gtk3"), screen.start("tk", 600, 100)
            box = desktop.monitors()[0].box
            wait_for(lambda: any(e.name == "Cancel" for e in desktop.elements()), "the tree")
            reader = ScreenReader()
            finder, hands = Finder(desktop, reader), Hands(desktop)
            size = fitting(box, 1568, 1_150_000)
            yield (
                "screenshot to bytes for the model",
                _median(lambda: jpeg(desktop.grab(box), size)),
                60,
            )
            point = finder.find("Cancel").box.center
            yield (
                "click until the program handled it",
                _median(lambda: _clicked(app, hands, point)),
                30,
            )
            yield "text by accessibility", _median(lambda: finder.find("Proceed to Checkout")), 300
            reader.lines(desktop.grab(other.window(desktop).box))
            yield "text by reading, whole screen, cold", _median(lambda: finder.read(box), 1), 2500

            def warm():
                reader._screens.clear()
                finder.read(other.window(desktop).box)

            yield "text by reading, a window read before", _median(warm), 200


def main():
    print(f"{'what':40}{'ms':>8}{'cpu ms':>8}{'limit':>8}   (load {os.getloadavg()[0]:.1f})")
    for name, (taken, spent), limit in measured():
        print(f"{name:40}{taken:8.1f}{spent:8.1f}{limit:8}{'' if taken <= limit else '   over'}")


if __name__ == "__main__":
    main()

"""A window of GTK 3 or 4 that writes what happened to it into a file: gtk_app.py 3|4 FILE X Y."""

import json
import sys
from pathlib import Path

import gi

version, path, left, top = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
gi.require_version("Gtk", f"{version}.0")
from gi.repository import GLib, Gtk  # noqa: E402

state = {"text": "", "secret": "", "clicked": [], "scrolled": 0, "drag": [], "keys": []}


def note(**changes):
    state.update(changes)
    with Path(path + ".new").open("w") as file:
        json.dump(state, file)
    Path(path + ".new").replace(path)


def clicked(name):
    return lambda *_: note(clicked=[*state["clicked"], name])


def build(window):
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
    add = box.append if version == "4" else lambda child: box.pack_start(child, False, False, 0)
    entry = Gtk.Entry()
    entry.connect("changed", lambda widget: note(text=widget.get_text()))
    if version == "3":
        entry.get_accessible().set_name("Name")
    add(entry)
    secret = Gtk.PasswordEntry() if version == "4" else Gtk.Entry(visibility=False)
    if version == "3":
        secret.set_input_purpose(Gtk.InputPurpose.PASSWORD)
    secret.connect("changed", lambda widget: note(secret=widget.get_text()))
    add(secret)
    for name in ("Cancel", "Cancel Order", "Proceed to Checkout", "Delete", "Delete"):
        button = Gtk.Button(label=name)
        button.connect("clicked", clicked(name))
        add(button)
    if version == "4":
        window.set_child(box)
    else:
        add_extras(add, window, box)
    note()


def add_extras(add, window, box):
    """What the tests of input need: a drawing place that tells of drags, wheels and keys."""
    from gi.repository import Gdk

    pad = Gtk.EventBox()
    pad.set_size_request(300, 120)
    pad.add_events(Gdk.EventMask.SCROLL_MASK | Gdk.EventMask.BUTTON_MOTION_MASK)
    pad.connect("button-press-event", lambda _w, e: note(drag=[[int(e.x_root), int(e.y_root)]]))
    pad.connect(
        "button-release-event",
        lambda _w, e: note(drag=[*state["drag"], [int(e.x_root), int(e.y_root)]]),
    )
    steps = {Gdk.ScrollDirection.DOWN: 1, Gdk.ScrollDirection.UP: -1}
    pad.connect(
        "scroll-event",
        lambda _w, e: note(scrolled=state["scrolled"] + steps.get(e.direction, 0)),
    )
    pad.get_accessible().set_name("pad")
    add(pad)

    def pressed(_widget, event):
        if event.state & Gdk.ModifierType.CONTROL_MASK:
            name = Gdk.keyval_name(event.keyval)
            shift = "shift+" if event.state & Gdk.ModifierType.SHIFT_MASK else ""
            note(keys=[*state["keys"], f"ctrl+{shift}{name.lower()}"])
        return False

    window.connect("key-press-event", pressed)
    window.add(box)


if version == "4":
    app = Gtk.Application(application_id=None)

    def activate(app):
        window = Gtk.ApplicationWindow(application=app, title=f"GTK {version} shop")
        window.set_default_size(360, 300)
        build(window)
        window.present()

    app.connect("activate", activate)
    app.run([])
else:
    window = Gtk.Window(title=f"GTK {version} shop")
    window.set_default_size(360, 420)
    window.move(left, top)
    build(window)
    window.connect("destroy", Gtk.main_quit)
    window.show_all()
    GLib.timeout_add(0, lambda: False)
    Gtk.main()

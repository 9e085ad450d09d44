"""A kernel that lies: hostile_kernel.py CONNECTION_FILE KIND; runs inside a cell.

It answers the first question as a kernel does; then every block is answered by an attack.
"""

import hashlib
import hmac
import json
import os
import socket
import struct
import sys
import threading
import uuid
from pathlib import Path

import zmq

KNOWN = json.loads(Path(sys.argv[1]).read_text())
KEY = KNOWN["key"].encode()
CONTEXT = zmq.Context()


def bound(channel, kind):
    made = CONTEXT.socket(kind)
    made.linger = 2000
    made.bind(f"{KNOWN['transport']}://{KNOWN['ip']}-{KNOWN[channel + '_port']}")
    return made


class RawPublisher:
    """The output channel by hand, to send what the library would not."""

    def __init__(self):
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{KNOWN['ip']}-{KNOWN['iopub_port']}")
        self._listener.listen()
        self._line = None

    def send_multipart(self, parts):
        for part in parts[:-1]:
            self.send_part(part, more=True)
        self.send_part(parts[-1], more=False)

    def send_part(self, part, *, more):
        if self._line is None:
            self._line = self._listener.accept()[0]
            self._line.sendall(b"\xff" + bytes(8) + b"\x7f\3\0" + b"NULL".ljust(20, b"\0"))
            self._line.sendall(bytes(32) + b"\4\x19\5READY\x0bSocket-Type\0\0\0\3PUB")
            said = b""
            while b"READY" not in said:
                said += self._line.recv(1 << 16)
        self._line.sendall(struct.pack("!BQ", 2 | more, len(part)) + part)


BY_HAND = ("endless message", "endless small parts", "endless part")
SHELL = bound("shell", zmq.ROUTER)
IOPUB = RawPublisher() if sys.argv[2] in BY_HAND else bound("iopub", zmq.PUB)
STDIN, CONTROL = bound("stdin", zmq.ROUTER), bound("control", zmq.ROUTER)
HEART = bound("hb", zmq.REP)


def beat():
    while True:
        HEART.send(HEART.recv())


def signed(body):
    digest = hmac.new(KEY, digestmod=hashlib.sha256)
    for part in body:
        digest.update(part)
    return digest.hexdigest().encode()


def frames(kind, parent, content):
    header = {"msg_id": uuid.uuid4().hex, "msg_type": kind, "session": "x", "version": "5.4"}
    body = [json.dumps(part).encode() for part in (header, parent, {}, content)]
    return [b"<IDS|MSG>", signed(body), *body]


def raw(parent, content):
    """A signed message whose content is these bytes."""
    header = json.dumps({"msg_id": "1", "msg_type": "stream"}).encode()
    body = [header, json.dumps(parent).encode(), b"{}", content]
    return [b"x", b"<IDS|MSG>", signed(body), *body]


def publish(kind, parent, content):
    IOPUB.send_multipart([kind.encode(), *frames(kind, parent, content)])


def reply(who, parent, **content):
    kind = "kernel_info_reply" if parent["msg_type"] == "kernel_info_request" else "execute_reply"
    SHELL.send_multipart([*who, *frames(kind, parent, {"status": "ok", **content})])


def unsigned(parent):
    forged = frames("stream", parent, {"name": "stdout", "text": "FORGED"})
    forged[1] = b"0" * 64
    IOPUB.send_multipart([b"stream", *forged])


def junk(parent):
    for pieces in ([b""], [b"<IDS|MSG>"], [b"\xff" * 999] * 9, [b"<IDS|MSG>", b"", b"", b"", b""]):
        IOPUB.send_multipart(pieces)
    deep = b'{"name": "stdout", "text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    for content in (b"{", b"null", b"[]", b"7", b'"x"', b"\xff", b"NaN", deep, b'{"a":1' * 99):
        IOPUB.send_multipart(raw(parent, content))


def wrong_types(parent):
    strange = (None, 7, -1.5, True, [], {}, [[]], {"a": [1]}, "\ud800", "\0", 10**400, "9" * 9000)
    kinds = ("stream", "display_data", "execute_result", "update_display_data", "clear_output")
    for kind in (*kinds, "error", "reploop_active_line", "status", "input_request", "no_such"):
        for value in strange:
            names = ("name", "text", "data", "transient", "wait", "traceback", "ename", "evalue")
            publish(kind, parent, dict.fromkeys((*names, "line", "prompt"), value))
            publish(kind, parent, {"data": {"image/png": value, "text/html": value, "x": value}})
            publish(kind, parent, {"data": value, "transient": {"display_id": value}})


def replies_to_nothing(who, parent):
    for kind in ("interrupt_reply", "execute_reply", "shutdown_reply", "input_request"):
        for name in ("", "nobody", None, 7):
            strange = {**parent, "msg_id": name}
            for channel in (SHELL, CONTROL, STDIN):
                channel.send_multipart([*who, *frames(kind, strange, {"status": 3})])
    for _ in range(50):
        CONTROL.send_multipart([*who, *frames("interrupt_reply", parent, {})])


def flood(parent):
    text = "x" * 60_000
    for _ in range(1000):
        publish("stream", parent, {"name": "stdout", "text": text})


def giant(parent):
    IOPUB.send_multipart(raw(parent, b'{"name": "stdout", "text": "' + b"x" * (1 << 25) + b'"}'))


def without_end(part):
    while True:
        IOPUB.send_part(part, more=True)


def endless_part(parent):
    IOPUB._line.sendall(struct.pack("!BQ", 2, 1 << 62))
    while True:
        IOPUB._line.sendall(bytes(1 << 20))


def many_values(parent):
    """Small as text, and more than a gigabyte as objects."""
    IOPUB.send_multipart(raw(parent, b'{"name": "stdout", "text": [' + b"[]," * 9_000_000 + b"0]}"))


def unsigned_without_end(parent):
    while True:
        unsigned(parent)


def asks_without_end(who, parent):
    while True:
        STDIN.send_multipart([*who, *frames("input_request", parent, {"prompt": ""})])


ATTACKS = {
    "endless message": lambda who, parent: without_end(bytes(1 << 20)),
    "endless small parts": lambda who, parent: without_end(b""),
    "endless part": lambda who, parent: endless_part(parent),
    "many values": lambda who, parent: many_values(parent),
    "unsigned without end": lambda who, parent: unsigned_without_end(parent),
    "asks without end": asks_without_end,
    "unsigned": lambda who, parent: unsigned(parent),
    "junk": lambda who, parent: junk(parent),
    "wrong types": lambda who, parent: wrong_types(parent),
    "replies to nothing": replies_to_nothing,
    "flood": lambda who, parent: flood(parent),
    "giant": lambda who, parent: giant(parent),
    "strange exit": lambda who, parent: reply(
        who, parent, status="error", ename="SystemExit", evalue="9" * 9000
    ),
    "death": lambda who, parent: os._exit(3),
}


def attack(kind, who, parent):
    if kind == "silence":
        return
    ATTACKS[kind](who, parent)
    publish("stream", parent, {"name": "stdout", "text": "the end"})
    reply(who, parent)
    publish("status", parent, {"execution_state": "idle"})


def main():
    threading.Thread(target=beat, daemon=True).start()
    while True:
        *who, _, _, header, _, _, _ = SHELL.recv_multipart()
        parent = json.loads(header)
        if parent["msg_type"] == "execute_request":
            attack(sys.argv[2], who, parent)
        else:
            reply(who, parent)
            publish("status", parent, {"execution_state": "idle"})


main()

"""Start a program whose changes to files are reported: journal_shim.py SOCKET PROGRAM [WORD ...].

The journal at SOCKET hands over a seccomp program; it is installed here, once, and covers all that
is started from here on. The descriptor on which the calls are reported goes back to the journal.
"""

import array
import ctypes
import os
import platform
import socket
import struct
import sys

SECCOMP = {"x86_64": 317, "aarch64": 277}
NO_NEW_PRIVILEGES = 38
NEW_LISTENER = 1 << 3
WAIT_KILLABLE = 1 << 5  # once a call is reported, only a fatal signal cuts it short
LARGEST_FILTER = 4096 * 8


class Program(ctypes.Structure):
    """A seccomp program as the kernel takes it."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def receive(connection: socket.socket, size: int) -> bytes:
    """Exactly `size` bytes."""
    parts = bytearray()
    while len(parts) < size:
        part = connection.recv(size - len(parts))
        if not part:
            raise OSError("the journal hung up")
        parts += part
    return bytes(parts)


def install(instructions: bytes) -> int:
    """The descriptor on which calls are reported."""
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(instructions, len(instructions))
    program = Program(len(instructions) // 8, ctypes.addressof(buffer))
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    for flags in (NEW_LISTENER | WAIT_KILLABLE, NEW_LISTENER):
        number = SECCOMP.get(platform.machine(), -1)
        listener = libc.syscall(ctypes.c_long(number), 1, flags, ctypes.byref(program))
        if listener >= 0:
            return int(listener)
    code = ctypes.get_errno()
    raise OSError(code, os.strerror(code))


def report(connection: socket.socket, instructions: bytes) -> None:
    """Install the program and send the listener, or the reason why there is none and no start."""
    try:
        listener = install(instructions)
    except OSError as error:
        connection.sendall(b"E" + struct.pack("=I", error.errno or 0))
        raise
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))
    connection.sendmsg([b"L" + struct.pack("=I", 0)], [rights])
    os.close(listener)


def join(address: str) -> None:
    """Get the filter of the journal, and install it for good."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        (size,) = struct.unpack("=I", receive(connection, 4))
        report(connection, receive(connection, min(size, LARGEST_FILTER)))
        receive(connection, 1)


if __name__ == "__main__":
    try:
        join(sys.argv[1])
        os.execvp(sys.argv[2], sys.argv[2:])
    except OSError as error:
        sys.stderr.write(f"cannot start {sys.argv[2:3]} under the file journal: {error}\n")
        sys.exit(126)

"""Run a program where there is no network but this machine's own loopback.

``python alone.py PROGRAM …`` inside a new network namespace (``unshare --net``): brings up loopback
and becomes the program.
"""

import fcntl
import os
import socket
import struct
import sys

SIOCSIFFLAGS = 0x8914
UP_AND_RUNNING = 0x41


def main() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", UP_AND_RUNNING))
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()

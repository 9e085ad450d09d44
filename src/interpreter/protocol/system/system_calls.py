"""Linux system calls by number, for the machines we know, and filters of them as bytes.

Both floors that make filters use these: the sandbox, which refuses, and the journal, which asks to
be told.
"""

from __future__ import annotations

import functools
import os
import struct
import sys
from collections.abc import Sequence

ALLOW, NOTIFY, KILL = 0x7FFF0000, 0x7FC00000, 0x80000000
LOAD, EQUAL, AT_LEAST, ANY_BIT, AND, RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
NUMBER, MACHINE, ARGUMENTS = 0, 4, 16
"""Where the kernel shows a filter the call's number, the machine, and its arguments of 8 bytes."""

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

Line = tuple[int, int, str, str]
"""An instruction: code, operand, and the labels to go to when a test holds or not."""

_TABLE = """
acct:163:89 add_key:248:217 adjtimex:159:171 bind:49:200 bpf:321:280 chmod:90:- chown:92:-
chroot:161:51 clock_adjtime:305:266 clock_settime:227:112 clone:56:220 clone3:435:435 creat:85:-
delete_module:176:106 execve:59:221 execveat:322:281 fallocate:285:47 fanotify_init:300:262
fchmod:91:52 fchmodat:268:53 fchmodat2:452:452 fchown:93:55 fchownat:260:54 finit_module:313:273
fremovexattr:199:16 fsconfig:431:431 fsetxattr:190:7 fsmount:432:432 fsopen:430:430
fspick:433:433 ftruncate:77:46 futimesat:261:- init_module:175:105 io_uring_enter:426:426
io_uring_register:427:427 io_uring_setup:425:425 ioctl:16:29 ioperm:173:- iopl:172:-
ioprio_set:251:30 kcmp:312:272 kexec_file_load:320:294 kexec_load:246:104 keyctl:250:219
lchown:94:- link:86:- linkat:265:37 listmount:458:458 lookup_dcookie:212:18 lremovexattr:198:15
lsetxattr:189:6 migrate_pages:256:238 mkdir:83:- mkdirat:258:34 mknod:133:- mknodat:259:33
mount:165:40 mount_setattr:442:442 move_mount:429:429 move_pages:279:239
name_to_handle_at:303:264 nfsservctl:180:42 open:2:- open_by_handle_at:304:265 open_tree:428:428
open_tree_attr:467:467 openat:257:56 openat2:437:437 perf_event_open:298:241 pidfd_getfd:438:438
pivot_root:155:41 prlimit64:302:261 process_madvise:440:440 process_vm_readv:310:270
process_vm_writev:311:271 ptrace:101:117 quotactl:179:60 quotactl_fd:443:443 reboot:169:142
removexattr:197:14 rename:82:- renameat:264:38 renameat2:316:276 request_key:249:218 rmdir:84:-
sched_getaffinity:204:123 set_tid_address:218:96 setns:308:268 setpriority:141:140
settimeofday:164:170 setxattr:188:5 socket:41:198 statmount:457:457 swapoff:168:225
swapon:167:224 symlink:88:- symlinkat:266:36 syslog:103:116 truncate:76:45 umount2:166:39
unlink:87:- unlinkat:263:35 unshare:272:97 userfaultfd:323:282 utime:132:- utimensat:280:88
utimes:235:- vhangup:153:58
"""


@functools.cache
def numbers(machine: str) -> dict[str, int]:
    """The calls of "x86_64" or "aarch64" that we speak of; none for machines we do not know."""
    if machine not in AUDIT_ARCH:
        return {}
    column = 1 + list(AUDIT_ARCH).index(machine)
    rows = [row.split(":") for row in _TABLE.split()]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


def native() -> str:
    """This machine by its name, if it is one that we know; "" otherwise."""
    known = sys.platform == "linux" and sys.maxsize > 2**32
    return os.uname().machine if known and os.uname().machine in AUDIT_ARCH else ""


def refuse(error: int) -> int:
    """The action that makes a call fail with this error number."""
    return 0x00050000 | error


def assemble(lines: Sequence[Line | str]) -> bytes:
    """The filter as the kernel takes it, an array of sock_filter; a text is a label."""
    labels: dict[str, int] = {}
    program: list[Line] = []
    for line in lines:
        if isinstance(line, str):
            if line in labels:
                raise ValueError(f"two labels {line!r}: a filter would jump past its rules")
            labels[line] = len(program)
        else:
            program.append(line)

    def jump(label: str, here: int) -> int:
        return labels[label] - here - 1 if label else 0

    return b"".join(
        struct.pack("=HBBI", code, jump(yes, here), jump(no, here), operand)
        for here, (code, operand, yes, no) in enumerate(program)
    )

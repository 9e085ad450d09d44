"""What a command does, judged by its words; for shells, and for programs that start commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from interpreter.policies.places import (
    UNKNOWN,
    is_autorun,
    is_broad,
    is_disk,
    is_secret,
    is_system,
)
from interpreter.policies.scan import commands_abroad
from interpreter.policies.scan.command_words import (
    PRIVILEGE,
    Problem,
    Words,
    flags_of,
    operands_of,
    program,
    unwrapped,
)
from interpreter.protocol.values import frozen


def judge(words: Words) -> Iterator[Problem]:
    """What is wrong with one command."""
    if not words:
        return
    if program(words) in PRIVILEGE:
        yield "privilege", f"{words[0]} runs a command with other rights"
    inner = unwrapped(words)
    if _takes_list(words) and program(inner) in ("rm", "shred", "unlink"):
        yield "destructive-delete", f"{program(inner)} removes what a file lists"
    if not inner:
        return
    name, arguments = program(inner), inner[1:]
    for check in _CHECKS.get(name, ()):
        yield from check(name, arguments)
    yield from _by_name(name, inner)
    if name not in _WRITERS:
        yield from _reads(name, arguments)


def _by_name(name: str, words: Words) -> Iterator[Problem]:
    if _MINES.search(" ".join(words)):
        yield "system-change", f"{name} uses the machine to make money for somebody"
    if name.startswith("mkfs"):
        yield "disk-change", f"{name} erases a disk"


_MINES = re.compile(r"(?:^|/)(?:xmrig|minerd|cpuminer|ethminer|cgminer|nbminer)\b|stratum\+")


def _query(name: str, arguments: Words) -> Iterator[Problem]:
    if re.search(r"(?i)\b(?:drop\s+(?:table|database|schema)|truncate\s)", " ".join(arguments)):
        yield "destructive-delete", f"{name} removes what is in a database"


def _takes_list(words: Words) -> bool:
    return program(words) == "xargs" and any(w.startswith(("-a", "--arg-file")) for w in words)


def _reads(name: str, arguments: Words) -> Iterator[Problem]:
    for word in arguments:
        place = word.lstrip("@").rpartition("=")[2].lstrip("@<")
        if is_secret(place):
            yield "credential-read", f"{name} is given {place!r}, which holds secrets"
            return


def _remove(name: str, arguments: Words) -> Iterator[Problem]:
    recursive = bool(flags_of(arguments) & {"-r", "-R", "--recursive"}) or name == "rmdir"
    for place in operands_of(arguments):
        everything = place.rstrip("/").endswith(("*", "~")) or is_system(place)
        if is_broad(place) and (recursive or everything):
            yield "destructive-delete", f"{name} removes {_shown(place)}"
            return


def _find(name: str, arguments: Words) -> Iterator[Problem]:
    acts = "-delete" in arguments or any(
        program([word]) in ("rm", "shred", "unlink")
        for before, word in zip(arguments, arguments[1:], strict=False)
        if before in ("-exec", "-execdir", "-ok")
    )
    runs_code = {"-exec", "-execdir"} & set(arguments) and {"-c"} & set(arguments)
    acts = acts or bool(runs_code and re.search(r"\b(?:rm|unlink|shred)\s", " ".join(arguments)))
    if "-exec" in arguments:
        yield from judge([w for w in arguments[arguments.index("-exec") + 1 :] if w not in "{};+"])
    roots = []
    for word in arguments:
        if word.startswith(("-", "(", "!")):
            break
        roots.append(word)
    narrowed = {"-name", "-iname", "-path", "-regex", "-empty", "-newer"} & set(arguments)
    if acts and (not narrowed or any(is_broad(r) and r not in (".", "./") for r in roots)):
        yield "destructive-delete", "find deletes what it finds"


def _truncate(name: str, arguments: Words) -> Iterator[Problem]:
    for place in operands_of(arguments):
        if place.startswith(("~", "/", "..")) and is_broad(place):
            yield "destructive-delete", f"{name} empties {_shown(place)}"
            return


def _move(name: str, arguments: Words) -> Iterator[Problem]:
    places = operands_of(arguments)
    if len(places) > 1 and places[-1] == "/dev/null":
        yield "destructive-delete", "what is moved to /dev/null is gone"


def _mirror(name: str, arguments: Words) -> Iterator[Problem]:
    places, deletes = operands_of(arguments), [a for a in arguments if a.startswith("--delete")]
    far = len(places) > 1 and places[-1].startswith(("~", "/", "..")) and is_broad(places[-1])
    if deletes and far:
        yield "destructive-delete", f"{name} deletes what is only in {_shown(places[-1])}"


def _overwrite(name: str, arguments: Words) -> Iterator[Problem]:
    yield "destructive-delete", f"{name} destroys the content of files"


def _git(name: str, arguments: Words) -> Iterator[Problem]:
    verb = next(iter(operands_of(arguments)), "")
    rest = arguments[arguments.index(verb) + 1 :] if verb else []
    flags = flags_of(rest)
    losing = {
        "clean": bool(flags & {"-f", "--force"}) and not flags & {"-n", "--dry-run"},
        "reset": "--hard" in flags,
        "push": bool(flags & {"-f", "--force", "--force-with-lease", "--mirror", "--delete"}),
        "checkout": "." in rest or "-f" in flags,
        "restore": "." in rest,
        "branch": "-D" in flags,
        "stash": bool(set(rest) & {"drop", "clear"}),
        "filter-branch": True,
        "reflog": "expire" in rest,
        "update-ref": "-d" in flags,
    }
    if losing.get(verb):
        yield "destructive-delete", f"git {verb} throws work away that git cannot bring back"
    if verb == "config" and any(re.match(_GIT_RUNS, word.lower()) for word in rest):
        yield "persistence", "git config sets a command that git runs later"


_GIT_RUNS = (
    r"core\.(hookspath|pager|editor|sshcommand|fsmonitor)|alias\.|.*\.(process|clean|smudge)$"
)


def _disk(name: str, arguments: Words) -> Iterator[Problem]:
    yield "disk-change", f"{name} changes disks or mounts"


def _copy_blocks(name: str, arguments: Words) -> Iterator[Problem]:
    for word in arguments:
        if word.startswith("of=") and is_disk(word[3:]):
            yield "disk-change", f"dd writes to {word[3:]}"
        if word.startswith("if=") and is_disk(word[3:]):
            yield "disk-change", f"dd reads the disk {word[3:]}"


def _mode(name: str, arguments: Words) -> Iterator[Problem]:
    words = [word for word in arguments if not re.match(r"^--?[a-zA-Z]+$", word) or "+" in word]
    modes, places = words[:1], words[1:]
    for mode in modes:
        if re.search(r"^[0-7]?[0-7]{2}[2367]$|^[2467][0-7]{3}$|[oa]\+\w*w|^\+\w*w|\+\w*s", mode):
            yield "permission-change", f"chmod {mode} opens files to everybody or changes identity"
            return
    if any(is_system(place) or _is_everything(place) for place in places):
        yield "permission-change", f"chmod changes {_shown(places[0])}"


def _owner(name: str, arguments: Words) -> Iterator[Problem]:
    places = operands_of(arguments)[1:]
    recursive = bool(flags_of(arguments) & {"-R", "--recursive"})
    if any(is_system(place) or (recursive and is_broad(place)) for place in places):
        yield "permission-change", f"{name} changes who owns {_shown(places[0])}"


def _attributes(name: str, arguments: Words) -> Iterator[Problem]:
    yield "permission-change", f"{name} changes the rights of files"


def _schedule(name: str, arguments: Words) -> Iterator[Problem]:
    if name == "crontab" and "-l" in arguments:
        return
    yield "persistence", f"{name} makes something run later"


def _service(name: str, arguments: Words) -> Iterator[Problem]:
    verb = next(iter(operands_of(arguments)), "")
    if verb in ("enable", "load", "bootstrap", "link", "submit"):
        yield "persistence", f"{name} {verb} makes something start by itself"
    elif verb not in ("status", "list-units", "list", "show", "cat", "is-active", "print", ""):
        yield "system-change", f"{name} {verb} changes services"


def _system(name: str, arguments: Words) -> Iterator[Problem]:
    yield "system-change", f"{name} changes the system"


def _kill(name: str, arguments: Words) -> Iterator[Problem]:
    chosen = [word for word in operands_of(arguments) if re.search(r"\w{3}.*[\s./:]", word)]
    if name == "pkill" and "-f" in flags_of(arguments) and chosen:
        return  # by its whole command line: one that somebody started for this
    if name != "kill" or {"-1", "1"} & set(arguments[1:] if len(arguments) > 1 else arguments):
        yield "system-change", f"{name} ends processes that may be the user's"


def _edit_in_place(name: str, arguments: Words) -> Iterator[Problem]:
    if name == "sed" and not any(word.startswith(("-i", "--in-place")) for word in arguments):
        return
    yield from writes(operands_of(arguments))


def writes(places: Iterable[str]) -> Iterator[Problem]:
    """What is wrong with writing to these places."""
    for place in places:
        if is_autorun(place):
            yield "persistence", f"{place!r} runs later, by itself"
        elif is_disk(place):
            yield "disk-change", f"{place!r} is a whole disk"
        elif is_secret(place):
            yield "credential-read", f"{place!r} holds secrets"
        elif is_system(place):
            yield "system-change", f"{place!r} belongs to the system"


def opened(place: str, mode: str) -> Iterator[Problem]:
    """What is wrong with opening a file in this mode."""
    if any(letter in mode for letter in "wax+"):
        yield from writes([place])
        if "w" in mode and re.match(r"(?:~|/home|/Users|/root|/srv|/mnt).*/\*", place):
            yield "destructive-delete", "files of a home are overwritten, one by one"
    elif is_secret(place):
        yield "credential-read", f"{place!r} holds secrets"


def _shown(place: str) -> str:
    return repr(place).replace(UNKNOWN, "…") if place else "everything"


def _is_everything(place: str) -> bool:
    return place in ("/", "~", "/*") or place.startswith(("~/*", "$HOME"))


@frozen
class _Group:
    names: tuple[str, ...]
    check: Callable[[str, Words], Iterator[Problem]]


_WRITERS = frozenset({"tee", "cp", "mv", "install", "ln", "touch"})
_GROUPS = (
    _Group(("rm", "rmdir", "unlink", "del", "rd"), _remove),
    _Group(("find",), _find),
    _Group(("truncate",), _truncate),
    _Group(("mv",), _move),
    _Group(("rsync",), _mirror),
    _Group(("shred", "wipe", "srm", "scrub"), _overwrite),
    _Group(("git",), _git),
    _Group(("fdisk", "sfdisk", "parted", "gdisk", "wipefs", "mkswap", "swapoff", "swapon"), _disk),
    _Group(("mount", "umount", "losetup", "cryptsetup", "lvremove", "vgremove", "diskutil"), _disk),
    _Group(("blkdiscard", "hdparm", "format", "zpool", "mdadm"), _disk),
    _Group(("dd",), _copy_blocks),
    _Group(("chmod",), _mode),
    _Group(("chown", "chgrp"), _owner),
    _Group(("chattr", "setfacl", "setcap", "icacls", "takeown"), _attributes),
    _Group(
        ("crontab", "at", "batch", "systemd-run", "schtasks", "update-rc.d", "chkconfig"), _schedule
    ),
    _Group(("systemctl", "launchctl", "service", "initctl"), _service),
    _Group(
        ("shutdown", "reboot", "halt", "poweroff", "init", "telinit", "useradd", "adduser"), _system
    ),
    _Group(("usermod", "userdel", "groupadd", "passwd", "chpasswd", "visudo", "iptables"), _system),
    _Group(("nft", "ufw", "firewall-cmd", "sysctl", "setenforce", "modprobe", "insmod"), _system),
    _Group(("rmmod", "csrutil", "spctl", "update-alternatives", "ldconfig", "vssadmin"), _system),
    _Group(("killall", "pkill", "kill"), _kill),
    _Group(("curl", "wget"), commands_abroad.curl),
    _Group(("scp", "rsync", "sftp", "ftp", "lftp"), commands_abroad.transfer),
    _Group(("aws", "gsutil", "gcloud", "az", "rclone", "gh"), commands_abroad.cloud),
    _Group(("nc", "ncat", "netcat", "socat"), commands_abroad.netcat),
    _Group(("dig", "nslookup", "host", "ping", "traceroute", "drill"), commands_abroad.resolve),
    _Group(("mysql", "psql", "sqlite3", "mariadb", "mongosh", "duckdb"), _query),
    _Group(("getent",), commands_abroad.key_tool),
    _Group(("security", "secret-tool", "keyctl", "pass"), commands_abroad.keychain),
    _Group(("docker", "podman", "nerdctl"), commands_abroad.container),
    _Group(
        ("gpg", "gpg2", "kubectl", "vault", "op", "npm", "ssh-keygen", "git"),
        commands_abroad.key_tool,
    ),
    _Group(("pip", "pip3", "npm", "gem", "cargo", "go", "uv", "yarn"), commands_abroad.install),
    _Group(("nsenter", "chroot", "unshare", "capsh"), commands_abroad.other_world),
    _Group(
        ("history", "fc", "journalctl", "auditctl", "logrotate", "wevtutil"), commands_abroad.traces
    ),
    _Group(("sed", *sorted(_WRITERS)), _edit_in_place),
)
_CHECKS = {
    name: [group.check for group in _GROUPS if name in group.names]
    for group in _GROUPS
    for name in group.names
}

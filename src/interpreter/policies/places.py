"""What kind of place a path names: somebody's keys, what runs by itself, the system, everything."""

from __future__ import annotations

import functools
import re

from interpreter.protocol.system.self_running import GIT, HOME, PROJECT, compiled

UNKNOWN = "\ufffd"
"""Stands for a part of a text that is only known when the block runs."""

_HOME = re.compile(r"^(?:~[\w.-]*|\$\{?HOME\}?|/home/[^/]+|/Users/[^/]+|/root)(?=/|$)")
_SYSTEM = re.compile(
    r"^/(?:etc|usr|bin|sbin|lib\w*|boot|dev|opt|proc|root|run|srv|sys|var|System|Library"
    r"|Applications)(?:/|$)|^[A-Za-z]:[\\/]",
)
_SCRATCH = re.compile(r"^/(?:tmp|var/tmp|dev/shm)/.|^/dev/(?:null|stdout|stderr|tty|fd)\b")
_DISK = re.compile(
    r"^/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper/|loop|dm-|md|mem\b|kmem\b)"
)

_SECRET = re.compile(
    r"""(?:^|/)(?:
        \.ssh/(?!(?:known_hosts|.*\.pub)$).* | id_(?:rsa|dsa|ecdsa|ed25519)
      | \.aws(?:/(?:credentials|config)?)? | \.azure(?:/.*)? | \.gnupg(?:/.*)? | \.netrc | _netrc
      | \.git-credentials | \.npmrc | \.pypirc | \.pgpass | \.my\.cnf | \.vault-token
      | \.docker/config\.json | \.kube/config | \.config/(?:gcloud|gh|hub|rclone|op|doctl)(?:/.*)?
      | \.password-store(?:/.*)? | \.local/share/keyrings(?:/.*)? | Library/Keychains(?:/.*)?
      | (?:login|system)\.keychain(?:-db)? | [^/]*\.kdbx | wallet\.dat
      | \.(?:bash|zsh|python)_history
      | Login\ Data | Cookies | cookies\.sqlite | logins\.json | key4\.db
      | \.env(?:\.(?!example$|sample$|template$)[\w-]+)? | \.envrc
      | etc/(?:g?shadow-? | sudoers(?:\.d/.*)? | ssl/private/.*) | [^/]*_rsa
      | proc/[^/]+/(?:environ|mem) | \.cargo/credentials(?:\.toml)? | credentials\.json
      | service[-_]account[^/]*\.json | \.config/reploop(?:/.*)?
      | \.config/(?:google-chrome|chromium|BraveSoftware)(?:/.*)? | \.mozilla(?:/.*)?
      | \.thunderbird(?:/.*)? | \.databrickscfg | \.s3cfg | \.boto | [^/]+\.(?:p12|pfx|jks)
      | \.(?:cache/)?huggingface/token | \.gem/credentials | \.config/git/credentials
      | \.codex/auth\.json | \.claude\.json | \.terraform\.d/credentials[^/]*
    )$ | \.ssh(?:/\*?)?$""",
    re.VERBOSE,
)
_SYSTEM_START = (
    *("etc/profile", "etc/profile.d/", "etc/bash.bashrc", "etc/environment", "etc/crontab"),
    *("etc/cron.*/", "etc/rc.local", "etc/init.d/", "etc/ld.so.preload", "etc/ld.so.conf"),
    *("etc/ld.so.conf.d/", "etc/pam.d/", "etc/systemd/", "etc/sudoers", "etc/sudoers.d/"),
    *("etc/hosts", "etc/passwd", "etc/udev/", "etc/apt/", "etc/xdg/autostart/"),
    *("lib/systemd/system/", "var/spool/cron/", "Library/LaunchDaemons/"),
    *("Microsoft/Windows/Start Menu/Programs/Startup/", "Microsoft.PowerShell_profile.ps1"),
)


@functools.cache
def _autorun() -> re.Pattern[str]:
    return compiled((*PROJECT, *HOME, *GIT, *_SYSTEM_START))


def _tidy(path: str) -> str:
    path = path.strip().removeprefix("file://").replace("\\", "/")
    path = re.sub(r"^\$\{?HOME\}?|^%USERPROFILE%", "~", path)
    while (shorter := re.sub(r"/(?:\./)+|//+", "/", path)) != path:
        path = shorter
    return re.sub(r"(?<=.)/[^/.][^/]*/\.\.(?=/|$)", "", path)


def is_secret(path: str) -> bool:
    """Whether it holds keys, passwords or histories."""
    return bool(_SECRET.search(_tidy(path)))


def is_autorun(path: str) -> bool:
    """Whether what is written there runs later, by itself."""
    return bool(_autorun().fullmatch(_tidy(path)))


def is_disk(path: str) -> bool:
    """Whether it is a whole disk or the memory."""
    return bool(_DISK.match(_tidy(path)))


def is_system(path: str) -> bool:
    """Whether it belongs to the system."""
    path = _tidy(path)
    return bool(_SYSTEM.match(path)) and not _SCRATCH.match(path)


def is_broad(path: str) -> bool:
    """Whether removing it takes everything, a home, the system, or something nobody can foresee."""
    path = _tidy(path)
    if path in ("/", "/*", "/.", ".", "./", "..", "*", "./*", ".*", "./.*", "~", "~/", "", ".git"):
        return True
    if path.startswith("../") or path.rstrip("/*").endswith("/.git"):
        return True
    if _HOME.match(path):
        return True
    if path.startswith((UNKNOWN, "$")):
        return True
    return path.startswith("/") and not _SCRATCH.match(path)


def is_dear(place: str) -> bool:
    """Whether even a single file there should not be removed unasked."""
    everything = place.rstrip("/").endswith("*") and is_broad(place.removesuffix("*") or ".")
    return everything or is_system(place) or place.startswith("~/") or is_secret(place)


def is_prose(text: str) -> bool:
    """Whether it names no file for sure: ``Cookies`` may be a title, and prose may name a file."""
    return "/" not in text and not text.startswith(".") or " " in text.partition("/")[0]

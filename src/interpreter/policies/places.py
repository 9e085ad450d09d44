"""What kind of place a path names: somebody's keys, what runs by itself, the system, everything."""

from __future__ import annotations

import re

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
_AUTORUN = re.compile(
    r"""(?:^|/)(?:
        \.bashrc | \.bash_(?:profile|login|logout|aliases) | \.profile | \.zsh(?:rc|env)
      | \.zprofile | \.zlogin | \.xinitrc | \.xprofile | \.xsession(?:rc)?
      | \.inputrc | \.vimrc | \.tmux\.conf
      | \.config/(?:fish|autostart|systemd|environment\.d|nvim)/.* | \.local/bin/.*
      | \.gitconfig | \.git/(?:hooks/.*|config) | \.githooks/.* | \.husky/.*
      | \.ssh/(?:authorized_keys|config|rc|environment) | \.envrc | \.direnvrc
      | \.vscode/(?:tasks|settings|launch)\.json | \.idea/.* | \.devcontainer(?:/.*|\.json)
      | (?:site|user)customize\.py | [^/]+\.pth | \.pythonrc(?:\.py)? | \.ipython/.*startup/.*
      | etc/(?:profile(?:\.d/.*)? | bash\.bashrc | environment | crontab | cron\.[^/]+/.*
          | rc\.local | init\.d/.* | ld\.so\.preload | ld\.so\.conf(?:\.d/.*)? | pam\.d/.*
          | systemd/.* | sudoers(?:\.d/.*)? | hosts | passwd | udev/.* | apt/.* | xdg/autostart/.*)
      | lib/systemd/system/.* | var/spool/cron.* | Library/Launch(?:Agents|Daemons)/.*
      | Microsoft/Windows/Start\ Menu/Programs/Startup/.* | Microsoft\.PowerShell_profile\.ps1
    )$""",
    re.VERBOSE,
)


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
    return bool(_AUTORUN.search(_tidy(path)))


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

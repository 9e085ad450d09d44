"""What git itself writes in a git directory, and which of its settings run nothing: the rest waits
for the user."""

from __future__ import annotations

import re

MARKS = frozenset({"HEAD", "objects", "refs", "commondir"})
"""The names by which git takes a directory for a repository, whatever it is called."""

PROBE = re.compile(r"t[A-Za-z0-9]{6}")
"""A link that git makes and removes, to see whether there are links."""

_FILES = re.compile(
    rf"""(?:
        HEAD | [A-Z][A-Z_]*_HEAD | index | packed-refs | shallow | config | description
      | packed-refs\.new | (?:index\.stash\.|next-index-)\d+ | shared_?index[._]\w+
      | shallow_\w+ | tmp_\w+ | {PROBE.pattern}
      | (?:COMMIT|MERGE|SQUASH|TAG|NOTES|GIT_MERGE|BRANCH|EDIT)_(?:EDIT)?(?:MSG|DESCRIPTION)
      | MERGE_(?:MODE|RR|AUTOSTASH) | AUTO_MERGE | RENAMED-REF
      | BISECT_[A-Z_]+ | ADD_EDIT\.patch | addp-hunk-edit\.diff | gc\.(?:pid|log)
      | info/(?:exclude|sparse-checkout|refs|grafts) | info/refs_\w+
      | hooks/[\w.-]+\.sample
    )(?:\.lock)?""",
    re.VERBOSE,
)
_TREES = re.compile(
    r"""(?:objects | refs | logs | rebase-merge | rebase-apply | sequencer | rr-cache
      | NOTES_MERGE_WORKTREE | lfs/(?:objects|tmp|incomplete|cache))(?:/.*)?""",
    re.VERBOSE | re.DOTALL,
)
_INDEX = re.compile(r"index|shared_?index\.\w+")
# Where git looks for objects, too: in whatever directory of the host it is told.
_ELSEWHERE = re.compile(r"objects/info/(?:http-)?alternates(?:\.lock)?")
_DIRECTORIES = frozenset({"hooks", "info", "branches", "lfs"})
_HARMLESS_KEYS = re.compile(
    r"""(?:
        core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase
          |precomposeunicode|symlinks)
      | extensions\.objectformat | user\.(?:name|email) | init\.defaultbranch
      | branch\..+\.(?:remote|merge|pushremote|rebase|description)
    )""",
    re.VERBOSE | re.DOTALL,
)
# A remote that is a name; git also takes an address there, and some addresses name programs.
_REMOTE_KEY = re.compile(r"branch\..+\.(?:remote|pushremote)", re.DOTALL)
_REMOTE_NAME = re.compile(r"\.|[\w][\w./-]*")


def is_git_name(name: str) -> bool:
    """Whether git looks for a repository under this name, on any filesystem."""
    return name.lower() == ".git"


def is_index(path: str) -> bool:
    """Whether a file of a git directory says which files a checkout writes."""
    return bool(_INDEX.fullmatch(path))


def may_write(path: str) -> bool:
    """Whether code may write this file of a git directory.

    The configuration and the index only by a rename, when they are looked at.
    """
    if path == "config" or is_index(path) or _ELSEWHERE.fullmatch(path):
        return False
    return bool(_FILES.fullmatch(path) or _TREES.fullmatch(path))


def may_make_directory(path: str) -> bool:
    """Whether code may make this directory in a git directory."""
    return path in _DIRECTORIES or bool(_TREES.fullmatch(path))


def is_harmless(key: str, value: str) -> bool:
    """Whether a setting of git, as git prints its name, runs nothing and leads nowhere."""
    if _REMOTE_KEY.fullmatch(key):
        return bool(_REMOTE_NAME.fullmatch(value))
    return bool(_HARMLESS_KEYS.fullmatch(key))

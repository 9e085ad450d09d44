"""The places whose content runs by itself: when somebody enters, opens, commits or pushes.

One table for those who scan code, those who close the view of a cell, and those who watch it. A
pattern holds at any depth; a last slash means everything below, and `*` is part of one name. What
runs only when it is asked for (a Makefile, a test, a build script) is ordinary source and not here.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable

PROJECT = (
    # entering a directory
    *(".envrc", ".direnvrc", "mise.toml", "mise.*.toml", ".mise.toml", ".mise.*.toml", ".mise/"),
    *(".config/mise.toml", ".config/mise/", ".rtx.toml", ".tool-versions", ".autoenv.zsh"),
    *(".shadowenv.d/", "bin/activate", "bin/activate.*", "*env/bin/python*", ".corepack.env"),
    *("etc/conda/activate.d/", ".condarc"),
    # opening it in an editor
    *(".vscode/", "*.code-workspace", ".idea/", ".run/", ".fleet/", ".zed/", ".helix/", ".nova/"),
    *("*.sublime-project", ".exrc", ".vimrc", ".nvimrc", ".nvim.lua", ".lvimrc", ".vim/", ".nvim/"),
    *(".dir-locals.el", ".dir-locals-2.el", ".kateproject", ".ycm_extra_conf.py", ".luarc.json"),
    *(".emacs.desktop", "omnisharp.json", ".pylintrc", "pylintrc", ".latexmkrc", "latexmkrc"),
    *(".devcontainer/", ".devcontainer.json", ".gitpod.yml", ".gitpod/", ".replit", ".idx/"),
    # starting an interpreter, a debugger or a tool in it
    *("sitecustomize.py", "usercustomize.py", "*.pth", ".pythonrc", ".pythonrc.py", ".pdbrc"),
    *(".pdbrc.py", "ipython_config.py", "ipython_kernel_config.py", ".ipython/"),
    *("jupyter_config.*", "jupyter_*_config.*", ".jupyter/", ".Rprofile", ".Renviron", ".RData"),
    *("renv/activate.R", ".irbrc", ".pryrc", ".byebugrc", ".rdebugrc", ".bundle/config", ".ghci"),
    *(".iex.exs", ".erlang", ".ocamlinit", ".octaverc", "startup.jl", ".perldb", ".proverc"),
    *(".psysh.php", ".user.ini", ".htaccess", ".gdbinit", ".gdbearlyinit", "*-gdb.py", ".lldbinit"),
    *(".radare2rc", ".valgrindrc", ".gnuplot", "autoexec.sas", "profile.do", ".ripgreprc"),
    # managers of packages, and wrappers that start them
    *(".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn/plugins/", ".yarn/releases/", ".pnpmfile.*"),
    *(".pnp.cjs", ".pnp.*js", "bunfig.toml", ".cargo/config", ".cargo/config.toml"),
    *("rust-toolchain", "rust-toolchain.toml", ".mvn/", "mvnw", "mvnw.cmd", "gradlew"),
    *("gradlew.bat", "gradle/wrapper/", "init.gradle", "init.gradle.kts", ".jvmopts", ".sbtopts"),
    *(".sbtrc", ".bazelrc", ".bazeliskrc", "tools/bazel"),
    # committing, checking out and pushing
    *(".gitconfig", ".gitmodules", ".gitattributes", ".lfsconfig", ".githooks/", ".git-hooks/"),
    *(".husky/", "lefthook.*", ".lefthook.*", "lefthook-local.*", ".lefthook/", ".overcommit.yml"),
    *(".pre-commit-config.yaml", "captainhook.json", ".simple-git-hooks.*", ".lintstagedrc"),
    *(".lintstagedrc.*", "lint-staged.config.*", ".hg/hgrc", ".hg/hgrc-not-shared"),
    *(".hg/sharedpath", ".jj/config.toml", ".jj/repo/config.toml", ".sl/config", ".pijul/config"),
    *(".github/workflows/", ".github/actions/", ".gitea/workflows/", ".forgejo/workflows/"),
    *(".gitlab-ci.yml", ".gitlab/ci/", ".circleci/", ".travis.yml", "azure-pipelines.yml"),
    *("Jenkinsfile", "bitbucket-pipelines.yml", ".drone.yml", ".woodpecker.yml", ".woodpecker/"),
    *(".buildkite/", "appveyor.yml", ".appveyor.yml", "cloudbuild.yaml", "buildspec.yml"),
    # other agents: what they may do, what they start, and what they are told
    *(".mcp.json", ".claude/", ".claude.json", "CLAUDE.md", "CLAUDE.local.md", ".cursor/"),
    *(".cursorrules", ".windsurf/", ".windsurfrules", ".gemini/", "GEMINI.md", ".codex/"),
    *(
        "AGENTS.md",
        "AGENTS.override.md",
        "AGENT.md",
        ".agents/",
        ".aider.conf.yml",
        ".continue/",
        ".clinerules",
    ),
    *(".clinerules/", ".roo/", ".roomodes", ".kiro/", ".qwen/", ".opencode/", "opencode.json"),
    *("opencode.jsonc", ".amp/", ".augment/", ".junie/", ".trae/", ".goosehints", ".openhands/"),
    *("crush.json", ".crush.json", ".github/copilot-instructions.md", ".github/instructions/"),
    *(".github/prompts/", ".github/chatmodes/", ".github/agents/", ".github/hooks/"),
)

HOME = (
    *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile"),
    *(".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".tcshrc", ".cshrc"),
    *(".gitconfig", ".vimrc", ".tmux.conf", ".screenrc", ".inputrc", ".xinitrc", ".xprofile"),
    *(".xsession", ".xsessionrc", ".config/git/", ".config/fish/", ".config/autostart/"),
    *(".config/systemd/", ".config/nvim/", ".config/environment.d/", ".config/direnv/"),
    *(".config/mise/", ".local/bin/", ".local/share/applications/", "Library/LaunchAgents/"),
    *("Library/LaunchDaemons/", ".ssh/authorized_keys", ".ssh/config", ".ssh/rc"),
    *(".ssh/environment", ".julia/config/", ".psqlrc", ".sqliterc", ".curlrc", ".wgetrc"),
)

GIT = (".git", ".git/hooks/", ".git/config", ".git/config.worktree", ".git/commondir")

_SCRIPTS = frozenset(
    f"{when}{what}"
    for when in ("", "pre", "post")
    for what in ("install", "prepare", "publish", "pack", "uninstall", "version", "publishOnly")
) | {"dependencies", "prepublishOnly"}
_MANIFEST = "package.json"  # of which only the scripts matter that run without being asked for
_PLAN = "rebase-merge/git-rebase-todo"  # of which only the commands do: git runs them, going on
_COMMAND = re.compile(rb"^[ \t]*(?:x|exec)(?=[ \t\r\n\0]|\Z).*", re.MULTILINE)


def _regex(pattern: str) -> str:
    below = "(?:/.*)?" if pattern.endswith("/") else ""
    return re.escape(pattern.rstrip("/")).replace(r"\*", "[^/]*") + below


def compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """The patterns as one expression for `fullmatch`."""
    return re.compile(rf"(?:.*/)?(?:{'|'.join(map(_regex, patterns))})", re.I | re.DOTALL)


@functools.cache
def _project() -> re.Pattern[str]:
    return compiled((*PROJECT, *(name for name in HOME if name not in PROJECT)))


@functools.cache
def _holders() -> re.Pattern[str]:
    """Directories of which a part runs by itself, as patterns of their own."""
    parts = (pattern.rstrip("/").split("/") for pattern in (*PROJECT, *HOME))
    return compiled(tuple({"/".join(w[:n]) for w in parts for n in range(1, len(w))}))


def runs_itself(path: str) -> bool:
    """Whether a file of a workspace is such a place. What packages bring is used by nobody so."""
    return bool(_project().fullmatch(path)) and "node_modules" not in path.split("/")


def runs_in_part(path: str) -> bool:
    """Whether a part of a file runs by itself, and the rest of it is ordinary."""
    is_one = f"/{path}".endswith((f"/{_MANIFEST}", f"/{_PLAN}"))
    return is_one and "node_modules" not in path.split("/")


def is_watched(path: str) -> bool:
    """Whether a file, or a part of it, runs by itself."""
    return runs_in_part(path) or runs_itself(path)


@functools.cache
def _last_names() -> re.Pattern[str]:
    """What such a file can be called, to look at few names of many."""
    files = (one for one in (*PROJECT, *HOME, _MANIFEST, _PLAN) if not one.endswith("/"))
    return compiled(tuple({one.rpartition("/")[2] for one in files}))


def watched_among(directory: str, names: Iterable[str]) -> list[str]:
    """Those of the files in a directory for which `is_watched` holds."""
    if "node_modules" in directory.split("/"):
        return []
    if runs_itself(directory):
        return [*names]
    likely = filter(_last_names().fullmatch, names)
    return [name for name in likely if is_watched(f"{directory}/{name}")]


def may_hold(path: str) -> bool:
    """Whether a directory, or a link in its place, would bring such places by its name."""
    return runs_itself(path) or bool(_holders().fullmatch(path))


def parts_that_run(path: str, content: bytes) -> frozenset[object]:
    """What runs by itself in a file for which `runs_in_part` holds; all where it is not clear."""
    if path.endswith(_PLAN):
        return frozenset(_COMMAND.findall(content))
    try:
        scripts = json.loads(content or b"{}").get("scripts", {})
        return frozenset((name, scripts[name]) for name in scripts if name in _SCRIPTS)
    except (ValueError, AttributeError, TypeError, RecursionError):
        return frozenset({content})

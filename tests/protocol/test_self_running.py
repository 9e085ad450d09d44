"""The table of places that run by themselves, held against lists that others keep."""

from functools import partial

import pytest

from interpreter.protocol.system.self_running import (
    is_watched,
    may_hold,
    parts_that_run,
    runs_itself,
)

OTHER_LISTS = {
    "sandboxes of coding agents": """.gitconfig .gitmodules .bashrc .bash_profile .zshrc .zprofile
        .profile .ripgreprc .mcp.json .vscode/settings.json .idea/workspace.xml
        .claude/commands/a.md .claude/agents/a.md .claude/settings.json .codex/config.toml
        .cursor/mcp.json .cursor/rules/a.mdc .gemini/settings.json app.code-workspace""",
    "shells and version managers": ".envrc .tool-versions .mise.toml mise.toml .mise/config.toml",
    "editors": """.vscode/tasks.json .vscode/launch.json .vscode/extensions.json .exrc .vimrc
        .nvim.lua .nvimrc .dir-locals.el .zed/settings.json .zed/tasks.json .idea/runConfigurations/a.xml
        .helix/languages.toml .devcontainer/devcontainer.json .devcontainer.json""",
    "interpreters and debuggers": """.Rprofile .Renviron .pdbrc sitecustomize.py usercustomize.py
        a.pth .gdbinit .lldbinit .irbrc .pryrc .ghci .iex.exs .ocamlinit .erlang .octaverc
        ipython_config.py .ipython/profile_default/startup/a.py jupyter_server_config.py""",
    "packages and builds": """.npmrc .yarnrc .yarnrc.yml .yarn/releases/yarn.cjs .pnp.cjs .pnpmfile.cjs
        .cargo/config.toml .cargo/config rust-toolchain.toml .mvn/extensions.xml
        .mvn/wrapper/maven-wrapper.jar gradle/wrapper/gradle-wrapper.jar gradlew mvnw bunfig.toml
        .bazelrc .bazeliskrc tools/bazel""",
    "version control": """.gitattributes .gitmodules .lfsconfig .husky/pre-commit .githooks/pre-push
        .pre-commit-config.yaml lefthook.yml lefthook.yaml .lefthook.toml .hg/hgrc .overcommit.yml
        .hg/sharedpath .sl/config .pijul/config .jj/repo/config.toml""",
    "continuous integration": """.github/workflows/a.yml .gitlab-ci.yml .circleci/config.yml .travis.yml
        Jenkinsfile azure-pipelines.yml .buildkite/pipeline.yml .drone.yml .woodpecker.yml""",
    "what agents are told": "AGENTS.md CLAUDE.md GEMINI.md .cursorrules .github/copilot-instructions.md",
}  # fmt: skip

ORDINARY = """main.py src/app.ts README.md Makefile CMakeLists.txt setup.py pyproject.toml conftest.py
    tests/conftest.py tox.ini noxfile.py build.rs Cargo.toml go.mod build.gradle pom.xml .gitignore
    .env data.csv notebook.ipynb Dockerfile docker-compose.yml tsconfig.json vite.config.ts
    eslint.config.js .prettierrc .editorconfig requirements.txt environment.yml .python-version .nvmrc
    bin/run.sh gradle/libs.versions.toml .github/CODEOWNERS .github/dependabot.yml docs/index.md
    node_modules/a/.npmrc node_modules/a/.vscode/settings.json app.path envrc vscode/a.json"""


@pytest.mark.parametrize("name", OTHER_LISTS)
def test_what_others_hold_for_dangerous_is_in_the_table(name):
    missing = [path for path in OTHER_LISTS[name].split() if not runs_itself(path)]
    missing += [path for path in OTHER_LISTS[name].split() if not runs_itself(f"deep/down/{path}")]
    assert missing == []


def test_ordinary_files_are_not():
    assert [path for path in ORDINARY.split() if runs_itself(path)] == []


def test_directories_that_hold_such_places_are_known():
    names = ".vscode .cargo .github .mvn gradle gradle/wrapper .husky .claude sub/.idea .yarn"
    assert [name for name in names.split() if not may_hold(name)] == []
    assert [name for name in ["src", "docs", "node_modules", "data"] if may_hold(name)] == []


def test_of_a_manifest_only_what_runs_unasked_matters():
    assert is_watched("a/package.json")
    assert not runs_itself("a/package.json")
    parts = partial(parts_that_run, "a/package.json")
    assert parts(b'{"scripts": {"test": "x", "postinstall": "y"}}') == {("postinstall", "y")}
    assert parts(b"{") == {b"{"}
    assert parts(b'{"scripts": ["install"]}') == {b'{"scripts": ["install"]}'}


def test_of_the_plan_of_a_rebase_only_its_commands_matter():
    plan = ".git/rebase-merge/git-rebase-todo"
    assert is_watched(plan)
    text = b"pick 123 exec\nexec  make\n # exec no\n\tx\tmake all\nexecute\nx"
    assert parts_that_run(plan, text) == {b"exec  make", b"\tx\tmake all", b"x"}

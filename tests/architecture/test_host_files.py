"""Every file that the host opens: by `protocol/safe_files.py`, or listed here with the reason.

Code in a cell can put links, pipes and endless files into the workspace, the exchange directory and
whatever else it may write. A new call that opens a file there fails this test until it goes through
the helper. One that only ever opens the user's own settings or the package's own files belongs into
the list, under the reason why no code can have changed what it opens.
"""

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "interpreter"
HELPER = "protocol/safe_files.py"
OPENING = {
    *("open", "read_text", "read_bytes", "write_text", "write_bytes", "touch", "run_path"),
    *("copyfile", "copy2", "copytree", "copymode", "extractall", "mkfifo", "symlink_to"),
    *("NamedTemporaryFile", "mkstemp", "FileIO", "load_module", "SourceFileLoader"),
}
OF_SHUTIL = {"copy", "move"}

ALLOWED = {
    "the journal works on the workspace by descriptors of its own, and its store is in no cell": {
        "checkpoints/asked_files.py",
        "checkpoints/blocks.py",
        "checkpoints/cell_calls.py",
        "checkpoints/cell_paths.py",
        "checkpoints/git_gate.py",
        "checkpoints/images.py",
        "checkpoints/program_watch.py",
        "checkpoints/programs.py",
        "checkpoints/recorder.py",
        "checkpoints/reversal.py",
        "checkpoints/shadow_git.py",
        "checkpoints/supervisor.py",
        "checkpoints/system_calls.py",
        "checkpoints/trees.py",
    },
    "the guard of files that run by themselves works by descriptors of its own": {
        "policies/autorun.py AutorunGuard.__init__: os.open",
        "policies/autorun.py _content: os.open",
        "policies/autorun.py _opened.__init__: os.open",
        "policies/autorun.py _write: os.open",
    },
    "these open something else than a file": {
        "assembly/walls.py Walls._confined_cell: NoSandbox().open",
        "assembly/walls.py Walls._confined_cell: best.open",
        "assembly/walls.py Walls.open_cell: NoSandbox().open",
        "checkpoints/kept_variables.py KeptVariables.resume: self._vault.open",
        "facade/prepared.py Prepared._open_workshop: self._premises.open",
        "facade/typed.py Interpreter._workshop: self._premises.open",
        "models/downloads_found.py _unpacked: archive.open",
        "models/downloads_wheels.py _append: archive.open",
        "sandboxes/doctor.py _try: sandbox.open",
        "sandboxes/fallback.py FirstThatHolds.open: sandbox.open",
        "session/shown_model.py _scaled_down: Image.open",
        "terminal/face.py LiveFace.show: self._screen.touch",
        "terminal/pictures/pixels.py _opened: pillow.open",
        "terminal/screen.py Screen.print: self.touch",
        "terminal/screen.py Screen.show_live: self.touch",
        "terminal/screen.py Screen.write_raw: self.touch",
    },
    "files of the package itself": {
        "checkpoints/journal.py FileJournal.__init__: _SHIM.read_bytes",
        "checkpoints/language_state.py _node_source: (_INSIDE / 'node_state.js').read_text",
        "checkpoints/language_state.py shell_state: (_INSIDE / f'shell_state.{kind}').read_text",
        "checkpoints/kernel_source.py _source: (_INSIDE / f'variable_{part}.py').read_text",
        "facade/values.py _loaded: INSIDE.read_text",
        "facade/values.py _tools: runpy.run_path",
        "models/catalogue.py read: path.read_text",
        "models/prices.py table: resources.files('interpreter.models').joinpath('prices.json').read_text",
        "runtimes/handover.py copy: source.read_bytes",
        "sandboxes/site.py _compiled: target.open",
        "terminal/wtf.py wtf_command: Path(__file__).with_name('hooks').joinpath(f'wtf.{shell}').read_text",
        "tools/live_variables.py _looked: PROGRAM.read_text",
        "tools/profile_file.py Profiler._run: (INSIDE / PROGRAM).read_text",
        "tools/profile_file.py _content_hash: (INSIDE / PROGRAM).read_bytes",
    },
    "what the kernel shows of processes and groups": {
        "models/machine.py _text: path.read_text",
        "sandboxes/account.py user_namespace: (process / kind).write_text",
        "sandboxes/account.py user_namespace: os.open",
        "assembly/environment.py set_by_program: Path('/proc/self/environ').read_bytes",
        "sandboxes/cgroup.py _own_groups: Path('/proc/self/cgroup').read_text",
        "sandboxes/cgroup.py _set: file.write_text",
        "sandboxes/cgroup.py confine: (group / 'cgroup.procs').write_text",
        "sandboxes/doctor.py _namespace_fix: restricted.read_text",
        "sandboxes/own_directory.py _end_if_marked: Path(f'/proc/{pid}/environ').read_bytes",
        "sandboxes/watchdog.py children: Path(f'/proc/{pid}/task/{pid}/children').read_text",
        "sandboxes/watchdog.py members: Path(f'/proc/{pid}/statm').read_text",
        "sandboxes/watchdog.py proportional_mb: Path(f'/proc/{pid}/smaps_rollup').read_text",
    },
    "the place of a question, held by its descriptor while it is open": {
        "sandboxes/held_place.py HeldPlace.__init__: os.open",
    },
    "a device": {
        "sandboxes/process.py Streams._end: os.open",
        "terminal/commands.py _let_go_of_stdout: os.open",
        "terminal/wtf.py _take_terminal_as_stdin: os.open",
    },
    "the cell's own directory outside of it, which code does not see": {
        "sandboxes/keeper.py Keeper._keep: self._log.open",
        "sandboxes/own_directory.py OwnDirectory.__init__: os.open",
        "sandboxes/own_directory.py _opened: os.open",
        "sandboxes/site.py Site.prepare: site.canary.write_text",
        "sandboxes/site.py _move_all: os.open",
        "sandboxes/walls.py _last_words: log.open",
    },
    "a temporary directory of our own, made for this moment": {
        "policies/semgrep.py Semgrep.__call__: file.write_text",
        "sandboxes/grants.py GrantBook._save: tempfile.mkstemp",
        "terminal/editor.py edit: path.read_text",
        "terminal/editor.py edit: path.write_text",
    },
    "the user's own settings, keys, rules, prices, skills and history, hidden from every cell": {
        "assembly/workshop.py Workshop._import_skills: file.read_text",
        "facade/modules.py NewSkill.save: file.write_text",
        "facade/modules.py Skills.import_skills: file.read_text",
        "facade/modules.py _functions: file.read_text",
        "models/findings.py _read: path.read_text",
        "models/findings.py remember: part.write_text",
        "models/prices.py refresh: source.read_text",
        "models/prices.py refresh: target.write_text",
        "models/prices.py table: refreshed.read_text",
        "policies/rules.py load_rules: path.read_text",
        "sandboxes/grants.py GrantBook._load: self._file.read_text",
        "settings/keys.py _read: path.read_text",
        "settings/keys.py _write: os.open",
        "settings/sources.py gather: file.read_text",
        "settings/sources.py read_file: path.read_text",
        "settings/sources.py write_setting: draft.write_text",
        "terminal/config.py _edit: path.touch",
        "terminal/local_models.py _remember: _memory().write_text",
        "terminal/local_models.py _remembered: _memory().read_text",
        "terminal/prompt.py _history: os.open",
    },
    "the directory of what is kept, hidden from every cell": {
        "assembly/keeping.py _is_in_use: (store / 'lock').open",
        "models/downloads.py _alone: target.with_name(f'.{target.name}.lock').open",
        "models/downloads.py sha256_of: path.open",
        "models/downloads_found.py _model_layer: manifest.read_bytes",
        "models/downloads_found.py _unpacked: part.open",
        "models/downloads_found.py is_gguf: path.open",
        "models/downloads_http.py _one_answer: part.open",
        "models/downloads_wheels.py _copy: part.open",
        "models/downloads_wheels.py _drop_half_a_part: part.open",
        "models/engine_cache.py PromptCache._restore: path.touch",
        "models/engine_cache.py PromptCache.prepare: path.with_suffix(TEXT).write_text",
        "models/engine_cache.py _shared: path.read_text",
        "models/engine_process.py _last_words: _log(options).read_text",
        "models/engine_process.py _one_at_a_time: path.open",
        "models/engine_process.py _spawn: log.open",
        "session/owners.py Owners._lock: os.open",
        "session/blobs.py Blobs.fetch: self._path(digest).read_bytes",
        "session/blobs.py Blobs.keep: os.open",
        "session/schema.py open_database: os.open",
        "terminal/shown_files.py ShownFiles._write: os.open",
        "terminal/shown_files.py ShownFiles._write: path.touch",
    },
    "a file that the user names to be used as it is, outside of any session": {
        "models/scripted.py load: path.read_text",
        "runtimes/kernel_files.py kernel_specs: file.read_text",
        "runtimes/wire.py read_connection: file.read_text",
        "terminal/wtf.py _tail: path.open",
    },
    "a socket, held by its descriptor first": {
        "runtimes/zmtp.py _connected_file: os.open",
    },
}


def opening_calls(node, where=""):
    """The function and the call of everything that opens a file by its path."""
    for child in ast.iter_child_nodes(node):
        named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        inner = f"{where}.{child.name}".lstrip(".") if named else where
        if isinstance(child, ast.Call):
            called = ast.unparse(child.func)
            owner, _, name = called.rpartition(".")
            if owner != "safe_files" and (
                name in OPENING or (owner == "shutil" and name in OF_SHUTIL)
            ):
                yield f"{inner}: {called}"
        yield from opening_calls(child, inner)


def test_every_file_that_the_host_opens_is_opened_with_care_or_listed_with_a_reason():
    found = {
        f"{module.relative_to(SOURCE)} {call}"
        for module in SOURCE.rglob("*.py")
        if "inside" not in module.parts and str(module.relative_to(SOURCE)) != HELPER
        for call in opening_calls(ast.parse(module.read_text()))
    }
    listed = {entry for entries in ALLOWED.values() for entry in entries}
    unlisted = {one for one in found if one not in listed and one.split()[0] not in listed}
    assert unlisted == set(), "use protocol/safe_files.py, or list it with its reason"
    known = found | {one.split()[0] for one in found}
    assert listed - known == set(), "these are gone: take them off the list"


def test_the_test_sees_what_opens_a_file():
    """The control."""
    code = "class A:\n def b(self, p):\n  p.open()\n  open(p)\n  os.open(p)\n  shutil.copy(p, p)"
    seen = set(opening_calls(ast.parse(code)))
    assert seen == {"A.b: p.open", "A.b: open", "A.b: os.open", "A.b: shutil.copy"}

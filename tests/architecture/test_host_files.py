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
        "checkpoints/gates/asked_files.py",
        "checkpoints/journal/kept/blocks.py",
        "checkpoints/journal/cell_calls.py",
        "checkpoints/journal/cell_paths.py",
        "checkpoints/gates/git_gate.py",
        "checkpoints/journal/kept/images.py",
        "checkpoints/gates/program_watch.py",
        "checkpoints/journal/programs.py",
        "checkpoints/journal/recorder.py",
        "checkpoints/journal/kept/reversal.py",
        "checkpoints/shadow_git.py",
        "checkpoints/journal/supervisor.py",
        "checkpoints/journal/system_calls.py",
        "checkpoints/journal/kept/trees.py",
    },
    "the guard of files that run by themselves works by descriptors of its own": {
        "policies/autorun.py AutorunGuard.__init__: os.open",
        "policies/autorun.py _content: os.open",
        "policies/autorun.py _opened.__init__: os.open",
        "policies/autorun.py _write: os.open",
    },
    "these open something else than a file": {
        "assembly/cell/opener.py CellOpener._confined: best.open",
        "assembly/cell/opener.py CellOpener.open: NoSandbox().open",
        "assembly/cell/opener.py CellOpener.open_for_drafts: sandbox.open",
        "assembly/cell/session_cell.py SessionCell._open: self.opener.open",
        "checkpoints/variables/kept.py KeptVariables.resume: self._vault.open",
        "facade/compatible/prepared.py Prepared._open_factory: self._owned_factory.open",
        "facade/typed/interpreter.py Interpreter._factory: self._owned_factory.open",
        "desktop/api/screen.py picture_from: Image.open",
        "desktop/api/system.py Os.open: self._desktop().open",
        "desktop/web/browser.py Browser.search: self.open",
        "desktop/mode/tool.py ComputerTool._do_simply: self._desktop().open",
        "desktop/mode/emergency.py Stoppable.open: self._inner.open",
        "desktop/wayland.py WaylandDesktop._picture: Image.open",
        "models/embedded/found_files.py _unpacked: archive.open",
        "models/embedded/from_wheels.py _append: archive.open",
        "server/api/files.py _add: zipped.open",
        "sandboxes/doctor.py _try: sandbox.open",
        "sandboxes/backends/fallback.py FirstThatHolds.open: sandbox.open",
        "session/request/rewritten_model.py _scaled_down: Image.open",
        "terminal/live_face.py LiveFace.show: self._screen.touch",
        "terminal/render/pictures/pixels.py _opened: pillow.open",
        "terminal/render/screen.py Screen.print: self.touch",
        "terminal/render/screen.py Screen.show_live: self.touch",
        "terminal/render/screen.py Screen.write_raw: self.touch",
    },
    "files of the package itself": {
        "desktop/web/reading.py page_as: MARKDOWN.read_text",
        "checkpoints/journal/client.py FileJournal.__init__: _SHIM.read_bytes",
        "checkpoints/variables/language_state.py _asked_of_node: (INSIDE / 'variables' / 'node_state.js').read_text",
        "checkpoints/variables/language_state.py shell_state: (INSIDE / 'variables' / f'shell_state.{kind}').read_text",
        "facade/typed/values.py _loaded: PROGRAM.read_text",
        "facade/typed/values.py _tools: runpy.run_path",
        "models/embedded/catalogue.py read: path.read_text",
        "models/prices.py table: resources.files('interpreter.models').joinpath('prices.json').read_text",
        "runtimes/handover.py copy: source.read_bytes",
        "protocol/inside_files.py compiled: target.open",
        "terminal/subcommands/wtf.py wtf_command: Path(__file__).with_name('hooks').joinpath(f'wtf.{shell}').read_text",
        "tools/calls/broker.py Broker.serve: (INSIDE / 'functions' / name).read_bytes",
        "assembly/computer/host_calls.py HostCalls.serve: (INSIDE / 'functions' / 'tools_client.py').read_bytes",
        "tools/browse.py VariableBrowser._asked: PROGRAM.read_text",
        "tools/live_variables.py _looked: PROGRAM.read_text",
        "tools/profile_file.py _program: (FOLDER / part).read_text",
        "tools/profile_file.py _program: (FOLDER / PROGRAM).read_text",
    },
    "what the kernel shows of processes and groups": {
        "models/embedded/machine.py _text: path.read_text",
        "sandboxes/cell/account.py user_namespace: (process / kind).write_text",
        "sandboxes/cell/account.py user_namespace: os.open",
        "assembly/cell/opener.py set_by_program: Path('/proc/self/environ').read_bytes",
        "server/hub.py free_megabytes: MEMORY.read_text",
        "sandboxes/limits/cgroup.py _own_groups: Path('/proc/self/cgroup').read_text",
        "sandboxes/limits/cgroup.py _set: file.write_text",
        "sandboxes/limits/cgroup.py confine: (group / 'cgroup.procs').write_text",
        "sandboxes/doctor.py _namespace_fix: restricted.read_text",
        "sandboxes/cell/own_directory.py _end_if_marked: Path(f'/proc/{pid}/environ').read_bytes",
        "sandboxes/limits/watchdog.py children: Path(f'/proc/{pid}/task/{pid}/children').read_text",
        "sandboxes/limits/watchdog.py members: Path(f'/proc/{pid}/statm').read_text",
        "sandboxes/limits/watchdog.py proportional_mb: Path(f'/proc/{pid}/smaps_rollup').read_text",
    },
    "the place of a question, held by its descriptor while it is open": {
        "sandboxes/cell/held_place.py HeldPlace.__init__: os.open",
    },
    "a device": {
        "sandboxes/cell/process.py Streams._end: os.open",
        "terminal/commands.py _let_go_of_stdout: os.open",
        "terminal/subcommands/wtf.py _take_terminal_as_stdin: os.open",
    },
    "the cell's own directory outside of it, which code does not see": {
        "sandboxes/cell/keeper.py CellKeeper._keep: self._log.open",
        "sandboxes/cell/own_directory.py OwnDirectory.__init__: os.open",
        "sandboxes/cell/own_directory.py _opened: os.open",
        "sandboxes/cell/building_site.py BuildingSite.prepare: site.canary.write_text",
        "sandboxes/cell/building_site.py _move_all: os.open",
        "sandboxes/cell/wall_tests.py _last_words: log.open",
    },
    "a temporary directory of our own, made for this moment": {
        "voice/mouths.py SayMouth.say: file.read_bytes",
        "policies/scan/semgrep.py Semgrep.__call__: file.write_text",
        "sandboxes/grants.py GrantBook._save: tempfile.mkstemp",
        "terminal/input/editor.py edit: path.read_text",
        "terminal/input/editor.py edit: path.write_text",
    },
    "the user's own settings, keys, rules, prices, skills and history, hidden from every cell": {
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
        "terminal/subcommands/config.py _edit: path.touch",
        "terminal/subcommands/local_models.py _remember: _memory().write_text",
        "terminal/subcommands/local_models.py _remembered: _memory().read_text",
        "terminal/input/prompt.py _history: os.open",
    },
    "the directory of what is kept, hidden from every cell": {
        "assembly/live/log_file.py LogFile.__init__: os.open",
        "assembly/cell/kept_files.py _is_in_use: (store / 'lock').open",
        "models/embedded/downloads.py _alone: target.with_name(f'.{target.name}.lock').open",
        "models/embedded/downloads.py sha256_of: path.open",
        "models/embedded/found_files.py _model_layer: manifest.read_bytes",
        "models/embedded/found_files.py _unpacked: part.open",
        "models/embedded/found_files.py is_gguf: path.open",
        "models/embedded/from_hub.py _one_answer: part.open",
        "models/embedded/from_npm.py from_npm: part.open",
        "models/embedded/from_npm.py from_npm: tarfile.open",
        "models/embedded/from_wheels.py _copy: part.open",
        "models/embedded/from_wheels.py _drop_half_a_part: part.open",
        "models/embedded/engine_cache.py PromptCache._restore: path.touch",
        "models/embedded/engine_cache.py PromptCache.prepare: path.with_suffix(TEXT).write_text",
        "models/embedded/engine_cache.py _shared: path.read_text",
        "models/embedded/engine_process.py _last_words: _log(options).read_text",
        "models/embedded/engine_process.py _one_at_a_time: path.open",
        "models/embedded/engine_process.py _spawn: log.open",
        "session/store/owners.py Owners._lock: os.open",
        "session/store/blobs.py Blobs.fetch: self._path(digest).read_bytes",
        "session/store/blobs.py Blobs.keep: os.open",
        "session/store/schema.py open_database: os.open",
        "terminal/render/shown_files.py ShownFiles._write: os.open",
        "terminal/render/shown_files.py ShownFiles._write: path.touch",
        "voice/kokoro.py session_in_32_bits: model.open",
        "voice/kokoro.py session_in_32_bits: wider.open",
        "voice/whisper_model.py WhisperModel.__init__: (directory / 'added_tokens.json').read_text",
        "voice/whisper_model.py WhisperModel.__init__: "
        "(directory / 'encoder_model_quantized.onnx').read_bytes",
        "voice/whisper_model.py WhisperModel.__init__: (directory / 'vocab.json').read_text",
    },
    "a file that the user names to be used as it is, outside of any session": {
        "server/certificates.py fingerprint: certificate.read_text",
        "models/scripted.py load: path.read_text",
        "runtimes/kernel/files.py kernel_specs: file.read_text",
        "runtimes/kernel/wire.py read_connection: file.read_text",
        "terminal/subcommands/wtf.py _tail: path.open",
    },
    "a socket, held by its descriptor first": {
        "runtimes/kernel/zmtp.py _connected_file: os.open",
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

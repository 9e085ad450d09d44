"""Variables go back with an undo, and live on when the kernel dies."""

import os
import socket
import sys
import tempfile
from pathlib import Path

import pytest

from interpreter.checkpoints.variables.frozen_copies import CopyRegistry
from interpreter.checkpoints.variables.kept import KeptVariables, Owner
from interpreter.checkpoints.variables.python import PythonVariables, VariableLimits
from interpreter.checkpoints.variables.states import StateReport
from interpreter.checkpoints.variables.vault import Vault
from interpreter.protocol.errors import CheckpointError
from tests.checkpoints.kernels import Kernel
from tests.live import wait_until


@pytest.fixture
def exchange():
    with tempfile.TemporaryDirectory(prefix="rl-") as path:  # short: socket addresses are
        yield Path(path)


@pytest.fixture
def variables(exchange):
    variables = PythonVariables(exchange)
    yield variables
    variables.close()


@pytest.fixture
def kernel(variables, tmp_path):
    kernel = Kernel(variables, sys.executable, tmp_path)
    yield kernel
    kernel.close()


def copies_of(kernel):
    path = Path(f"/proc/{kernel.pid}/task/{kernel.pid}/children")
    return path.read_text().split()


def test_undo_puts_changed_variables_back_and_removes_new_ones(kernel, variables):
    kernel.run("x = 1; y = [1, 2]; z = 'same'")
    kernel.block("b1", "x = 2; y.append(3); new = 4; del z")
    report = variables.restore("b1")
    assert report == StateReport(("x", "y", "z"), ("new",))
    assert kernel.run("print(x, y, z, 'new' in globals())") == "1 [1, 2] same False\n"


def test_a_mutation_in_place_of_an_array_is_undone(kernel, variables):
    kernel.run("import numpy as np; a = np.arange(100_000); b = np.zeros(10); alias = a")
    kernel.block("b1", "a[5] = -1")
    assert variables.restore("b1").restored == ("a", "alias")
    assert kernel.run("print(a[5], alias is a, a.flags.writeable)") == "5 True True\n"


def test_undo_goes_back_several_blocks_and_forward_again(kernel, variables):
    for number in range(1, 4):
        kernel.block(f"b{number}", f"x = {number}; v{number} = 1")
    variables.keep_now("redo-3")
    variables.restore("b2")
    assert kernel.run("print(x, 'v2' in globals())") == "1 False\n"
    variables.restore("redo-3")
    assert kernel.run("print(x, v1, v2, v3)") == "3 1 1 1\n"


def test_functions_and_classes_come_back_and_see_the_variables_of_the_session(kernel, variables):
    kernel.run("factor = 2\ndef double(x): return x * factor\n")
    kernel.run(
        "class Base:\n    def hello(self): return 'base'\n"
        "class Child(Base):\n    def hello(self): return 'child of ' + super().hello()\n"
        "def counter():\n    n = 0\n    def step():\n        nonlocal n; n += 1; return n\n"
        "    return step\nstep = counter(); step(); it = Child()"
    )
    kernel.block("b1", "del double, Child, it, Base; step()")
    variables.restore("b1")
    assert kernel.run("factor = 5; print(double(2), it.hello(), step())") == (
        "10 child of base 2\n"
    )
    assert kernel.run("print(isinstance(it, Child), type(it) is Child)") == "True True\n"


def test_what_did_not_change_is_left_alone(kernel, variables):
    kernel.run("class A: pass\na = A(); n = {'k': [a]}; before = id(n)")
    kernel.block("b1", "other = 1")
    assert variables.restore("b1") == StateReport((), ("other",))
    assert kernel.run("print(id(n) == before)") == "True\n"


def test_what_cannot_be_carried_is_named(kernel, variables):
    kernel.run("import socket; s = socket.socket(); g = (i for i in range(3)); x = 1")
    kernel.block("b1", "x = 2; s.close(); del s")
    report = variables.restore("b1")
    assert report.restored == ("x",)
    assert report.lost == {"s": "socket"}
    assert "s (socket)" in report.sentence()
    assert kernel.run("print(list(g))") == "[0, 1, 2]\n"


def test_the_working_directory_and_the_environment_go_back(kernel, variables, tmp_path):
    (tmp_path / "sub").mkdir()
    kernel.run("import os; os.environ['KEPT'] = 'a'; x = 1")
    kernel.block("b1", "os.chdir('sub'); os.environ['KEPT'] = 'b'; os.environ['NEW'] = '1'; x = 2")
    variables.restore("b1")
    expected = f"{tmp_path} a None\n"
    assert kernel.run("print(os.getcwd(), os.environ['KEPT'], os.environ.get('NEW'))") == expected


@pytest.mark.parametrize("death", ["os._exit(1)", "os.kill(os.getpid(), 9)", "os.abort()"])
def test_a_crash_loses_nothing_but_the_block_that_crashed(kernel, variables, death):
    kernel.run("import numpy as np, os\nimport json as js\na = np.ones((200, 200))")
    kernel.run("def area(): return float(a.sum())")
    kernel.block("b1", "label = 'kept'; alias = a")
    kernel.block("b2", f"label = 'lost'; {death}")
    assert kernel.end.outcome == "died"
    assert kernel.end.summary.endswith("Everything in memory is as it was before this block")
    assert kernel.run("print(alias is a)") == "True\n"
    assert kernel.run("print(area(), label, js.dumps([np.pi > 3]))") == "40000.0 kept [true]\n"


def test_after_a_crash_earlier_blocks_can_still_be_undone(kernel, variables):
    kernel.block("b1", "x = 1")
    kernel.block("b2", "x = 2")
    kernel.die()
    assert variables.restore("b1").removed == ("x",)
    assert kernel.run("print('x' in globals())") == "False\n"


def test_only_so_many_copies_are_kept_and_none_stays_behind(exchange, tmp_path):
    variables = PythonVariables(exchange, VariableLimits(copies=3))
    kernel = Kernel(variables, sys.executable, tmp_path)
    try:
        for number in range(6):
            kernel.block(f"b{number}", f"x = {number}")
        assert variables.kept() == ("b3", "b4", "b5")
        kernel.run("pass")
        with pytest.raises(CheckpointError, match="no longer kept"):
            variables.restore("b1")
        variables.restore("b4")
        assert kernel.run("print(x)") == "3\n"
        pids = [int(pid) for pid in copies_of(kernel)]
    finally:
        variables.close()
        kernel.close()
    for pid in pids:
        assert wait_for_end(pid)


def wait_for_end(pid):
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    import select

    try:
        return bool(select.select([descriptor], [], [], 60)[0])
    finally:
        os.close(descriptor)


def test_where_a_graphics_card_is_in_use_values_are_kept_up_to_a_cap(exchange, tmp_path):
    variables = PythonVariables(exchange, VariableLimits(by_value=1_000_000))
    kernel = Kernel(variables, sys.executable, tmp_path)
    try:
        kernel.run("import sys, types; sys.modules['cupy'] = types.ModuleType('cupy')")
        kernel.run("x = 1; big = bytes(2_000_000)")
        kernel.block("b1", "x = 2; y = 3")
        report = variables.restore("b1")
        assert "x" in report.restored
        assert report.removed == ("y",)
        assert report.lost == {"big": "bytes: too large to keep by value"}
        assert kernel.run("print(x, len(big))") == "1 2000000\n"
        kernel.die()
        assert kernel.end.summary.endswith("not restored: big (bytes: too large to keep by value)")
        assert kernel.run("print(x)") == "1\n"
    finally:
        kernel.close()
        variables.close()


def keep(variables, vault, session="one", level="workspace"):
    """Save what there is, as a session does when it is left."""
    kept = KeptVariables(variables, vault, lambda: Owner(session, level))
    variables.when_used()
    kept.save()
    kept.close()
    return kept


@pytest.fixture
def other_kernel(tmp_path):
    """A kernel of a later session, and what resumes its variables."""
    with tempfile.TemporaryDirectory(prefix="rl-") as exchange:
        variables = PythonVariables(Path(exchange))
        kernel = Kernel(variables, sys.executable, tmp_path)

        def resume(vault, session="one", level="workspace"):
            return KeptVariables(variables, vault, lambda: Owner(session, level)).resume()

        yield kernel, resume
        kernel.close()
        variables.close()


def test_saved_variables_come_back_in_another_session(kernel, variables, other_kernel, tmp_path):
    second, resume = other_kernel
    vault = Vault(tmp_path / "vault")
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra" / "mine.py").write_text("value = 7\n")
    kernel.run(
        "import pandas as pd, sys\nframe = pd.DataFrame({'a': [1, 2]})\n"
        "def f(): return len(frame)\nclass C: x = 1\nc = C()\n"
        f"sys.path.append({str(tmp_path / 'extra')!r})\nimport mine"
    )
    kernel.run(
        "class Odd(Exception):\n    def __init__(self, a, b): super().__init__(a)\n"
        "odd = Odd(1, 2); g = (i for i in [])"
    )
    keep(variables, vault)
    told = resume(vault)
    assert told.startswith("The variables of this session are back: C, Odd, c, f, frame, mine, ")
    assert "not restored: g (generator:" in told
    assert "odd (Odd:" in told
    assert second.run("print(f(), int(frame.a.sum()), c.x, mine.value)") == "2 3 1 7\n"


def test_saved_variables_that_somebody_touched_are_refused(
    kernel, variables, other_kernel, tmp_path
):
    second, resume = other_kernel
    vault = Vault(tmp_path / "vault")
    kernel.run("x = 1")
    keep(variables, vault)
    path = vault.path("one")
    assert path.stat().st_mode & 0o777 == 0o600
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"!")
    assert "not as it was written" in resume(vault)
    vault.path("two").write_bytes(content)
    vault.path("two").with_suffix(".seal").write_bytes(path.with_suffix(".seal").read_bytes())
    assert "not as it was written" in resume(vault, "two")
    path.write_bytes(content)
    path.chmod(0o644)
    assert "not as it was written" in resume(vault)
    assert second.run("print('x' in globals())") == "False\n"


@pytest.mark.parametrize(("level", "back"), [("read-only", True), ("off", False)])
def test_variables_are_not_loaded_with_more_rights_than_they_were_made_with(
    kernel, variables, other_kernel, tmp_path, level, back
):
    second, resume = other_kernel
    vault = Vault(tmp_path / "vault")
    kernel.run("x = 1")
    keep(variables, vault)
    resume(vault, level=level)
    assert second.run("print('x' in globals())") == f"{back}\n"


def test_variables_are_saved_now_and_then_by_a_copy(kernel, variables, other_kernel, tmp_path):
    second, resume = other_kernel
    vault = Vault(tmp_path / "vault")
    kept = KeptVariables(variables, vault, lambda: Owner("one", "workspace"), every=1.0)
    kernel.block("b1", "x = 1")
    wait_until((vault.path("one").with_suffix(".variables")).exists)
    kept.close()
    resume(vault)
    assert second.run("print(x)") == "1\n"


def test_the_oldest_saved_variables_make_room(tmp_path):
    vault = Vault(tmp_path / "vault")
    for number, session in enumerate(("old", "new")):
        with vault.create(session) as file:
            file.write(b"x" * 1000)
            file.flush()
            vault.seal(session, file)
        os.utime(vault.path(session), (number, number))
    vault.shrink(1500)
    assert [vault.path(name).exists() for name in ("old", "new")] == [False, True]
    vault.shrink(100)
    assert not vault.path("new").exists()


def test_where_a_library_has_threads_of_its_own_changed_values_are_handed_over(kernel, variables):
    kernel.run(
        "import _thread; wait = _thread.allocate_lock(); wait.acquire(); x = [1]; alias = x\n"
        "_thread.start_new_thread(wait.acquire, ())"
    )
    kernel.block("b1", "x.append(2); import os; os.environ['NEW'] = '1'")
    report = variables.restore("b1")
    assert report.restored == ("alias", "x")
    assert report.lost == {
        "all else in memory": "1 threads of a library do not survive a fork",
    }
    assert kernel.run("import os; print(x, alias is x, 'NEW' in os.environ)") == "[1] True False\n"


def test_after_such_a_copy_a_crash_loses_only_classes_where_there_is_no_cloudpickle(
    kernel, variables
):
    kernel.run("import sys; sys.modules['cloudpickle'] = None; del sys")
    kernel.run("k = 3\ndef times(x): return x * k\nclass C: pass\nc = C()")
    kernel.run("import _thread, time; _thread.start_new_thread(time.sleep, (1000,))")
    kernel.die()
    assert "k, times, _thread, time restored" in kernel.end.summary
    assert "not restored: C (" in kernel.end.summary
    assert kernel.run("print(times(2))") == "6\n"


def test_after_such_a_copy_a_death_between_two_blocks_loses_no_values(kernel, variables):
    kernel.run("import _thread, time; _thread.start_new_thread(time.sleep, (1000,))")
    kernel.block("b1", "x = [1]")
    variables.settle()
    kernel.die_between_blocks()
    kernel.block("b2", "x.append(2)")
    assert kernel.run("print(x)") == "[1, 2]\n"
    variables.restore("b2")
    assert kernel.run("print(x)") == "[1]\n"


def test_a_copy_that_was_being_made_when_other_code_ran_is_not_gone_back_to(kernel, variables):
    kernel.block("b1", "x = 1")
    variables.touched()  # at once: the copy after b1 has not reported
    kernel.run("x = 7")
    kernel.block("b2", "y = 2")
    variables.restore("b2")
    assert kernel.run("print(x, 'y' in globals())") == "7 False\n"


def test_a_refused_copy_is_hung_up_on_when_it_reports(exchange):
    registry = CopyRegistry(exchange / "r.sock")
    registry.expect("late")
    registry.drop("late")
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(30)
        line.connect(str(exchange / "r.sock"))
        line.sendall(b'{"name": "late", "pid": 1}\n')
        assert line.recv(1) == b""
    assert registry.copies() == []
    registry.close()

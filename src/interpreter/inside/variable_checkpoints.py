"""Variables that can be gone back to: loaded into the user's kernel, where it forks frozen copies.

The host leaves an order: the name of a copy to make before the next block, and of one to make when
the block is over and nobody waits. The kernel forks. The child, a frozen copy, keeps the variables
as they were and waits on a socket; whoever asks is served by a fork of it, so that the copy itself
never changes. It ends when its line to the host is cut.
"""

import asyncio
import contextlib
import gc
import json
import os
import re
import select
import signal
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import IO, Any

ORDER = "next"  # the file in which the host names the copies it wants
A_MOMENT = 0.05  # seconds after a block until its reply is out
REGISTRY = "variables.sock"
WHOLE = b"whole\n"  # tells the host that it has everything
PATIENCE = 120.0  # seconds to wait for a frozen copy
GPU = ("torch", "cupy", "jax", "tensorflow", "pycuda", "numba.cuda")
NAMES = re.compile(r"[A-Za-z0-9-]{1,64}")


class Kernel:
    """The live kernel, as the host commands it; answers are printed as JSON."""

    def __init__(
        self, shell: Any, values: Any, pages: Any, exchange: str, largest_copy: int
    ) -> None:
        self.values = values  # the module variable_values
        self._pages = pages  # the module variable_pages
        self.exchange = exchange
        self.pid = os.getpid()
        self._largest_copy = largest_copy
        self._children: list[int] = []
        values.Session.namespace = shell.user_ns
        values.Session.hidden = shell.user_ns_hidden
        self._later = ""
        self._pending: Any = None
        os.environ.pop("GLIBC_TUNABLES", None)  # ours, and not for the programs that we start
        shell.events.register("pre_run_cell", self.before_block)
        shell.events.register("post_run_cell", self.after_block)

    def path(self, name: str) -> str:
        """A file of ours in the directory shared with the host."""
        return f"{self.exchange}/{name}"

    def before_block(self, info: Any = None) -> None:
        """Make the copy that was ordered for now, if one was, and note the one for later."""
        if self._pending is not None:
            self._pending.cancel()
            self._pending = None
        try:
            with open(self.path(ORDER)) as order:
                now, _, self._later = order.read(200).partition("\n")
            os.unlink(self.path(ORDER))
        except OSError:
            return
        if NAMES.fullmatch(now):
            self.take(now)

    def after_block(self, result: Any = None) -> None:
        """Make the copy that was ordered for later, when the block's reply is on its way."""
        name, self._later = self._later, ""
        if NAMES.fullmatch(name):
            with contextlib.suppress(RuntimeError):  # no loop: the next block makes its own copy
                loop = asyncio.get_running_loop()
                self._pending = loop.call_later(A_MOMENT, self._take_at_leisure, name)

    def _take_at_leisure(self, name: str) -> None:
        busy = self._pages.written_since_the_last_copy()
        self.take(name)
        self._pages.make_ready(busy)

    def take(self, name: str) -> None:
        """Keep the variables as they are under a name."""
        self._reap()
        if not uses_gpu():
            try:
                self._fork(name)
            except OSError:
                pass  # no memory or no process left: keep values instead
            else:
                return
        with open(self.path(f"{name}.values"), "wb") as file:
            self.values.write_values(file, None, self._largest_copy)

    def restore(self, name: str) -> None:
        """Go back to a copy: put changed variables back, remove new ones."""
        began = time.perf_counter()
        if os.path.exists(self.path(f"{name}.frozen")):
            result = self._go_back(name)
        else:
            with open(self.path(f"{name}.values"), "rb") as file:
                result = self._adopt_file(file)
            self._remove_others({*result["restored"], *result["lost"]}, result)
        report(result, began)

    def recover(self, name: str) -> None:
        """Take over everything from a copy, into a kernel that has just started."""
        began = time.perf_counter()
        if os.path.exists(self.path(f"{name}.frozen")):
            result = self._fetch(name, None)
        else:
            with open(self.path(f"{name}.values"), "rb") as file:
                result = self._adopt_file(file)
        report(result, began)

    def resume(
        self, ticket: str, moved: tuple[str, str] | None = None, exact: bool = False
    ) -> None:
        """Take over saved variables from a file that the host has checked and hands over.

        `moved` is where the workspace was and where it is; `exact` removes all other variables.
        """
        began = time.perf_counter()
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(self.path(REGISTRY))
            line.sendall(json.dumps({"ticket": ticket}).encode() + b"\n")
            _, descriptors, _, _ = socket.recv_fds(line, 1, 1)
        with open(descriptors[0], "rb") as file:
            try:
                values, header = self.values.read_values(file)
                if moved and f"{header['cwd']}/".startswith(f"{moved[0]}/"):
                    header["cwd"] = moved[1] + header["cwd"][len(moved[0]) :]
                result = self._adopt(values, header)
                if exact:
                    self._remove_others({*values, *header["lost"]}, result)
            except Exception as error:  # noqa: BLE001 - any object may refuse in its own way
                result = {**nothing(), "failed": f"{type(error).__name__}: {error}"[:200]}
        report(result, began)

    def digests(self) -> None:
        """Print what tells each variable from the same one after it was changed."""
        found = {name: self.values.describe(v) for name, v in self.values.variables().items()}
        print(json.dumps({name: d[0] or f"{d[2]} {d[1]}" for name, d in found.items()}))

    def _go_back(self, name: str) -> dict[str, Any]:
        with self._asking(name, {"want": "digests"}) as file:
            now = {key: self.values.describe(v) for key, v in self.values.variables().items()}
            then = json.loads(file.readline())
        refused = [key for key in then if not then[key][0]]
        changed = [key for key in then if then[key][0] and now.get(key, [0])[0] != then[key][0]]
        result = self._fetch(name, changed) if changed else nothing()
        result["kept"] = {key: then[key][2] for key in refused if now.get(key) == then[key]}
        gone = {key: then[key][2] for key in refused if key not in result["kept"]}
        result["lost"].update(gone)
        self._remove_others(set(then), result)
        return result

    def _remove_others(self, known: set[str], result: dict[str, Any]) -> None:
        for key in [key for key in self.values.variables() if key not in known]:
            del self.values.Session.namespace[key]
            result["removed"].append(key)

    def _fetch(self, name: str, names: list[str] | None) -> dict[str, Any]:
        """Take variables over from a frozen copy; one by one where they do not come together."""
        result = nothing()
        try:
            values, header = self._values_of(name, names)
            return self._adopt(values, header)
        except Exception as error:  # noqa: BLE001 - one bad value must not cost the others
            if names is not None and len(names) == 1:
                result["lost"][names[0]] = f"{type(error).__name__}: {error}"[:200]
                return result
        for each in names if names is not None else self._names_in(name):
            one = self._fetch(name, [each])
            result["restored"] += one["restored"]
            result["lost"].update(one["lost"])
        return result

    def _values_of(self, name: str, names: list[str] | None) -> Any:
        with self._connection(name, {"want": "values", "names": names}) as connection:
            _, descriptors, _, _ = socket.recv_fds(connection, 1, 1)
        try:
            return self.values.map_values(descriptors[0])
        finally:
            os.close(descriptors[0])

    def _names_in(self, name: str) -> list[str]:
        with self._asking(name, {"want": "digests"}) as file:
            return list(json.loads(file.readline()))

    @contextlib.contextmanager
    def _asking(self, name: str, question: dict[str, Any]) -> Iterator[IO[bytes]]:
        with self._connection(name, question) as connection, connection.makefile("rb") as file:
            yield file

    @contextlib.contextmanager
    def _connection(self, name: str, question: dict[str, Any]) -> Iterator[socket.socket]:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(self.path(f"{name}.frozen"))
            connection.sendall(json.dumps(question).encode() + b"\n")
            yield connection

    def _adopt_file(self, file: IO[bytes]) -> dict[str, Any]:
        values, header = self.values.read_values(file)
        return self._adopt(values, header)

    def _adopt(self, values: dict[str, Any], header: dict[str, Any]) -> dict[str, Any]:
        """Put values into the namespace, and the process into the surroundings they come from."""
        self.values.Session.namespace.update(values)
        with contextlib.suppress(OSError):
            os.chdir(header["cwd"])
        if "path" in header:
            sys.path[:] = header["path"]
        if "environ" in header:
            for key in [key for key in os.environ if key not in header["environ"]]:
                del os.environ[key]
            os.environ.update(header["environ"])
        return {**nothing(), "restored": sorted(values), "lost": header["lost"]}

    def _reap(self) -> None:
        """Take note of copies that have ended, so that they do not linger."""
        alive = []
        for pid in self._children:
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(pid, os.WNOHANG)[0] == 0:
                    alive.append(pid)
        self._children = alive

    def _fork(self, name: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other threads do not live on in the copy: meant so
            pid = os.fork()
        if pid == 0:
            try:
                FrozenCopy(self, name).wait()
            finally:
                os._exit(0)
        with contextlib.suppress(OSError):  # it was faster, or is gone already
            os.setpgid(pid, pid)  # before this block can end us: who ends us does not mean the copy
        self._children.append(pid)


class FrozenCopy:
    """A copy of the kernel that waits for questions. No clean-up code of the kernel runs here."""

    def __init__(self, kernel: Kernel, name: str) -> None:
        gc.disable()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        with contextlib.suppress(PermissionError):  # the kernel has moved us already
            os.setsid()  # who ends the kernel with all its children does not mean us
        close_everything()
        self._values = kernel.values
        self._kernel = kernel.pid
        self._path = kernel.path(f"{name}.frozen")
        self._line = socket.socket(socket.AF_UNIX)
        self._line.connect(kernel.path(REGISTRY))
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(self._path)
        self._server.listen(4)
        self._line.sendall(json.dumps({"name": name, "pid": os.getpid()}).encode() + b"\n")

    def wait(self) -> None:
        """Serve until the host hangs up."""
        waiting = select.poll()
        waiting.register(self._line, select.POLLIN)
        waiting.register(self._server, select.POLLIN)
        while True:
            ready = {number for number, _ in waiting.poll()}
            if self._server.fileno() in ready:
                connection, _ = self._server.accept()
                in_a_fork(self._answer, connection)
                connection.close()
            if self._line.fileno() in ready and not self._obey():
                return

    def _obey(self) -> bool:
        """Carry out an order of the host; False when it has hung up."""
        order, descriptors, _, _ = socket.recv_fds(self._line, 1024, 1)
        if order.startswith(b"save ") and descriptors:
            in_a_fork(self._save, descriptors[0], int(order.split()[1]))
        elif order.startswith(b"memory "):
            cost = cost_of([int(pid) for pid in order.split()[1:]], self._kernel)
            self._line.sendall(json.dumps({"memory": cost}).encode() + b"\n")
        for descriptor in descriptors:
            os.close(descriptor)
        return bool(order)

    def _save(self, descriptor: int, largest: int) -> None:
        self._values.Session.lives_on = False
        with open(descriptor, "wb", closefd=False) as file:
            around = {"cwd": os.getcwd(), "search": sys.path}  # no environment: it has secrets
            self._values.write_values(file, None, largest, around)
            file.write(WHOLE)

    def _answer(self, connection: socket.socket) -> None:
        with connection.makefile("rb") as reading, connection.makefile("wb") as writing:
            question = json.loads(reading.readline())
            if question["want"] == "digests":
                variables = self._values.variables().items()
                found = {name: self._values.describe(value) for name, value in variables}
                writing.write(json.dumps(found).encode() + b"\n")
                return
        memory = os.memfd_create("variables")
        with open(memory, "wb", closefd=False) as file:
            self._values.write_values(file, question["names"], None)
        socket.send_fds(connection, [b"v"], [memory])


def uses_gpu() -> bool:
    """Whether a library is loaded that does not survive a fork once it has a device."""
    loaded = [name for name in GPU if name in sys.modules]
    if loaded == ["torch"]:
        return bool(sys.modules["torch"].cuda.is_initialized())
    return bool(loaded)


def close_everything() -> None:
    """Let go of the kernel's sockets and files; streams go nowhere."""
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nowhere, number)
    sys.stdout = sys.stderr = os.fdopen(nowhere, "w")


def in_a_fork(work: Callable[..., None], *arguments: Any) -> None:
    """Do something in a process of its own, so that the copy stays as it is."""
    if os.fork() == 0:
        try:
            work(*arguments)
        finally:
            os._exit(0)


def cost_of(copies: list[int], kernel: int) -> int:
    """The bytes that copies take up beside the kernel that they came from."""
    alone = rolled_up(kernel, "Pss:") - rolled_up(kernel, "Rss:")
    return alone + sum(rolled_up(pid, "Pss:") for pid in copies)


def rolled_up(pid: int, field: str) -> int:
    """A sum over all memory of a process, in bytes; 0 once it has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/smaps_rollup") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))
    return 0


def nothing() -> dict[str, Any]:
    """A result in which nothing was done."""
    return {"restored": [], "removed": [], "kept": {}, "lost": {}}


def report(result: dict[str, Any], began: float) -> None:
    """Print what was done, for the host."""
    result["seconds"] = round(time.perf_counter() - began, 3)
    print(json.dumps(result))

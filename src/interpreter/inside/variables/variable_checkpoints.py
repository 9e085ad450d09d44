"""Variables that can be gone back to: loaded into the user's kernel, where it forks frozen copies.

The host leaves an order: the name of a copy to make before the next block, and of one to make when
the block is over and nobody waits. The kernel forks between two requests, when nothing of its own
is under way. The child, a frozen copy, keeps everything as it was and waits; an undo has it become
the kernel. It ends when its line to the host is cut.
"""

import contextlib
import json
import os
import re
import socket
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from typing import IO, Any

ORDER = "next"  # the file in which the host names the copies it wants
A_MOMENT = 0.004  # seconds after a block until its end is told: a fork would hold that up
PATIENCE = 120.0  # seconds to wait for a frozen copy
GPU = ("torch", "cupy", "jax", "tensorflow", "pycuda", "numba.cuda")
NAMES = re.compile(r"[A-Za-z0-9-]{1,64}")
NOT_CARRIED = {
    "socket": ("socket",),
    "subprocess": ("Popen",),
    "threading": ("Thread",),
    "multiprocessing.process": ("BaseProcess",),
    "multiprocessing.pool": ("Pool",),
    "zmq": ("Socket", "Context"),
}
"""Classes whose values are more than memory: the rest of them does not go over into a copy."""


class Kernel:
    """The live kernel, as the host commands it; answers are printed as JSON."""

    registry = "variables.sock"

    def __init__(self, shell: Any, parts: Any, exchange: str, largest_copy: int) -> None:
        self.values = parts.values  # the module variable_values
        self._pages = parts.pages.BusyPages()
        self._frozen = parts.frozen  # the module variable_frozen
        self.exchange = exchange
        self._largest_copy = largest_copy
        self.app = shell.kernel.parent
        self._later = ""
        self._made = ""  # the last copy
        self._pending: Any = None  # the copy that is to be made in a moment
        self._door = parts.frozen.Door(self.path)  # where that can be asked
        self._frozen.nowhere()
        self._children: list[int] = []
        self._own_threads = set(threading.enumerate())
        self.values.Session.namespace = shell.user_ns
        self.values.Session.hidden = shell.user_ns_hidden
        os.environ.pop("GLIBC_TUNABLES", None)  # ours, and not for the programs that we start
        self.app.before_run = self.before_block
        shell.events.register("post_run_cell", self.after_block)

    def path(self, name: str) -> str:
        """A file of ours in the directory shared with the host."""
        return f"{self.exchange}/{name}"

    async def before_block(self) -> None:
        """Make the copy that was ordered for now, if one was, and note the one for later."""
        self._cancel_the_later()
        try:
            with open(self.path(ORDER)) as order:
                now, _, self._later = order.read(200).partition("\n")
            os.unlink(self.path(ORDER))
        except OSError:
            return
        if NAMES.fullmatch(now):
            await self.app.rest(lambda: self._take(now))
        self._door.open(self._later if NAMES.fullmatch(self._later) else "")

    def after_block(self, result: Any = None) -> None:
        """Make the copy that was ordered for later, when the block's end has been told."""
        name, self._later = self._later, ""
        if NAMES.fullmatch(name):
            self._pending = self._loop.call_later(A_MOMENT, self._take_when_at_rest, name)

    def _take_when_at_rest(self, name: str) -> None:
        self._pending = None
        self.app.when_at_rest(lambda: self._take_at_leisure(name))

    def _take_at_leisure(self, name: str) -> bool:
        self.values.load_pickler()
        self._pages.before_copy()
        is_the_new_kernel = self._take(name)
        if not is_the_new_kernel:
            self._pages.after_copy()
            self._make_pages_ready()
        return is_the_new_kernel

    def _make_pages_ready(self) -> None:
        """A few at a time: a block that comes does not wait for the rest."""
        if self._pages.make_some_ready():
            self._loop.call_soon(self._make_pages_ready)

    def _cancel_the_later(self) -> None:
        """A block begins: the host orders the copy once more, if it still is to be made."""
        self._pages.forget_the_rest()
        if self._pending is not None:
            self._pending.cancel()
            self._pending = None

    @property
    def _loop(self) -> Any:
        return self.app.io_loop.asyncio_loop

    def take(self, name: str) -> None:
        """Keep everything as it is under a name, when this request is over."""
        self.app.when_at_rest(lambda: self._take(name))

    def _take(self, name: str) -> bool:
        """Keep everything as it is under a name; True in a copy that has become the kernel."""
        if name == self._made:
            return False  # it was ordered once more before it had reported
        self._reap()
        if not uses_gpu():
            with contextlib.suppress(OSError):  # no memory or no process left: keep values instead
                return self._fork(name)
        draft = self.path(f"{name}.draft")
        with open(draft, "wb") as file:
            self.values.write_values(file, None, self._largest_copy)
        os.replace(draft, self.path(f"{name}.values"))
        self._made = name
        return False

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
            line.connect(self.path(self.registry))
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

    def compare(self, name: str) -> None:
        """Print which variables going back to a copy will change, as far as that is soon known."""
        with self._asking(name, {"want": "digests", "quickly": True}) as file:
            now = self.values.descriptions(quickly=True)
            then = json.loads(file.readline())
        result = nothing()
        result["removed"] = [key for key in now if key not in then]
        result["restored"] = sorted(key for key in then if differ(then[key], now.get(key)))
        result["unseen"] = any(not one[0] for one in (*now.values(), *then.values()))
        report(result, time.perf_counter())

    def digests(self) -> None:
        """Print what tells each variable from the same one after it was changed."""
        found = self.values.descriptions()
        print(json.dumps({name: d[0] or f"{d[2]} {d[1]}" for name, d in found.items()}))

    def _go_back(self, name: str) -> dict[str, Any]:
        with self._asking(name, {"want": "digests", "quickly": False}) as file:
            now = self.values.descriptions()
            then = json.loads(file.readline())
        refused = [key for key in then if not then[key][0]]
        changed = [key for key in then if then[key][0] and now.get(key, [0])[0] != then[key][0]]
        result = self._fetch(name, changed)  # also when it is none: the surroundings come along
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
        with self._asking(name, {"want": "digests", "quickly": True}) as file:
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

    def _fork(self, name: str) -> bool:
        self._frozen.end_idle_threads()
        server = self._door.handed_over(name)
        surroundings = self._frozen.Surroundings()
        news, tell = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other threads do not live on in the copy: meant so
            pid = os.fork()
        if pid == 0:
            os.close(tell)
            return self._freeze(name, surroundings, news, server)
        os.close(news)
        server.close()
        with contextlib.suppress(OSError):  # it was faster, or is gone already
            os.setpgid(pid, pid)  # before this block can end us: who ends us does not mean the copy
        self._children.append(pid)
        with contextlib.suppress(OSError), open(tell, "w") as news_of_threads:
            json.dump(self._threads(), news_of_threads)
        self._made = name
        return False

    def _freeze(self, name: str, surroundings: Any, news: int, server: Any) -> bool:
        """Be a frozen copy, until the host hangs up or makes us the kernel."""
        try:
            copy = self._frozen.FrozenCopy(self, name, surroundings, news, server)
            address = copy.wait()
        except BaseException:  # noqa: BLE001 - nobody is there to hear of it
            os._exit(1)
        try:
            self.app.succeed(address)
            lost = copy.leave()  # last: what was done before has drawn random numbers
            self._children, self._later = [copy.left_behind], ""
            self._cancel_the_later()
            self._door.forget()
            self._own_threads = set(threading.enumerate())
            lost.update({f"thread {one}": "threads do not live on" for one in copy.threads})
            lost.update(self._not_carried())
            copy.tell(became=os.getpid(), copy=copy.left_behind, lost=dict(list(lost.items())[:50]))
        except BaseException as error:  # noqa: BLE001 - the kernel that there is goes on
            copy.tell(failed=f"{type(error).__name__}: {error}"[:200])
            os._exit(1)
        return True

    def _threads(self) -> dict[str, Any]:
        """The user's threads; and why a copy must not run on: threads that a fork breaks.

        It is asked after a fork, before which libraries that know of forks have ended theirs.
        """
        foreign = self._frozen.foreign_threads()
        users = [one.name for one in threading.enumerate() if one not in self._own_threads]
        fixed = f"{len(foreign)} threads of a library do not survive a fork" if foreign else ""
        return {"threads": users[:20], "fixed": fixed}

    def _not_carried(self) -> dict[str, str]:
        """The variables that are more than memory."""
        found = {}
        for module, names in NOT_CARRIED.items():
            kinds = [getattr(sys.modules.get(module), name, None) for name in names]
            for name, value in self.values.variables().items():
                if isinstance(value, tuple(kind for kind in kinds if isinstance(kind, type))):
                    found[name] = type(value).__name__
        return found


def differ(then: list[Any], now: list[Any] | None) -> bool:
    """Whether two descriptions are of different values; where it is not known, they are not."""
    if now is None or then[2] != now[2]:
        return True
    if then[0] and now[0]:
        return bool(then[0] != now[0])
    return bool(then[1] != now[1])


def uses_gpu() -> bool:
    """Whether a library is loaded that does not survive a fork once it has a device."""
    loaded = [name for name in GPU if name in sys.modules]
    if loaded == ["torch"]:
        return bool(sys.modules["torch"].cuda.is_initialized())
    return bool(loaded)


def nothing() -> dict[str, Any]:
    """A result in which nothing was done."""
    return {"restored": [], "removed": [], "kept": {}, "lost": {}}


def report(result: dict[str, Any], began: float) -> None:
    """Print what was done, for the host."""
    result["seconds"] = round(time.perf_counter() - began, 3)
    print(json.dumps(result))

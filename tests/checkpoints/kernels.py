"""A real IPython kernel with variables that can be gone back to."""

import contextlib
import os
import shutil
import signal
import tempfile

from jupyter_client import KernelManager
from jupyter_client.kernelspec import KernelSpec


class Kernel:
    """A kernel that runs blocks, and, silently, what the host asks of it."""

    def __init__(self, variables, python, cwd, wrap=lambda argv: argv):
        self._variables = variables
        argv = wrap([python, "-m", "ipykernel_launcher", "-f", "{connection_file}"])
        self._sockets = tempfile.mkdtemp(prefix="rk-")
        connection = f"{self._sockets}/c.json"
        self._manager = KernelManager(transport="ipc", connection_file=connection)
        self._manager.ip = f"{self._sockets}/k"
        self._manager._kernel_spec = KernelSpec(argv=argv, display_name="t", language="python")
        self._cwd = cwd
        self._start()

    def _start(self):
        self._manager.start_kernel(cwd=str(self._cwd))
        self._client = self._manager.blocking_client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=60)
        self.silently(self._variables.bootstrap())
        self._variables.attach(self.silently)

    @property
    def pid(self):
        return self._manager.provisioner.pid

    def run(self, source):
        """Run a block; what it printed or showed."""
        return self._execute(source, silent=False)

    def silently(self, source):
        """Run source without a trace; what it printed."""
        return self._execute(source, silent=True)

    def _execute(self, source, *, silent):
        texts = []

        def show(message):
            content = message["content"]
            if message["msg_type"] == "stream":
                texts.append(content["text"])
            elif message["msg_type"] == "execute_result":
                texts.append(content["data"]["text/plain"])
            elif message["msg_type"] == "error":
                texts.append(f"{content['ename']}: {content['evalue']}")

        self._client.execute_interactive(
            source, silent=silent, output_hook=show, timeout=100, allow_stdin=False
        )
        return "".join(texts)

    def block(self, name, source):
        """Run a block before which the variables are kept."""
        self._variables.before(name)
        return self.run(source)

    def die(self, signal_number=signal.SIGKILL):
        """Kill the process and notice it."""
        os.kill(self.pid, signal_number)
        self.bury()

    def bury(self):
        self._client.stop_channels()
        self._manager.provisioner.process.wait(60)
        self._variables.died()

    def start_again(self):
        """What the runtime does after a death."""
        self._manager.cleanup_resources(restart=True)
        self._start()

    def close(self):
        with contextlib.suppress(RuntimeError):
            self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)
        shutil.rmtree(self._sockets)

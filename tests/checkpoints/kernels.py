"""Our Python kernel, with variables that can be gone back to."""

import os
import signal

from interpreter.checkpoints.variables.python import ENVIRONMENT
from interpreter.protocol.events import DisplayShown, ExecutionFinished, OutputDelta
from interpreter.runtimes.kernel.python import PythonOptions, python_kernel
from interpreter.sandboxes.backends.none import OpenCell
from tests.live import wait_until


class Kernel:
    """A kernel that runs blocks, before which everything is kept."""

    def __init__(self, variables, python, cwd, wrap=lambda argv: argv, open_cell=OpenCell):
        self._variables = variables
        self._cell = open_cell(cwd)

        def launch(argv, **options):
            return self._cell.launch(wrap(argv), **options)

        options = PythonOptions(python=python, env=ENVIRONMENT, companion=variables)
        self.runtime = python_kernel(launch, self._cell.exchange, options)
        self.end = None
        self.run("None")

    @property
    def pid(self):
        return int(self._variables._run("print(__import__('os').getpid())"))

    def run(self, source):
        """Run a block; what it printed or showed, and the error that it ended with."""
        texts = []
        for event in self.runtime.run(source):
            if isinstance(event, OutputDelta):
                texts.append(event.text)
            elif isinstance(event, DisplayShown):
                texts.append(event.display.text)
            elif isinstance(event, ExecutionFinished):
                self.end = event
        return "".join(texts)

    def block(self, name, source):
        """Run a block before which the variables are kept."""
        self._variables.before(name)
        printed = self.run(source)
        self._variables.after()
        return printed

    def die(self, signal_number=signal.SIGKILL):
        """Kill the process in the middle of a block."""
        self.block("death", f"import os; os.kill(os.getpid(), {int(signal_number)})")
        assert self.end.outcome == "died"

    def die_between_blocks(self):
        """Kill the process while nothing runs, and wait until that is known."""
        os.kill(self.pid, signal.SIGKILL)
        wait_until(self.runtime._host.gone)

    def close(self):
        self.runtime.close()
        self._cell.close()

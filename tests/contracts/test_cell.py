"""What every cell promises to the runtimes that live in it, with walls or without."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading

import pytest

from interpreter.sandboxes.backends.bubblewrap import BubblewrapSandbox
from interpreter.sandboxes.backends.landlock import LandlockSandbox
from interpreter.sandboxes.backends.none import NoSandbox
from interpreter.sandboxes.confinement import Confinement, interpreter_places

HANG = 60


def bubblewrap(**options):
    return BubblewrapSandbox(Confinement(programs=interpreter_places()), os.environ, **options)


def landlock():
    return LandlockSandbox(Confinement(programs=interpreter_places()), os.environ)


SANDBOXES = {
    "none": NoSandbox,
    "bubblewrap": bubblewrap,
    "bubblewrap without live grants": lambda: bubblewrap(live=False),
    "landlock": landlock,
}


@pytest.fixture(params=SANDBOXES)
def cell(request, tmp_path):
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    cell = SANDBOXES[request.param]().open(workspace)
    yield cell
    cell.close()


def output_of(cell, *argv, **options):
    program = cell.launch(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    with program.stdout:
        text = program.stdout.read().decode()
    assert program.wait(HANG) == 0, text
    return text


def test_a_program_reads_its_input_and_writes_its_output(cell):
    program = cell.launch(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with program.stdin as stdin, program.stdout as stdout:
        stdin.write(b"hello")
        stdin.close()
        assert stdout.read() == b"hello"
    assert program.wait(HANG) == 0
    assert program.returncode == program.poll() == 0


def test_standard_error_is_a_stream_of_its_own(cell):
    program = cell.launch(
        ["sh", "-c", "echo out; echo err >&2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with program.stdout, program.stderr:
        assert (program.stdout.read(), program.stderr.read()) == (b"out\n", b"err\n")
    program.wait(HANG)


def test_streams_can_be_descriptors_and_the_null_device(cell, tmp_path):
    with (tmp_path / "out").open("wb") as file:
        program = cell.launch(
            ["sh", "-c", "cat; echo out; echo err >&2"],
            stdin=subprocess.DEVNULL,
            stdout=file.fileno(),
            stderr=subprocess.STDOUT,
        )
        assert program.wait(HANG) == 0
    assert (tmp_path / "out").read_text() == "out\nerr\n"


def test_programs_start_in_the_workspace_or_where_they_are_told(cell):
    below = cell.workspace / "below"
    below.mkdir()
    assert output_of(cell, "pwd") == f"{cell.workspace}\n"
    assert output_of(cell, "pwd", cwd=below) == f"{below}\n"


def test_variables_are_added_to_those_of_the_cell(cell):
    script = 'test -n "$PATH" && echo $GREETING'
    assert output_of(cell, "sh", "-c", script, env={"GREETING": "hi"}) == "hi\n"


def test_files_of_the_workspace_are_written_outside_too(cell):
    output_of(cell, "sh", "-c", "echo made > made")
    assert (cell.workspace / "made").read_text() == "made\n"


def test_passed_descriptors_keep_their_numbers(cell):
    pipes = [os.pipe() for _ in range(3)]
    writers = [writing for _, writing in pipes]
    script = "; ".join(f"printf {fd} > /dev/fd/{fd}" for fd in writers)
    output_of(cell, "bash", "-c", script, pass_fds=writers)
    for reading, writing in pipes:
        os.close(writing)
        assert os.read(reading, 10) == str(writing).encode()
        os.close(reading)


def descriptors_in(cell, **options):
    """Those that a program has, but for its streams; what lists them is closed again."""
    lists = "import os; found = [int(n) for n in os.listdir('/proc/self/fd')]"
    tells = "print([n for n in sorted(found) if n > 2 and os.path.exists(f'/proc/self/fd/{n}')])"
    return output_of(cell, sys.executable, "-c", f"{lists}; {tells}", **options)


def test_descriptors_that_are_not_passed_stay_outside(cell):
    assert descriptors_in(cell) == "[]\n"


@pytest.fixture
def careless_host():
    """Holds many descriptors that programs would inherit; few low numbers are free."""
    opened = [os.open("/", os.O_RDONLY) for _ in range(300)]
    for number in opened:
        os.set_inheritable(number, True)
    free = [opened.pop(0) for _ in range(4)]
    for number in free:
        os.close(number)
    yield
    for number in opened:
        os.close(number)


def test_nothing_that_the_host_left_open_is_inherited(careless_host, cell):
    assert descriptors_in(cell) == "[]\n"
    reading, writing = os.pipe()
    assert descriptors_in(cell, pass_fds=[writing]) == f"[{writing}]\n"
    for end in (reading, writing):
        os.close(end)


def test_a_program_that_wants_room_beforehand_gets_what_it_writes(cell):
    ask = "import os; f = os.open('big', os.O_RDWR | os.O_CREAT); os.posix_fallocate(f, 0, 99_999)"
    assert output_of(cell, sys.executable, "-c", f"{ask}; print(os.fstat(f).st_size)") == "99999\n"


def test_a_program_that_is_not_there_is_told_as_popen_tells_it(cell):
    with pytest.raises(FileNotFoundError):
        cell.launch(["no-such-program"])
    with pytest.raises(PermissionError):
        cell.launch(["/etc/passwd"])


def test_an_exit_status_and_a_signal_are_told_as_popen_tells_them(cell):
    assert cell.launch(["sh", "-c", "exit 7"]).wait(HANG) == 7
    sleeper = cell.launch(["sleep", "600"])
    sleeper.kill()
    assert sleeper.wait(HANG) == -signal.SIGKILL


def test_waiting_ends_after_the_time_given(cell):
    sleeper = cell.launch(["sleep", "600"])
    assert sleeper.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        sleeper.wait(0.01)
    sleeper.kill()
    sleeper.wait(HANG)


def test_several_threads_may_wait_for_one_program(cell):
    program = cell.launch(["cat"], stdin=subprocess.PIPE)
    statuses = []
    waiters = [
        threading.Thread(target=lambda: statuses.append(program.wait(HANG))) for _ in range(3)
    ]
    for waiter in waiters:
        waiter.start()
    program.stdin.close()
    for waiter in waiters:
        waiter.join(HANG)
    assert statuses == [0, 0, 0]


def test_a_signal_reaches_the_program(cell):
    program = cell.launch(
        ["bash", "-c", "trap 'echo caught; exit 3' USR1; echo up; while :; do read -t 9 x; done"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with program.stdout, program.stdin:
        assert program.stdout.readline() == b"up\n"
        program.send_signal(signal.SIGUSR1)
        assert program.stdout.read() == b"caught\n"
    assert program.wait(HANG) == 3


def test_a_group_signal_reaches_what_the_program_started_even_after_it(cell):
    program = cell.launch(["sh", "-c", "sleep 600 & echo up"], stdout=subprocess.PIPE)
    assert program.wait(HANG) == 0
    with program.stdout:
        assert program.stdout.readline() == b"up\n"
        program.signal_group(signal.SIGKILL)
        assert program.stdout.read() == b""  # the orphan held it open


def test_signals_to_a_program_that_has_ended_do_nothing(cell):
    program = cell.launch(["true"])
    program.wait(HANG)
    program.send_signal(signal.SIGTERM)
    program.kill()
    program.signal_group(signal.SIGTERM)
    assert program.returncode == 0


def test_many_programs_run_at_once_and_each_reports_its_own_end(cell):
    programs = [cell.launch(["sh", "-c", f"exit {number}"]) for number in range(40)]
    assert [program.wait(HANG) for program in programs] == list(range(40))


def test_a_long_command_and_much_output_get_through(cell):
    word = "x" * 100_000
    assert output_of(cell, "echo", word) == word + "\n"
    count = output_of(cell, "sh", "-c", "head -c 5000000 /dev/zero | tr '\\0' y")
    assert len(count) == 5_000_000


def test_a_null_byte_in_an_argument_is_refused(cell):
    with pytest.raises(ValueError, match="null"):
        cell.launch(["echo", "a\0b"])


def test_a_socket_in_the_exchange_directory_connects_both_sides(cell):
    path = cell.exchange / "s"
    program = cell.launch(
        [
            sys.executable,
            "-c",
            "import socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]);"
            "s.listen();"
            "print('up', flush=True); s.accept()[0].sendall(b'hello')",
            str(path),
        ],
        stdout=subprocess.PIPE,
    )
    with program.stdout, socket.socket(socket.AF_UNIX) as client:
        assert program.stdout.readline() == b"up\n"
        client.connect(str(path))
        assert client.recv(100) == b"hello"
    assert program.wait(HANG) == 0


def test_bash_keeps_its_state_between_lines(cell):
    program = cell.launch(["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with program.stdin as stdin, program.stdout as stdout:
        stdin.write(b"x=41\necho $((x + 1))\n")
        stdin.flush()
        assert stdout.readline() == b"42\n"
    program.wait(HANG)


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed here")
def test_node_runs(cell):
    assert (
        output_of(cell, "node", "-e", "console.log([1, 2, 3].map(x => x * 2).join())") == "2,4,6\n"
    )


def test_a_jupyter_kernel_answers_over_sockets_in_the_exchange_directory(cell):
    from jupyter_client import BlockingKernelClient
    from jupyter_client.connect import write_connection_file

    file = str(cell.exchange / "c.json")
    write_connection_file(file, transport="ipc", ip=str(cell.exchange / "k"))
    program = cell.launch(
        [sys.executable, "-m", "ipykernel_launcher", "-f", file],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    client = BlockingKernelClient(connection_file=file)
    client.load_connection_file()
    client.start_channels()
    try:
        client.kernel_info(reply=True, timeout=HANG)
        client.execute("x = 41", reply=True, timeout=HANG)
        expressions = {"answer": "x + 1"}
        reply = client.execute("", user_expressions=expressions, reply=True, timeout=HANG)
        answer = reply["content"]["user_expressions"]["answer"]
        assert answer["data"]["text/plain"] == "42"
    finally:
        client.stop_channels()
        program.kill()
        program.wait(HANG)


def test_closing_removes_the_exchange_directory(cell):
    (cell.exchange / "left").write_text("over")
    cell.close()
    assert not cell.exchange.exists()


def test_a_cell_says_what_it_confines(cell):
    assert "sandboxed" in cell.describe()
    assert "\n" not in cell.describe()

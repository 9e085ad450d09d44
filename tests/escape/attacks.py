"""Attempts to leave a cell. Each prints ESCAPED when it gets out, and "held" when it is refused.

`HARMLESS` ones are also run without a sandbox, where they must escape: that proves that they bite.
"""

PREAMBLE = """
import ctypes, errno, glob, json, os, resource, signal, socket, struct, subprocess, sys, time
facts = json.loads(sys.argv[1])
home, outside, workspace = facts["home"], facts["outside"], facts["workspace"]
libc = ctypes.CDLL(None, use_errno=True)
def refused(call, *arguments, **options):
    try:
        call(*arguments, **options)
    except OSError:
        return True
    return False
def verdict(held):
    print("held" if held else "ESCAPED")
def syscall(number, *arguments):
    result = libc.syscall(number, *arguments)
    return result, ctypes.get_errno()
def read(path):
    with open(path, "rb") as file:
        return file.read(1000)
"""

HARMLESS = {
    "read a private key": 'verdict(refused(read, home + "/.ssh/id_rsa"))',
    "read our own keys": 'verdict(refused(read, home + "/.config/reploop/keys"))',
    "read a file outside": 'verdict(refused(read, outside + "/file"))',
    "read a key through a link in the workspace": 'verdict(refused(read, "link/id_rsa"))',
    "read a key by going up": 'verdict(refused(read, "../.ssh/id_rsa"))',
    "read a key by /proc/self/root": 'verdict(refused(read, "/proc/self/root" + home + "/.ssh/id_rsa"))',
    "write a file outside": 'verdict(refused(open, outside + "/new", "w"))',
    "write to the home": 'verdict(refused(open, home + "/new", "w"))',
    "append to .bashrc": 'verdict(refused(open, home + "/.bashrc", "a"))',
    "find a key in the environment": 'verdict("CANARY" not in os.environ.values())',
    "find a key in any process": """
found = []
for path in glob.glob("/proc/*/environ"):
    try:
        found.append(b"CANARY" in open(path, "rb").read())
    except OSError:
        pass
verdict(found and not any(found))""",
    "connect to a port of this machine": 'verdict(refused(socket.create_connection, ("127.0.0.1", facts["tcp"]), 3))',
    "send a datagram to this machine": """
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); udp.connect(("127.0.0.1", facts["udp"]))
udp.send(b"x"); udp.settimeout(0.3)
try:
    udp.recv(1)
except ConnectionRefusedError:
    verdict(True)
except TimeoutError:
    verdict(False)""",
    "connect to a socket file": """
unix = socket.socket(socket.AF_UNIX)
verdict(refused(unix.connect, facts["unix"]))""",
    "connect to an abstract socket": """
unix = socket.socket(socket.AF_UNIX)
verdict(refused(unix.connect, "\\0" + facts["abstract"]))""",
    "write a git hook": 'verdict(refused(open, workspace + "/.git/hooks/pre-commit", "w"))',
    "change the git configuration": 'verdict(refused(open, workspace + "/.git/config", "a"))',
    "rename the hooks away": """
old, new = workspace + "/.git/hooks", workspace + "/.git/hooks2"
held = refused(os.rename, old, new)
if not held:
    os.rename(new, old)
verdict(held)""",
    "rename .git away": """
old, new = workspace + "/.git", workspace + "/.git2"
held = refused(os.rename, old, new)
if not held:
    os.rename(new, old)
verdict(held)""",
    "rename the workspace away": """
held = refused(os.rename, workspace, workspace + "2")
if not held:
    os.rename(workspace + "2", workspace)
verdict(held)""",
    "signal a process outside": 'verdict(refused(os.kill, facts["pid"], 0))',
    "limit a process outside": """
try:
    now = resource.prlimit(facts["pid"], resource.RLIMIT_CPU)
    resource.prlimit(facts["pid"], resource.RLIMIT_CPU, now)
    verdict(False)
except OSError:
    verdict(True)""",
    "slow a process outside down": """
now = os.getpriority(os.PRIO_PROCESS, 0)
verdict(refused(os.setpriority, os.PRIO_PROCESS, facts["pid"], now))""",
    "see a process outside": """
def command_line(pid):
    try:
        return read(f"/proc/{pid}/cmdline")
    except OSError:
        return b""  # it has ended since
seen = [pid for pid in os.listdir("/proc") if pid.isdigit() and b"driver" b".py" in command_line(pid)]
verdict(not seen)""",
    "see the network of this machine": 'verdict([name for _, name in socket.if_nameindex()] == ["lo"] and not os.path.exists("/sys/class/net"))',
    "look into /run": 'verdict(os.listdir("/run") == [])',
    "look into /sys": 'verdict(not os.path.exists("/sys/kernel"))',
    "find a disk in /dev": 'verdict(set(os.listdir("/dev")) <= set("console core fd full null ptmx pts random shm stderr stdin stdout tty urandom zero".split()))',
}

WALK = """
def can_be_written(path):
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC))
    except OSError:
        return False
    return True
def writable_below(top, passed_over=lambda name: False):
    for place, directories, files in os.walk(top):
        if place == top:
            directories[:] = [name for name in directories if not passed_over(name)]
        yield from filter(can_be_written, (place + "/" + name for name in files))
def is_of_a_process(name):
    return name.isdigit() or name in ("self", "thread-self")
"""

ROOT_ONLY_CONTROL = {
    "write a setting of the kernel": WALK
    + """
found = [*writable_below("/proc", is_of_a_process), *writable_below("/sys")]
verdict(not found)""",
    "choose the program that takes core files": WALK
    + 'verdict(not can_be_written("/proc/sys/kernel/core_pattern"))',
    "make a hard link to a system file": """
held = refused(os.link, "/etc/passwd", workspace + "/hard")
if not held:
    os.unlink(workspace + "/hard")
verdict(held)""",
    "write into /dev": """
held = refused(open, "/dev/new", "w")
if not held:
    os.unlink("/dev/new")
verdict(held)""",
    "read the password file": 'verdict(refused(read, "/etc/shadow") or read("/etc/shadow") == b"")',
    "write into /etc": """
held = refused(open, "/etc/reploop-escape", "w")
if not held:
    os.unlink("/etc/reploop-escape")
verdict(held)""",
    "write into /usr/bin": """
held = refused(open, "/usr/bin/reploop-escape", "w")
if not held:
    os.unlink("/usr/bin/reploop-escape")
verdict(held)""",
}

RISKY = {
    "kill everything": """
refused(os.kill, -1, 0)
verdict(refused(os.kill, facts["pid"], 9))""",
    "read by /proc/1/root": """
found = []
for path in ("/proc/1/root", "/proc/1/cwd/.."):
    found.append(not refused(read, path + home + "/.ssh/id_rsa"))
verdict(not any(found))""",
    "trace the launcher": "verdict(libc.ptrace(16, 1, 0, 0) == -1)",
    "read another process's memory": """
buffer = ctypes.create_string_buffer(8)
local = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8)
remote = (ctypes.c_void_p * 2)(id(facts), 8)
verdict(libc.process_vm_readv(os.getppid(), local, 1, remote, 1, 0) == -1)""",
    "ask the cloud for credentials": 'verdict(refused(socket.create_connection, ("169.254.169.254", 80), 3))',
    "resolve a name": 'verdict(refused(socket.getaddrinfo, "example.org", 443))',
    "send to a name server": """
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
verdict(refused(udp.sendto, b"x", ("8.8.8.8", 53)))""",
    "open a raw socket": "verdict(refused(socket.socket, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))",
    "open a packet socket": "verdict(refused(socket.socket, socket.AF_PACKET, socket.SOCK_RAW, 0))",
    "open a virtual machine's socket": "verdict(refused(socket.socket, 40, socket.SOCK_STREAM))",
    "connect by IPv6": """
six = socket.socket(socket.AF_INET6)
verdict(refused(six.connect, ("2001:4860:4860::8888", 53)))""",
    "make a user namespace by unshare": "verdict(libc.unshare(0x10000000) == -1)",
    "make a user namespace by clone": 'verdict(syscall(56 if os.uname().machine == "x86_64" else 220, 0x10000011, 0, 0, 0, 0)[0] == -1)',
    "make a namespace by clone3": "verdict(syscall(435, 0, 0)[1] == errno.ENOSYS)",
    "make a time namespace": "verdict(libc.unshare(0x80) == -1)",
    "mount something": 'verdict(libc.mount(b"x", b"/tmp", b"tmpfs", 0, None) == -1)',
    "unmount a wall": 'verdict(libc.umount2((home + "/.ssh").encode(), 2) == -1 and libc.umount2(b"/usr", 2) == -1)',
    "make a read-only mount writable": 'verdict(libc.mount(None, b"/usr", None, 0x20 | 0x1000, None) == -1)',
    "mount by the new calls": 'verdict(syscall(430, b"tmpfs", 0)[0] == -1 and syscall(428, -100, b"/", 1)[0] == -1)',
    "change the root": 'verdict(libc.chroot(b"/tmp") == -1)',
    "enter another namespace": 'verdict(libc.setns(os.open("/proc/self/ns/net", 0), 0) == -1)',
    "use io_uring": "verdict(syscall(425, 8, ctypes.create_string_buffer(256)) == (-1, errno.ENOSYS))",
    "read the kernel log": "verdict(libc.klogctl(3, ctypes.create_string_buffer(100), 100) == -1)",
    "load a program into the kernel": 'verdict(syscall(321 if os.uname().machine == "x86_64" else 280, 0, 0, 0)[1] == errno.EPERM)',
    "use a file handle": "verdict(libc.open_by_handle_at(-100, 0, 0) == -1 and ctypes.get_errno() == errno.EPERM)",
    "become root by su": 'verdict(subprocess.run(["su", "-c", "true"], stdin=subprocess.DEVNULL, capture_output=True).returncode != 0) if os.getuid() else verdict(True)',
    "gain a capability": """
held = [line.split()[1] for line in open("/proc/self/status") if line.startswith(("CapEff", "CapPrm", "CapAmb"))]
verdict(all(int(word, 16) == 0 for word in held) and "NoNewPrivs:\t1" in open("/proc/self/status").read())""",
    "type into the terminal": """
import fcntl, pty
leader, follower = pty.openpty()
verdict(refused(fcntl.ioctl, follower, 0x5412, b"x"))""",
    "type into the terminal with high bits set": """
import pty
leader, follower = pty.openpty()
libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p]
verdict(libc.ioctl(follower, 0xffffffff00005412, b"x") == -1)""",
    "use 32-bit calls": """
import mmap
if os.uname().machine != "x86_64":
    verdict(True)
else:
    code = bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3])  # mov eax, 20 (getpid); int 0x80; ret
    page = mmap.mmap(-1, 4096, prot=7)
    page.write(code)
    call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    verdict(call() < 0)""",
    "use calls with the x32 bit": """
verdict(os.uname().machine != "x86_64" or syscall(0x40000000 | 101, 16, 1, 0, 0) == (-1, errno.ENOSYS))""",
    "use a descriptor that leaked": """
fds = [int(fd) for fd in os.listdir("/proc/self/fd")]
verdict(sorted(fds)[:3] == [0, 1, 2] and len(fds) == 4)""",
    "reach outside through the launcher's descriptors": """
try:
    found = [f"/proc/1/fd/{name}" for name in os.listdir("/proc/1/fd")]
except PermissionError:
    found = []
verdict(all(refused(os.readlink, path) for path in found))""",
    "write into the launcher's memory": 'verdict(refused(open, "/proc/1/mem", "r+b", 0))',
    "read the launcher's memory": 'verdict(refused(open, "/proc/1/mem", "rb", 0))',
    "write into any other process's memory": """
child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
held = [refused(open, path, "r+b", 0) for path in glob.glob("/proc/[0-9]*/mem")]
child.communicate(b"\\n")
verdict(len(held) >= 3 and all(held))""",
    "write through the launcher's memory map files": """
held = [refused(open, path, "r+b") for path in glob.glob("/proc/1/map_files/*")[:50]]
verdict(all(held))""",
    "allocate too much memory": """
try:
    bytearray(2 << 30)
except MemoryError:
    verdict(True)
else:
    verdict(False)""",
    "fill /tmp": """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def several():
    for number in range(10):
        with open(f"/tmp/big{number}", "wb") as file:
            for _ in range(10):
                file.write(bytes(1 << 20)); file.flush()
verdict(refused(several))
for path in glob.glob("/tmp/big*"):
    os.unlink(path)""",
    "fill /dev/shm": """
def several():
    for number in range(10):
        with open(f"/dev/shm/big{number}", "wb") as file:
            for _ in range(10):
                file.write(bytes(1 << 20)); file.flush()
verdict(refused(several))
for path in glob.glob("/dev/shm/big*"):
    os.unlink(path)""",
    "write a huge file": """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def write():
    with open("huge", "wb") as file:
        for _ in range(40):
            file.write(bytes(1 << 20)); file.flush()
verdict(refused(write))
os.unlink("huge")""",
    "raise a limit": """
try:
    resource.setrlimit(resource.RLIMIT_DATA, (1 << 40, 1 << 40))
except (ValueError, OSError):
    verdict(True)
else:
    verdict(False)""",
    "leave a core file": "verdict(resource.getrlimit(resource.RLIMIT_CORE) == (0, 0))",
    "open many files": """
files = []
def many():
    for _ in range(10000):
        files.append(os.open("/dev/null", 0))
verdict(refused(many))""",
}

REDUCED_GAPS = {
    "connect to a socket file",
    "write a git hook",
    "change the git configuration",
    "rename the hooks away",
    "rename .git away",
    "see a process outside",
    "look into /sys",
    "see the network of this machine",
    "reach outside through the launcher's descriptors",
}
"""What Landlock does not stop: the guard after each block watches git; the rest is documented."""

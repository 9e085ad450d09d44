"""Ways to start a program that is denied: each pushes to the repository beside it."""

PUSH = "push -q remote REF"
GIT_PUSH = f"git {PUSH}"

SHELL = {
    "plainly": GIT_PUSH,
    "by its path": f"/usr/bin/{GIT_PUSH}",
    "by a path with detours": f"/usr/bin/../../usr/./bin/{GIT_PUSH}",
    "in another directory": f"git -C . {PUSH}",
    "without a pager": f"git --no-pager {PUSH}",
    "with a setting": f"git -c a.b=c {PUSH}",
    "with a directory": f"git --git-dir=.git {PUSH}",
    "with two directories": f"git --git-dir .git --work-tree . {PUSH}",
    "with many settings": f"git $(printf -- '-c a.b=c %.0s' {{1..1500}}) {PUSH}",
    "through env": f"env {GIT_PUSH}",
    "through env with a variable": f"env A=b {GIT_PUSH}",
    "through an empty env": f'env -i PATH="$PATH" HOME="$HOME" {GIT_PUSH}',
    "through command": f"command {GIT_PUSH}",
    "through exec": f"exec {GIT_PUSH}",
    "through a shell": f"bash -c '{GIT_PUSH}'",
    "through two shells": f"""sh -c "bash -c '{GIT_PUSH}'" """,
    "in a here document": f"bash <<'END'\n{GIT_PUSH}\nEND",
    "in a here string": f"bash <<< '{GIT_PUSH}'",
    "by eval": f"eval {GIT_PUSH}",
    "by eval of encoded text": 'eval "$(printf Z2l0 | base64 -d) push -q remote REF"',
    "by a substitution": f"$(echo git) {PUSH}",
    "by a variable": f"g=git; $g {PUSH}",
    "by an array": "a=(git push -q remote REF); ${a[@]}",
    "by quotes": """g'i't "pu"sh -q remote REF""",
    "by a backslash": f"\\{GIT_PUSH}",
    "by hexadecimal text": "$'\\x67it' push -q remote REF",
    "by braces": "{git,push,-q,remote,REF}",
    "by a pattern": f"/usr/bin/gi[t] {PUSH}",
    "through xargs": f"echo {PUSH} | xargs git",
    "through find": f"find . -maxdepth 0 -exec {GIT_PUSH} \\;",
    "through nohup": f"nohup {GIT_PUSH}",
    "through timeout": f"timeout 60 {GIT_PUSH}",
    "through nice": f"nice {GIT_PUSH}",
    "through setsid": f"setsid -w {GIT_PUSH}",
    "through stdbuf": f"stdbuf -o0 {GIT_PUSH}",
    "through time": f"time {GIT_PUSH}",
    "from a pipe": f"echo '{GIT_PUSH}' | sh",
    "from a sourced pipe": f"source <(echo {GIT_PUSH})",
    "from a file of a pipe": f"bash <(echo {GIT_PUSH})",
    "in a function": f"f() {{ {GIT_PUSH}; }}; f",
    "in a function of another name": f'status() {{ git "$@"; }}; status {PUSH}',
    "in an alias": f"shopt -s expand_aliases; alias ls=git\nls {PUSH}",
    "in an alias of its own": "git -c alias.p=push p -q remote REF",
    "in a shell alias of its own": "git -c alias.p='!git push' p -q remote REF",
    "in an alias from variables": (
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.st GIT_CONFIG_VALUE_0=push git st -q remote REF"
    ),
    "in a trap": f"trap '{GIT_PUSH}' EXIT",
    "in the background": f"{GIT_PUSH} & wait",
    "in a loop": "for v in push; do git $v -q remote REF; done",
    "from where git keeps its programs": f'"$(git --exec-path)"/{GIT_PUSH}',
    "by a link": f'ln -sf "$(command -v git)" harmless; ./harmless {PUSH}',
    "by a copy": f'cp "$(command -v git)" harmless2; ./harmless2 {PUSH}',
    "by a copy with a longer path": f'mkdir -p d; cp "$(command -v git)" d/ls; PATH=d:$PATH ls {PUSH}',
    "under another name": f"exec -a harmless {GIT_PUSH}",
    "by a script": f"printf '#!/bin/sh\\n{GIT_PUSH}\\n' > s; chmod +x s; ./s",
    "by a script of env": f"printf '#!/usr/bin/env bash\\n{GIT_PUSH}\\n' > t; chmod +x t; ./t",
    "by the loader": f"$(echo /lib64/ld-linux-*.so.2 /lib/ld-linux-*.so.1 | tr ' ' '\\n' | "
    f"grep -v '*' | head -1) /usr/bin/{GIT_PUSH}",
    "by the loader under another name": "$(echo /lib64/ld-linux-*.so.2 /lib/ld-linux-*.so.1 | "
    f"tr ' ' '\\n' | grep -v '*' | head -1) --argv0 ls /usr/bin/{GIT_PUSH}",
    "from awk": f"awk 'BEGIN {{ system(\"{GIT_PUSH}\") }}'",
    "from perl": f"perl -e 'system(qw({GIT_PUSH}))'",
    "from tar": f"tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='{GIT_PUSH}' .git",
    "from sed": f"echo | sed '1e {GIT_PUSH}'",
}

_PYTHON = "import ctypes, os, subprocess, sys, threading\n"
_PYTHON += "argv = ['git', 'push', '-q', 'remote', 'REF']\nlibc = ctypes.CDLL(None)\n"
_C_ARGV = (
    "strings = [s.encode() for s in argv]\n"
    "array = (ctypes.c_char_p * (len(strings) + 1))(*strings, None)\n"
    "environment = (ctypes.c_char_p * 3)(b'PATH=/usr/bin:/bin', b'HOME=/tmp', None)\n"
)
_NUMBERS = "execve, execveat = (59, 322) if os.uname().machine == 'x86_64' else (221, 281)\n"

PYTHON = {
    "as a list": "subprocess.run(argv)",
    "as a text": "subprocess.run(' '.join(argv), shell=True)",
    "with another first word": "subprocess.run(['ls', *argv[1:]], executable='/usr/bin/git')",
    "by system": "os.system(' '.join(argv))",
    "by popen": "os.popen(' '.join(argv)).read()",
    "by execv": "os.execv('/usr/bin/git', argv)",
    "by execvp after fork": "os.fork() or os.execvp('git', argv); os.wait()",
    "by spawnv": "os.spawnv(os.P_WAIT, '/usr/bin/git', argv)",
    "by posix_spawn": "os.waitpid(os.posix_spawn('/usr/bin/git', argv, os.environ), 0)",
    "by C's system": "libc.system(' '.join(argv).encode())",
    "in a thread": "t = threading.Thread(target=subprocess.run, args=(argv,)); t.start(); t.join()",
    "by an open file": "os.execve(os.open('/usr/bin/git', os.O_RDONLY), argv, os.environ)",
    "by an open file and another first word": (
        "os.execve(os.open('/usr/bin/git', os.O_RDONLY), ['ls', *argv[1:]], os.environ)"
    ),
    "from memory": (
        "fd = os.memfd_create('x', 0)\nos.write(fd, open('/usr/bin/git', 'rb').read())\n"
        "os.execve(fd, ['ls', *argv[1:]], os.environ)"
    ),
    "from memory by a path": (
        "fd = os.memfd_create('x', 0)\nos.write(fd, open('/usr/bin/git', 'rb').read())\n"
        "os.execv(f'/proc/self/fd/{fd}', ['ls', *argv[1:]])"
    ),
    "by number": _C_ARGV + _NUMBERS + "libc.syscall(execve, b'/usr/bin/git', array, environment)",
    "by number below a directory": _C_ARGV
    + _NUMBERS
    + "fd = os.open('/usr/bin', os.O_PATH)\nlibc.syscall(execveat, fd, b'git', array, environment, 0)",
    "by number of an open file": _C_ARGV + _NUMBERS + "fd = os.open('/usr/bin/git', os.O_PATH)\n"
    "libc.syscall(execveat, fd, b'', array, environment, 0x1000)",
    "through getattr": "getattr(__import__('sub' + 'process'), 'r' + 'un')(argv)",
}
PYTHON = {name: _PYTHON + source for name, source in PYTHON.items()}

ALL = [("shell", name, source) for name, source in SHELL.items()]
ALL += [("python", name, source) for name, source in PYTHON.items()]

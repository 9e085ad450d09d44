"""Ways to read, to change and to reach what rules deny: files by their paths, hosts by name."""

KEY = "secrets/key.txt"
READS = {
    "plainly": f"cat {KEY}",
    "with detours": "cat ./secrets/../secrets//./key.txt",
    "by an absolute path": f'cat "$PWD/{KEY}"',
    "by a pattern": "cat s*/k*",
    "by a pattern of its end": "cat *.pem",
    "deep below": "cat sub/deep/other.pem",
    "by a variable": f"f={KEY}; cat $f",
    "by pieces": "cat sec'ret's/k\"ey\".txt",
    "by encoded text": "cat $(printf c2VjcmV0cy9rZXkudHh0 | base64 -d)",
    "from inside": "cd secrets && cat key.txt",
    "through proc": f"cat /proc/self/cwd/{KEY}",
    "through a root": f'cat "/proc/self/root$PWD/{KEY}"',
    "by redirection": f"cat < {KEY}",
    "by a descriptor": f"exec 3< {KEY}; cat <&3",
    "by the shell": f"read -r x < {KEY}; echo $x",
    "by a link": f"ln -sf {KEY} other; cat other",
    "by a second name": f"ln -f {KEY} other && cat other",
    "by a copy": f"cp {KEY} other && cat other",
    "moved away": f"mv {KEY} other && cat other; mv other {KEY}",
    "with its directory moved": "mv secrets other && cat other/key.txt; mv other secrets",
    "with a directory above moved": "mv sub other && cat other/deep/*; mv other sub",
    "by find": "find . -name key.txt -exec cat {} +",
    "by grep": "grep -rh CANARY . --include=*.toml",
    "by tar": "tar cf - config | tr -d '\\0'",
    "by dd": f"dd if={KEY} status=none",
    "by git": f"git hash-object -w {KEY} | xargs git cat-file blob",
    "by a script": f"python3 -c 'print(open(\"{KEY}\").read())'",
    "by a directory descriptor": (
        'python3 -c \'import os; d = os.open("secrets", os.O_RDONLY);'
        'print(os.read(os.open("key.txt", os.O_RDONLY, dir_fd=d), 99))\''
    ),
    "by memory": (
        'python3 -c \'import mmap, os; f = os.open("config/prod.toml", os.O_RDONLY);'
        "print(mmap.mmap(f, 0, prot=mmap.PROT_READ)[:])'"
    ),
    "by walking": (
        'python3 -c \'import os\nfor d, _, fs in os.walk("."):\n'
        '    print([open(d + "/" + f).read() for f in fs if f.startswith("server")])\''
    ),
}
CHANGES = {
    "overwritten": f"echo x > {KEY}",
    "appended to": "echo x >> config/prod.toml",
    "removed": "rm -f server.pem",
    "removed with its directory": "rm -rf secrets sub config",
    "replaced": "echo x > other; mv -f other server.pem",
    "truncated": "truncate -s 0 sub/deep/other.pem",
    "edited": "sed -i s/CANARY/x/ config/prod.toml",
    "by python": 'python3 -c \'open("server.pem", "w").write("x")\'',
    "exchanged": (
        "echo x > other; python3 -c 'import ctypes; ctypes.CDLL(None).renameat2("
        '-100, b"other", -100, b"server.pem", 2)\''
    ),
}
APPEARING = {
    "a new file": "echo x > new.pem",
    "a new file by python": 'python3 -c \'open("new.pem", "w").write("x")\'',
    "a new directory": "mkdir later",
    "a moved directory": "mkdir other; echo x > other/f; mv other later",
    "a link": "ln -s /etc later",
    "a copy": "echo x > other; cp other new.pem",
    "a second name": "echo x > other; ln other new.pem",
    "a moved file": "echo x > other; mv other new.pem",
    "a directory that holds it": "mkdir -p a other; echo x > other/never.txt; mv other a/b",
    "a pipe": "mkfifo new.pem",
    "a socket": "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"new.pem\")'",
}

_PROXY = """
import os, socket, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["http_proxy"])
def say(text):
    with socket.create_connection((proxy.hostname, proxy.port)) as s:
        s.sendall(text.replace("\\n", "\\r\\n").encode("latin-1") + b"\\r\\n\\r\\n")
        print(s.recv(999))
"""
HOSTS = {
    "a tunnel": "say('CONNECT evil.test:443 HTTP/1.1')",
    "in capitals": "say('CONNECT EVIL.Test:443 HTTP/1.1')",
    "with a last dot": "say('CONNECT evil.test.:443 HTTP/1.1')",
    "on another port": "say('CONNECT evil.test:80 HTTP/1.1')",
    "a name below": "say('CONNECT a.evil.test:443 HTTP/1.1')",
    "a name far below": "say('CONNECT a.b.c.evil.test:443 HTTP/1.1')",
    "a request": "say('GET http://evil.test/ HTTP/1.1')",
    "a request with a port": "say('GET http://evil.test:80/ HTTP/1.1')",
    "sending": "say('POST http://evil.test/ HTTP/1.1\\nContent-Length: 0')",
    "as somebody else": "say('GET http://evil.test/ HTTP/1.1\\nHost: good.test')",
    "a tunnel as somebody else": "say('CONNECT evil.test:443 HTTP/1.1\\nHost: good.test')",
    "by urllib": (
        "import urllib.request\ntry: urllib.request.urlopen('http://evil.test/')\n"
        "except OSError as e: print(e)"
    ),
    "by urllib with encryption": (
        "import urllib.request\ntry: urllib.request.urlopen('https://evil.test/')\n"
        "except OSError as e: print(e)"
    ),
    "by pieces": (
        "import urllib.request\ntry: urllib.request.urlopen('ht' + 'tp://' + 'tset.live'[::-1])\n"
        "except OSError as e: print(e)"
    ),
    "by git": "os.system('git ls-remote http://evil.test/x')",
    "by encrypted git": "os.system('git ls-remote https://evil.test/x')",
}
HOSTS = {name: _PROXY + source for name, source in HOSTS.items()}

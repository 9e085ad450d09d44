"""Ruby, Perl, PHP, Lua, R, Java and PowerShell: each with a small driver of ours inside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from interpreter.protocol.ports import Language, Launch
from interpreter.runtimes.process.driven import PLAIN, Dialect, DrivenOptions, DrivenProcess

Make = Callable[..., DrivenProcess]


def _made_of(dialect: Dialect) -> Make:
    def make(launch: Launch, exchange: Path, options: DrivenOptions = PLAIN) -> DrivenProcess:
        return DrivenProcess(launch, exchange, dialect, options)

    return make


ruby = _made_of(Dialect(Language("ruby", ("rb",), ".rb"), ("ruby", "{driver}"), "ruby_driver.rb"))
perl = _made_of(Dialect(Language("perl", ("pl",), ".pl"), ("perl", "{driver}"), "perl_driver.pl"))
php = _made_of(
    Dialect(Language("php", (), ".php"), ("php", "{driver}"), "php_driver.php", redirects=False)
)
lua = _made_of(
    Dialect(Language("lua", (), ".lua"), ("lua", "{driver}"), "lua_driver.lua", redirects=False)
)
r = _made_of(
    Dialect(
        Language("r", ("rscript", "rlang"), ".R"),
        ("Rscript", "--vanilla", "{driver}"),
        "r_driver.R",
        redirects=False,
    )
)
java = _made_of(
    Dialect(
        Language("java", ("jshell",), ".java"),
        ("java", "-Xshare:auto", "{driver}", "{directory}"),
        "JavaDriver.java",
        redirects=False,
    )
)
powershell = _made_of(
    Dialect(
        Language("powershell", ("pwsh", "ps1"), ".ps1"),
        ("pwsh", "-NoLogo", "-NoProfile", "-NonInteractive", "-File", "{driver}"),
        "powershell_driver.ps1",
        redirects=False,
    )
)

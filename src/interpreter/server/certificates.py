"""A certificate of our own, for a server that others reach: made once, told by its fingerprint."""

from __future__ import annotations

import hashlib
import ssl
import subprocess
from pathlib import Path

from interpreter.protocol import safe_files
from interpreter.protocol.errors import ConfigurationError
from interpreter.protocol.system.host_programs import system_program
from interpreter.settings.paths import data_directory

DAYS = 825


def own_certificate(host: str) -> tuple[Path, Path]:
    """The files of the certificate and its key."""
    place = data_directory() / "server"
    safe_files.make_folder(place)
    certificate, key = place / f"{host}.crt", place / f"{host}.key"
    if safe_files.is_file(certificate) and safe_files.is_file(key):
        return certificate, key
    program = system_program("openssl")
    if not Path(program).exists():
        raise ConfigurationError(
            "A certificate is made by `openssl`, which is not here; give one by --certificate."
        )
    kind = "IP" if host.replace(".", "").isdigit() or ":" in host else "DNS"
    command = [program, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", str(DAYS), "-subj", "/CN=reploop", "-addext"]
    command += [f"subjectAltName={kind}:{host}", "-keyout", str(key), "-out", str(certificate)]
    made = subprocess.run(command, capture_output=True, text=True, umask=0o077)
    if made.returncode:
        raise ConfigurationError(f"No certificate could be made: {made.stderr.strip()[-300:]}")
    return certificate, key


def check_certificate(certificate: Path, key: Path | None) -> None:
    """Raise what would stop a server that shows it."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password="")
    except FileNotFoundError as error:
        raise ConfigurationError(
            f"There is no {certificate}, or no {key or 'key in it'}."
        ) from error
    except (OSError, ValueError) as error:  # an ssl.SSLError is one
        raise ConfigurationError(
            f"{certificate} and its key cannot be used: both must be PEM, belong together, and "
            "have no password; --key FILE names the key where it is in a file of its own."
        ) from error


def fingerprint(certificate: Path) -> str:
    """What a browser shows of a certificate, so that its user can compare."""
    text = certificate.read_text(errors="replace")
    begin, end = (f"-----{word} CERTIFICATE-----" for word in ("BEGIN", "END"))
    first = begin + text.partition(begin)[2].partition(end)[0] + end
    seen = hashlib.sha256(ssl.PEM_cert_to_DER_cert(first)).hexdigest().upper()
    return ":".join(seen[i : i + 2] for i in range(0, len(seen), 2))

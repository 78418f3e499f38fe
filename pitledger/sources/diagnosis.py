"""Why brokers cannot be used, asked step by step: address, TLS, login. The clients do not say.

kafka-python and aiokafka answer whatever goes wrong with "unable to bootstrap".
"""

import contextlib
import socket
import ssl
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafka.errors import KafkaError
from kafka.net.sasl import get_sasl_mechanism

from pitledger.sources.environment import SettingError

if TYPE_CHECKING:
    from pitledger.sources.connection import Connection, Security

TIMEOUT_S = 3.0
_SASL_HANDSHAKE, _SASL_AUTHENTICATE = 17, 36
_UNSUPPORTED_MECHANISM, _NO_LOGIN_HERE, _LOGIN_REFUSED = 33, 34, 58
_CERTIFICATE_WORDS = (
    ("certificate has expired", "the broker's certificate has expired"),
    ("not yet valid", "the broker's certificate is not valid yet"),
    ("mismatch", "the broker's certificate is for another host"),
    ("self-signed", "the broker's certificate is of an authority that is not trusted"),
    ("self signed", "the broker's certificate is of an authority that is not trusted"),
    ("issuer", "the broker's certificate is of an authority that is not trusted"),
)
_WHAT_TO_DO = {
    "the broker's certificate is for another host": "PITLEDGER_BOOTSTRAP must have its name",
    "the broker's certificate is of an authority that is not trusted": "set PITLEDGER_TLS_CA",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One line. `lasting`: another attempt with the same settings is no use."""

    reason: str
    lasting: bool


class _Found(Exception):
    def __init__(self, reason: str, *, lasting: bool = True) -> None:
        super().__init__(reason)
        self.finding = Finding(reason, lasting)


def diagnose(connection: "Connection") -> Finding | None:
    """What is wrong; of several servers a lasting fault comes first. None: nothing was found."""
    findings = [_of_server(server, connection.security) for server in connection.bootstrap]
    found = [finding for finding in findings if finding is not None]
    return next((each for each in found if each.lasting), found[0] if found else None)


def _of_server(server: str, security: "Security") -> Finding | None:
    host, _, port = server.rpartition(":")
    host = host.strip("[]")
    try:
        with _connected(host, int(port)) as plain:
            _converse(_encrypted(plain, host, security), security)
    except _Found as found:
        return found.finding
    except SettingError as error:  # a file that was there at the start
        return Finding(str(error), True)
    except ssl.SSLError as error:
        return Finding(_alert(error, security), True)
    except TimeoutError:
        return Finding("does not answer", False)
    except (OSError, EOFError, struct.error):
        return _of_closed(host, int(port), security)
    return None


def _connected(host: str, port: int) -> socket.socket:
    try:
        return socket.create_connection((host, port), TIMEOUT_S)
    except socket.gaierror:
        raise _Found(f"the name {host} is not known", lasting=False) from None
    except ConnectionRefusedError:
        raise _Found("nobody listens there", lasting=False) from None
    except OSError as error:
        raise _Found(error.strerror or "cannot be reached", lasting=False) from None


def _encrypted(plain: socket.socket, host: str, security: "Security") -> socket.socket:
    context = security.ssl_context()
    if context is None:
        return plain
    try:
        return context.wrap_socket(plain, server_hostname=host)
    except ssl.SSLCertVerificationError as error:
        told = error.verify_message
        words = next((words for sign, words in _CERTIFICATE_WORDS if sign in told), told)
        todo = _WHAT_TO_DO.get(words)
        raise _Found(f"{words} ({told.rstrip('.')}){f'; {todo}' if todo else ''}") from None
    except ssl.SSLError as error:
        if error.reason in ("WRONG_VERSION_NUMBER", "UNEXPECTED_EOF_WHILE_READING"):
            raise _Found(_no_tls(security)) from None
        raise
    except (ConnectionError, EOFError):
        raise _Found(_no_tls(security)) from None


def _converse(stream: socket.socket, security: "Security") -> None:
    """Ask for a login, whether we want one or not: each kind of listener answers otherwise."""
    answer = _ask(stream, _SASL_HANDSHAKE, 1, _text(security.mechanism))
    code, mechanisms = _mechanisms(answer)
    if not security.logs_in:
        if code != _NO_LOGIN_HERE:
            raise _Found(
                f"asks for a login ({', '.join(mechanisms)}), which "
                f"PITLEDGER_SECURITY={security.protocol} has not"
            )
        return
    if code == _NO_LOGIN_HERE:
        raise _Found(f"has no login, which PITLEDGER_SECURITY={security.protocol} is for")
    if code == _UNSUPPORTED_MECHANISM:
        raise _Found(
            f"knows no login by PITLEDGER_SASL_MECHANISM={security.mechanism}, only "
            f"{', '.join(mechanisms)}"
        )
    _log_in(stream, security)


def _log_in(stream: socket.socket, security: "Security") -> None:
    mechanism = get_sasl_mechanism(security.mechanism)(
        host="",
        sasl_mechanism=security.mechanism,
        sasl_plain_username=security.username,
        sasl_plain_password=security.password,
    )
    while not mechanism.is_done():
        token = mechanism.auth_bytes()
        body = struct.pack(">i", len(token)) + token
        answer = _ask(stream, _SASL_AUTHENTICATE, 0, body)
        (code,) = struct.unpack_from(">h", answer)
        if code == _LOGIN_REFUSED:
            raise _Found(
                f"user or password refused (PITLEDGER_SASL_USERNAME, {security.mechanism})"
            )
        if code:
            raise _Found(f"the login failed, with Kafka's error {code}", lasting=False)
        _, after = _read_text(answer, 2)
        (size,) = struct.unpack_from(">i", answer, after)
        try:
            mechanism.receive(answer[after + 4 : after + 4 + size])
        except (KafkaError, LookupError, ValueError):
            raise _Found("does not know the password either: it is not who it says") from None


def _of_closed(host: str, port: int, security: "Security") -> Finding:
    """The server closed the connection. Perhaps it speaks TLS?"""
    if security.encrypts:
        return Finding("the broker closed the connection; see PITLEDGER_TLS_CERT", False)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with contextlib.suppress(OSError, EOFError, _Found):
        with _connected(host, port) as plain, context.wrap_socket(plain):
            pass
        return Finding(f"speaks TLS, which PITLEDGER_SECURITY={security.protocol} does not", True)
    return Finding("closed the connection: is it a Kafka broker?", False)


def _alert(error: ssl.SSLError, security: "Security") -> str:
    reason = (error.reason or str(error)).lower().replace("_", " ")
    if "certificate" in reason:
        what = "refused" if security.certificate else "missing"
        return f"the client's certificate is {what} (PITLEDGER_TLS_CERT): {reason}"
    return f"TLS failed: {reason}"


def _no_tls(security: "Security") -> str:
    return f"does not speak TLS, which PITLEDGER_SECURITY={security.protocol} does"


# ---- Kafka's framing -----------------------------------------------------------------------


def _ask(stream: socket.socket, api: int, version: int, body: bytes) -> bytes:
    """One request, and its answer without the correlation id."""
    request = struct.pack(">hhi", api, version, 1) + _text("pitledger") + body
    stream.sendall(struct.pack(">i", len(request)) + request)
    (size,) = struct.unpack(">i", _exactly(stream, 4))
    if not 4 <= size <= 1 << 20:
        raise EOFError  # no answer of Kafka's: an alert of TLS, most likely
    return _exactly(stream, size)[4:]


def _exactly(stream: socket.socket, size: int) -> bytes:
    got = b""
    while len(got) < size:
        chunk = stream.recv(size - len(got))
        if not chunk:
            raise EOFError
        got += chunk
    return got


def _text(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack(">h", len(encoded)) + encoded


def _read_text(answer: bytes, at: int) -> tuple[str, int]:
    """A text that may be null, and where it ends."""
    (size,) = struct.unpack_from(">h", answer, at)
    end = at + 2 + max(size, 0)
    return answer[at + 2 : end].decode(errors="replace"), end


def _mechanisms(answer: bytes) -> tuple[int, list[str]]:
    code, count = struct.unpack_from(">hi", answer)
    names, at = [], 6
    for _ in range(max(count, 0)):
        name, at = _read_text(answer, at)
        names.append(name)
    return code, sorted(names)

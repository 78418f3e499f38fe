"""`/metrics` for Prometheus; `/healthz`: 200 caught up, 503 not, and why; `/livez`: 503 is for
whoever restarts us.
"""

import asyncio
import contextlib
import json
import socket
from collections.abc import Callable, Mapping

from services.runtime import logs
from services.runtime.health import health, is_alive
from services.runtime.shell import Shell
from services.runtime.status import status

_READ_TIMEOUT_S = 5.0
_BAD_REQUEST = (OSError, TimeoutError, EOFError, ValueError, asyncio.LimitOverrunError)
"""Gone, too slow, cut short, no request, too long: nothing to answer."""
_REASONS = {200: "OK", 404: "Not Found", 405: "Method Not Allowed", 503: "Service Unavailable"}


Page = tuple[int, str, bytes]
"""Status, content type, body."""

TEXT = "text/plain"
METRICS = "text/plain; version=0.0.4; charset=utf-8"
JSON = "application/json"


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0: on any free one. Raises OSError."""
    listener = socket.create_server((host, port), backlog=100)
    logs.get("http").info("http", host=host, port=listener.getsockname()[1])
    return listener


async def serve(shell: Shell, listener: socket.socket) -> asyncio.Server:
    """A processor's pages; when the server is closed, the socket still listens."""
    return await _answer_on(listener.dup(), lambda path: _page(shell, path))


async def listen(host: str, port: int, page: Callable[[bytes], Page]) -> asyncio.Server:
    """Answer GET with what `page` makes of a path. Raises OSError."""
    return await _answer_on(bind(host, port), page)


async def _answer_on(listener: socket.socket, page: Callable[[bytes], Page]) -> asyncio.Server:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(*_BAD_REQUEST):
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _READ_TIMEOUT_S)
            writer.write(_response(page, head))
            await writer.drain()
        writer.close()

    return await asyncio.start_server(answer, sock=listener)


def told(state: Mapping[str, object], good: object) -> Page:
    """A state as JSON: 200 if it is good, else 503."""
    return (200 if good else 503), JSON, json.dumps(state).encode() + b"\n"


def _page(shell: Shell, path: bytes) -> Page:
    match path:
        case b"/metrics":
            return 200, METRICS, shell.measures.text()
        case b"/healthz":
            state = health(shell)
            return told(state, state["ready"])
        case b"/livez":
            alive = is_alive(shell)
            return told({"alive": alive}, alive)
        case b"/status":
            return told(status(shell), True)
        case _:
            return 404, TEXT, b"/metrics, /healthz, /livez or /status\n"


def _response(page: Callable[[bytes], Page], head: bytes) -> bytes:
    method, target, *_ = (*head.split(b"\r\n", 1)[0].split(b" "), b"", b"")
    if method not in (b"GET", b"HEAD"):
        return _framed(405, TEXT, b"GET only\n", method)
    return _framed(*page(target.split(b"?", 1)[0]), method)


def _framed(status: int, kind: str, body: bytes, method: bytes) -> bytes:
    head = (
        f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + (b"" if method == b"HEAD" else body)

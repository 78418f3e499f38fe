"""`/metrics` for Prometheus; `/healthz`: 200 caught up, 503 not, and why; `/livez`: 503 is for
whoever restarts us.
"""

import asyncio
import contextlib
import json

from services.runtime import logs
from services.runtime.health import health, is_alive
from services.runtime.shell import Shell

_READ_TIMEOUT_S = 5.0
_REASONS = {200: "OK", 404: "Not Found", 405: "Method Not Allowed", 503: "Service Unavailable"}


async def serve(shell: Shell) -> asyncio.Server:
    """Listen on the settings' host and port. Raises OSError."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError, ValueError):
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _READ_TIMEOUT_S)
            writer.write(_response(shell, head))
            await writer.drain()
        writer.close()

    settings = shell.settings
    server = await asyncio.start_server(answer, settings.http_host, settings.http_port)
    port = server.sockets[0].getsockname()[1]
    logs.get("http").info("http", host=settings.http_host, port=port)
    return server


def _response(shell: Shell, head: bytes) -> bytes:
    method, target, *_ = (*head.split(b"\r\n", 1)[0].split(b" "), b"", b"")
    path = target.split(b"?", 1)[0]
    if method not in (b"GET", b"HEAD"):
        return _framed(405, "text/plain", b"GET only\n", method)
    match path:
        case b"/metrics":
            body = shell.measures.text()
            return _framed(200, "text/plain; version=0.0.4; charset=utf-8", body, method)
        case b"/healthz":
            state = health(shell)
            body = json.dumps(state).encode() + b"\n"
            return _framed(200 if state["ready"] else 503, "application/json", body, method)
        case b"/livez":
            alive = is_alive(shell)
            body = json.dumps({"alive": alive}).encode() + b"\n"
            return _framed(200 if alive else 503, "application/json", body, method)
        case _:
            return _framed(404, "text/plain", b"/metrics, /healthz or /livez\n", method)


def _framed(status: int, kind: str, body: bytes, method: bytes) -> bytes:
    head = (
        f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + (b"" if method == b"HEAD" else body)

"""What the pages answer to requests that are none."""

import asyncio

import pytest

from services.runtime import http


@pytest.mark.parametrize(
    "sent", [b"x" * 100_000, b"GET / HTTP/1.1\r\n", b"\r\n\r\n", b"\x00\xff\r\n\r\n"]
)
def test_a_request_that_is_none_is_let_go_of_and_the_next_is_answered(sent):
    failures = []

    async def ask(server, data):
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(data)
        writer.write_eof()
        try:
            return await reader.read()
        except ConnectionError:
            return b""
        finally:
            writer.close()

    async def both():
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _loop, context: failures.append(context))
        server = await http.listen("127.0.0.1", 0, lambda _path: (200, http.TEXT, b"here"))
        await ask(server, sent)
        answer = await ask(server, b"GET / HTTP/1.1\r\n\r\n")
        server.close()
        return answer

    assert asyncio.run(both()).endswith(b"here")
    assert failures == []

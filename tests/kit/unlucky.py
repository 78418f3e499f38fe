"""A processor that asks a server of our choice first: `python -m tests.kit.unlucky OWNER PORT`.

aiokafka asks its bootstrap servers in an order of its own, which is another for each client.
"""

import sys

from aiokafka import client

from services.runtime.main import run


def ask_first(port: int) -> None:
    """Have all clients of this process begin with the server at this port."""
    hosts_of = client.collect_hosts

    def unlucky(servers: list[str]) -> list[tuple]:
        return sorted(hosts_of(servers), key=lambda host: host[1] != port)

    client.collect_hosts = unlucky


if __name__ == "__main__":
    owner, port = sys.argv[1:]
    ask_first(int(port))
    run(owner)

"""Ports that are given out before anybody listens on them."""

from services.broker.process import free_port


def test_a_process_is_given_no_port_twice():
    ports = [free_port() for _ in range(2_000)]
    assert len(set(ports)) == len(ports)

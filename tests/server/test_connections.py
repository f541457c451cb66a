"""Slow sockets, idle ones, and too many of them."""

from __future__ import annotations

import json
import socket
import time

import pytest

from tests.server.conftest import TOKEN, chain


def connect(client, source=None):
    place = (client.base_url.host, client.base_url.port)
    return socket.create_connection(place, timeout=20, source_address=source and (source, 0))


def received(connection):
    """Return everything until the server ends the connection; a reset is an end as well."""
    data = b""
    try:
        while part := connection.recv(65536):
            data += part
    except ConnectionResetError:
        pass
    return data


def health(connection):
    """Ask over a connection that stays open."""
    connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
    data = b""
    while not data.endswith(b"}"):
        part = connection.recv(4096)
        assert part, "the connection was ended"
        data += part
    return json.loads(data.partition(b"\r\n\r\n")[2])["status"]


def test_a_head_that_does_not_come_is_given_up(serve):
    client = serve(head_timeout=0.3)
    with connect(client) as silent, connect(client) as slow:
        slow.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n")

        for connection in (silent, slow):
            told = received(connection)
            assert b" 408 " in told and b"--head-timeout" in told
    assert client.get("/health").status_code == 200


def test_a_body_that_does_not_come_is_given_up(serve):
    client = serve(updates=True, token=TOKEN, body_timeout=0.3)
    head = f"POST /update HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
    with connect(client) as slow:
        slow.sendall(f"{head}Content-Type: application/sparql-update\r\nContent-Length: 100\r\n\r\nINS".encode())

        told = received(slow)

    assert b" 408 " in told and b"--body-timeout" in told
    assert client.get("/health").json()["version"] == 0


def test_a_body_that_comes_byte_by_byte_after_a_refusal_is_given_up(serve):
    client = serve(body_timeout=0.5)
    with connect(client) as slow:
        slow.sendall(b"POST /update HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
        assert b" 403 " in slow.recv(1000)
        with pytest.raises(OSError):
            while True:
                slow.sendall(b"x")
                time.sleep(0.02)


def test_a_connection_without_a_next_request_is_ended(serve):
    client = serve(idle_timeout=0.3)
    with connect(client) as idle:
        idle.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")

        assert b"200 OK" in received(idle)


def test_a_client_that_does_not_take_its_answer_is_left(serve):
    client = serve(chain(300), send_timeout=0.3)
    # More than the buffers of the system hold.
    query = "SELECT%20*%20%7B%20?a%20?b%20?c%20.%20?d%20?e%20?f%20%7D"
    with connect(client) as lazy:
        lazy.sendall(f"GET /sparql?query={query} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        head = lazy.recv(200)
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
        while "reasoner_requests_under_way 1\n" not in client.get("/metrics").text:
            time.sleep(0.05)
        time.sleep(1.5)

        assert len(received(lazy)) < length - 1000, "the connection was reset before the end of the answer"


def test_connections_that_send_nothing_take_no_place_from_those_who_ask(serve):
    client = serve(connections=20, connections_per_address=20)
    opened = [connect(client) for _ in range(100)]
    try:
        for _ in range(5):
            with connect(client) as honest:
                honest.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                assert b"200 OK" in received(honest)
    finally:
        for connection in opened:
            connection.close()


def test_one_address_cannot_take_the_places_of_all(serve):
    client = serve(connections=30, connections_per_address=10)
    with connect(client, "127.0.0.2") as other:
        assert health(other) == "ok"
        opened = [connect(client) for _ in range(60)]
        try:
            # It was idle for longer than any of the others, which are of another address.
            assert health(other) == "ok"
        finally:
            for connection in opened:
                connection.close()


def test_when_all_have_requests_under_way_the_next_one_is_told_so(serve):
    client = serve(updates=True, token=TOKEN, connections=3, connections_per_address=3)
    head = f"POST /update HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
    head += "Content-Type: application/sparql-update\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n"
    sending = [connect(client) for _ in range(3)]
    try:
        for connection in sending:
            connection.sendall(head.encode())
        # Until the server has read what was sent, it makes room: it asks for a body that it waits for.
        for connection in sending:
            assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
        with connect(client) as late:
            # Nothing is sent, which the server would not read: what it says would be lost with the connection.
            told = received(late)
    finally:
        for connection in sending:
            connection.close()

    assert b" 503 " in told and b"--max-connections-per-address" in told and b"Retry-After" in told


def test_chunks_of_one_byte_keep_nobody_waiting(serve):
    client = serve()
    chunks = b"1\r\nx\r\n" * 100_000
    with connect(client) as nasty:
        nasty.sendall(
            b"POST /sparql HTTP/1.1\r\nHost: x\r\nContent-Type: application/sparql-query\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n" + chunks[:60_000]
        )
        assert client.get("/health").status_code == 200

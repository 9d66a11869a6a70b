"""Calls servers that are not emulators. Every call must end soon, with an error that says so."""
import contextlib
import socket
import struct
import threading
import time
import unittest

import svc_emulator
from svc_emulator import Emulator, EmulatorError

JSON = b"content-type: application/json"


def answer(status, body=b"", *headers):
    head = b"".join(line + b"\r\n" for line in (b"HTTP/1.1 " + status, *headers, b"connection: close"))
    return head + b"content-length: %d\r\n\r\n" % len(body) + body


@contextlib.contextmanager
def served(reply):
    """The address of a server that accepts one connection at a time, and the list of the requests that it received."""
    listener = socket.create_server(("127.0.0.1", 0))
    asked = []

    def serve():
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, contextlib.suppress(OSError):
                    asked.append(connection.recv(65536))
                    reply(connection)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield "http://127.0.0.1:%d" % listener.getsockname()[1], asked
    finally:
        listener.close()


def says(text):
    return lambda connection: connection.sendall(text)


def drips(head):
    def reply(connection):
        connection.sendall(head)
        while True:
            connection.sendall(b"x")
            time.sleep(0.05)

    return reply


def endless(connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\n" + JSON + b"\r\n\r\n")
    while True:
        connection.sendall(b" " * 65536)


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


UNREADABLE = {
    "an endless body": endless,
    "a body that drips": drips(b"HTTP/1.1 200 OK\r\n" + JSON + b"\r\n\r\n"),
    "a head that drips": drips(b"HTTP/1.1 200 OK\r\nx: "),
    "JSON that is none": says(answer(b"200 OK", b"{nope", JSON)),
    "JSON of many levels": says(answer(b"200 OK", b"[" * 200_000, JSON)),
    "JSON that is no UTF-8": says(answer(b"200 OK", b'"\xff"', JSON)),
    "a connection that is reset": reset,
    "a connection that is closed": says(b""),
    "a body that is cut": says(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc"),
    "chunks that are none": says(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"),
    "the status 99": says(answer(b"99 Odd")),
    "the status 1000": says(answer(b"1000 Odd")),
    "no HTTP": says(b"\x00\x01\r\n\r\n"),
    "200 headers": says(b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 200 + b"\r\n"),
    "a header of 100 kB": says(b"HTTP/1.1 200 OK\r\nx: " + b"y" * 100_000 + b"\r\n\r\n"),
}
REFUSALS = {
    "the status 999": (999, says(answer(b"999 Odd", b"what?"))),
    "an error of other types": (400, says(answer(b"400 Bad", b'{"error": {"code": 1, "message": {}, "param": 2}}', JSON))),
    "an error of many levels": (400, says(answer(b"400 Bad", b"[" * 200_000, JSON))),
    "an error that is empty": (503, says(answer(b"503 Away"))),
}


class HostileServerTest(unittest.TestCase):
    def setUp(self):
        self.limit("MAX_BYTES", 1_000_000)

    def limit(self, name, value):
        self.addCleanup(setattr, svc_emulator, name, getattr(svc_emulator, name))
        setattr(svc_emulator, name, value)

    def test_says_of_what_cannot_be_read_that_it_is_no_emulator(self):
        self.limit("ANSWER_SECONDS", 1)
        for name, reply in UNREADABLE.items():
            with self.subTest(name), served(reply) as (url, _):
                began = time.monotonic()
                with self.assertRaisesRegex(ConnectionError, f"{url}.*emulator"):
                    Emulator.connect(url)
                self.assertLess(time.monotonic() - began, 30)

    def test_raises_a_refusal_whatever_its_form(self):
        for name, (status, reply) in REFUSALS.items():
            with self.subTest(name), served(reply) as (url, _):
                with self.assertRaises(EmulatorError) as refused:
                    Emulator.connect(url)
                self.assertEqual(refused.exception.status, status)
                self.assertNotEqual(str(refused.exception), "")

    def test_keeps_a_connection_until_the_server_closes_it(self):
        kept = answer(b"200 OK", b"{}", JSON).replace(b"connection: close\r\n", b"")

        def twice(connection):
            connection.sendall(kept)
            asked.append(connection.recv(65536))
            connection.sendall(kept)

        with served(twice) as (url, asked):
            with Emulator(url) as emulator:
                connections = []
                for _ in range(4):
                    emulator.call("GET", "/_emulator/clock")
                    connections.append(emulator._idle[0][1])
            self.assertEqual([len(set(connections)), len(asked)], [2, 4])

    def test_follows_no_redirect_and_takes_its_key_nowhere_else(self):
        with served(says(answer(b"200 OK", b"{}", JSON))) as (elsewhere, asked):
            for status in (301, 302, 303, 307, 308):
                moved = answer(b"%d Moved" % status, b"", b"location: " + elsewhere.encode() + b"/")
                with served(says(moved)) as (url, _):
                    with self.assertRaises(EmulatorError) as refused:
                        Emulator(url, "svc_secret").call("GET", "/_emulator/clock")
                    self.assertEqual(refused.exception.status, status)
            self.assertEqual(asked, [])

    def test_sends_no_header_that_an_argument_spells(self):
        with served(says(answer(b"200 OK", b"{}", JSON))) as (url, asked):
            emulator = Emulator(url)
            with self.assertRaisesRegex(ValueError, "^The API key contains characters that are not allowed in a header"):
                emulator.call("GET", "/v1/account", key="svc_secret\r\nx-evil: 1")
            self.assertEqual(asked, [])
            emulator.call("GET", "/v1/a b\u00e9 HTTP/1.1\r\nx-evil: 1\r\n\r\n")
            [request] = asked
            self.assertTrue(request.startswith(b"GET /v1/a%20b%C3%A9%20HTTP/1.1%0D%0Ax-evil:%201%0D%0A%0D%0A HTTP/1.1\r\n"))
            self.assertNotIn(b"\nx-evil", request)


if __name__ == "__main__":
    unittest.main()

"""A small client that keeps its connection, for what wrk cannot do: single requests, and the server's documents."""

import json
import socket
import time


class Client:
    """One connection. Not for use by several threads."""

    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        self.connection.close()

    def get(self, path):
        """Status and body of one answer, whose length must be declared."""
        self.connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        answer = b""
        while (end := answer.find(b"\r\n\r\n")) < 0:
            answer += self.receive()
        head = answer[:end].lower()
        length = int(head.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0])
        while len(answer) < end + 4 + length:
            answer += self.receive()
        return int(answer[9:12]), answer[end + 4 :]

    def receive(self):
        """What has come; the end of the connection is an error here."""
        piece = self.connection.recv(65536)
        if not piece:
            raise ConnectionError("the server closed a connection that was to be kept")
        return piece

    def document(self, path):
        """A JSON document."""
        status, body = self.get(path)
        if status != 200:
            raise ConnectionError(f"{path} is answered with {status}")
        return json.loads(body)

    def counts(self):
        """The counts of the pool's threads."""
        return self.document("/api/threads")["counts"]

    def events(self):
        """Everything that happened to the pool's threads, as far as the server still knows."""
        found, since = [], 0
        while True:
            page = self.document(f"/api/events?since={since}")
            found += page["events"]
            since = page["lastId"]
            if not page["hasMore"]:
                return found

    def timed(self, path, count, pause):
        """`count` requests with a pause before each: the seconds that each took, and the answers' bodies."""
        took, bodies = [], []
        for _ in range(count):
            time.sleep(pause)
            start = time.perf_counter()
            status, body = self.get(path)
            took.append(time.perf_counter() - start)
            if status != 200:
                raise ConnectionError(f"{path} is answered with {status}")
            bodies.append(body)
        return took, bodies


def percentile(values, share):
    """The smallest value that is not exceeded by this share of them."""
    ordered = sorted(values)
    return ordered[max(0, -int(-len(ordered) * share // 1) - 1)]

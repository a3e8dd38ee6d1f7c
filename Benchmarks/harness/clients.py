"""Small HTTP clients of our own, for what wrk does not do: a measured request now and then, and load that is held."""

import contextlib
import json
import multiprocessing
import queue
import resource
import socket
import threading
import time


class Client:
    """One kept connection."""

    def __init__(self, port, source=None):
        self.socket = socket.create_connection(
            ("127.0.0.1", port), timeout=30, source_address=(source, 0) if source else None
        )
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""

    def get(self, path):
        """Status and body of an answer with a Content-Length."""
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        data = self.rest
        while b"\r\n\r\n" not in data:
            data += self.receive()
        head, _, body = data.partition(b"\r\n\r\n")
        length = 0
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        while len(body) < length:
            body += self.receive()
        self.rest = body[length:]
        return int(head[9:12]), body[:length]

    def receive(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise ConnectionError("the server closed the connection")
        return piece

    def json(self, path):
        """A document of the API."""
        return json.loads(self.get(path)[1])

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def ask_until(stop, port, path, clients, pause, result):
    """So many clients that ask again and again, each a thread; in a process of its own, so that they hold nobody else up."""
    counts, lock = {}, threading.Lock()

    def ask():
        own = {}
        try:
            with Client(port) as client:
                while not stop.is_set():
                    status, _ = client.get(path)
                    own[status] = own.get(status, 0) + 1
                    time.sleep(pause)
        except OSError:
            own["failed"] = own.get("failed", 0) + 1
        with lock:
            for key, count in own.items():
                counts[key] = counts.get(key, 0) + count

    threads = [threading.Thread(target=ask) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    result.put(counts)


@contextlib.contextmanager
def load(port, path, clients, pause):
    """Such clients until the block ends. Gives a dictionary, filled then: status -> number of answers."""
    context = multiprocessing.get_context("spawn")
    stop, result, counts = context.Event(), context.Queue(), {}
    process = context.Process(target=ask_until, args=(stop, port, path, clients, pause, result), daemon=True)
    process.start()
    try:
        yield counts
    finally:
        stop.set()
        with contextlib.suppress(queue.Empty):
            counts.update(result.get(timeout=60))
        process.join(timeout=10)
        if process.is_alive():
            process.kill()


def latencies(port, path, count, gap=0.002):
    """How long each of some requests took, one after the other on one connection, in seconds; sorted."""
    times = []
    with Client(port) as client:
        for _ in range(count):
            start = time.monotonic()
            status, _ = client.get(path)
            times.append(time.monotonic() - start)
            if status not in (200, 503):
                raise ConnectionError(f"{path} answers {status}")
            time.sleep(gap)
    return sorted(times)


def quantile(ordered, part):
    """The value below which a part of sorted ones lies."""
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def raise_descriptor_limit(wanted):
    """Lets this process and those that it starts open so many descriptors, or as many as the system gives."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        for limit in (max(hard, wanted), hard):
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit, max(wanted, soft)), limit))
                break
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]

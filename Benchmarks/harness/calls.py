"""The system calls of a connection and of a request, counted by strace."""

import collections
import os
import re
import shutil
import signal
import subprocess
import time

from client import Client
from facts import Missing
from servers import WORK, Server

COUNT = 100
SERVERS = ["c-inline-16k", "heddle"]
ABOUT = (
    f"The system calls of a server, counted by strace: {COUNT} requests for /plaintext one after the other on one "
    f"connection that has had its first answer; and {COUNT} connections one after the other with one request each, "
    "less the calls of the request. What comes less often than once in ten is left out. Options of a socket are "
    "named, and so are sends that announce more (MSG_MORE). The main thread, Heddle's monitor, is counted by itself: "
    "its ticks go by the time, and strace makes a request long."
)
HEADS = ["server", "a request", "a connection, from its opening to its close", "the main thread meanwhile, a request"]


class Trace:
    """What the threads of a process call while the body runs."""

    def __init__(self, server):
        if shutil.which("strace") is None:
            raise Missing("strace is not installed")
        self.file = os.path.join(WORK, "trace.txt")
        self.pid, self.calls, self.main = server.pid, collections.Counter(), collections.Counter()

    def __enter__(self):
        command = ["strace", "-f", "-o", self.file, "-p", str(self.pid)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        line = self.process.stderr.readline()
        if " attached" not in line:
            self.process.kill()
            self.process.communicate()
            raise Missing(f"strace may not look at the server: {line.strip()}")
        time.sleep(0.05)  # Until every thread is in its call again.
        return self

    def __exit__(self, *reason):
        time.sleep(0.1)
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=10)
        with open(self.file, encoding="utf-8", errors="replace") as file:
            for line in file:
                self.count(line)

    def count(self, line):
        """One line: the beginning of a call, or the rest of one that has been counted."""
        found = re.match(r"(\d+)\s+(\w+)\((.*)", line)
        if not found:
            return
        thread, name, rest = found.groups()
        if name == "setsockopt":
            name += " " + rest.split(", ")[2]
        elif "MSG_MORE" in rest:
            name += " MSG_MORE"
        (self.main if int(thread) == self.pid else self.calls)[name] += 1


def text(calls):
    """Calls per request or connection."""
    shares = [(count / COUNT, name) for name, count in calls.items()]
    named = sorted(shares, key=lambda pair: (-round(pair[0], 1), pair[1]))
    return ", ".join(f"{share:.1f} {name}" for share, name in named if share >= 0.1) or "none"


def calls(chosen, table):
    """Each server by itself."""
    samples = {}
    for name in SERVERS:
        server = Server(name, chosen)
        try:
            server.await_answer("/plaintext", 200)
            with Client(server.port) as client:
                client.get("/plaintext")
                with Trace(server) as requests:
                    for _ in range(COUNT):
                        client.get("/plaintext")
            with Trace(server) as connections:
                for _ in range(COUNT):
                    with Client(server.port) as client:
                        client.get("/plaintext")
        finally:
            server.end()
        received = sum(count for call, count in requests.calls.items() if call.startswith("recv"))
        table.premise(received >= COUNT, f"{name}: {received} calls of recv for {COUNT} requests")
        counted = {"request": requests.calls, "main": requests.main, "connection": connections.calls}
        samples[name] = {kind: dict(numbers) for kind, numbers in counted.items()}
        table.row(name, text(requests.calls), text(connections.calls - requests.calls), text(requests.main))
    return samples

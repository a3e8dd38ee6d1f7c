"""The servers that can be measured: how each is built, started and ended."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
ROOT = os.path.dirname(HERE)
WORK = os.path.join(HERE, ".build")


class Failure(Exception):
    """Why the run cannot go on, for the user."""


def run(*command, **more):
    """Runs a command that is expected to work, and shows its output only where it does not."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more
    )
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)} failed:\n{done.stdout}")
    return done.stdout


def say(text):
    """Progress, beside the table."""
    print(text, file=sys.stderr, flush=True)


def free_port():
    """A port that nothing listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def build_baseline(name):
    """Compiles one of the C programs, unless it is there already."""
    source, binary = os.path.join(HERE, "baseline", name + ".c"), os.path.join(WORK, name)
    if not os.path.exists(binary) or os.path.getmtime(binary) < os.path.getmtime(source):
        flags = run("pkg-config", "--cflags", "--libs", "libmicrohttpd").split()
        run("cc", "-O2", "-Wall", "-o", binary, source, *flags, "-pthread")
    return binary


def inline(memory):
    """Bare libmicrohttpd that answers in the callback; 0 leaves the library's own memory per connection."""
    return lambda port, chosen: [build_baseline("inline"), str(port), str(memory)]


def suspend(threads):
    """libmicrohttpd with suspended connections and a pool of threads."""
    return lambda port, chosen: [build_baseline("suspend"), str(port), "0", str(threads)]


def heddle(port, chosen):
    """Heddle, freshly built for release unless a binary was named."""
    binary = chosen.heddle
    if binary is None:
        say("building heddle (release)")
        run("swift", "build", "--package-path", ROOT, "-c", "release", "--product", "heddle")
        binary = os.path.join(ROOT, ".build", "release", "heddle")
        chosen.heddle = binary
    return [binary, "serve", "--port", str(port), *chosen.heddle_flags]


def nginx(port, chosen):
    """nginx with a constant string."""
    binary = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    if binary is None:
        return None
    with open(os.path.join(HERE, "peers", "nginx.conf"), encoding="utf-8") as file:
        text = file.read().replace("PORT", str(port)).replace("FOLDER", WORK)
    path = os.path.join(WORK, "nginx.conf")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return [binary, "-c", path, "-e", os.path.join(WORK, "nginx-error.log")]


def go(port, chosen):
    """Go's net/http."""
    if shutil.which("go") is None:
        return None
    binary = os.path.join(WORK, "go-peer")
    environment = dict(os.environ, GOCACHE=os.path.join(WORK, "go-cache"), GO111MODULE="off", GOFLAGS="")
    run("go", "build", "-o", binary, os.path.join(HERE, "peers", "go", "main.go"), env=environment)
    return [binary, str(port)]


# Name -> how to make the command that listens on a port; nothing where the server is not installed.
KNOWN = {
    "c-inline": inline(0),
    "c-inline-16k": inline(16384),
    "c-suspend": suspend(4),
    "c-suspend-64": suspend(64),
    "heddle": heddle,
    "nginx": nginx,
    "go": go,
}
PEERS = ["nginx", "go"]


class Server:
    """A server that runs until `end`. `more` is added to its command, after everything else."""

    def __init__(self, name, chosen, pin=None, more=()):
        os.makedirs(WORK, exist_ok=True)
        self.name = name
        self.port = free_port()
        command = KNOWN[name](self.port, chosen)
        if command is None:
            raise FileNotFoundError(name)
        command = [*command, *more]
        if pin is not None:
            command = ["taskset", "-c", str(pin), *command]
        self.log = os.path.join(WORK, name + ".log")
        with open(self.log, "wb") as log:
            self.started = time.monotonic()
            # taskset becomes the server, so this is the server's own process id either way.
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.pid = self.process.pid

    def request(self, path):
        """The whole answer to one request, read until the server closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
        return answer

    def await_answer(self, path, status, pause=0.02):
        """Waits until the server answers, looking every `pause` seconds, and checks what it answers."""
        limit = time.monotonic() + 10
        while True:
            try:
                answer = self.request(path)
                break
            except OSError as error:
                if self.process.poll() is not None or time.monotonic() > limit:
                    status = self.process.poll()
                    why = error if status is None else f"it ended with status {status}"
                    with open(self.log, encoding="utf-8", errors="replace") as log:
                        raise Failure(f"{self.name} does not answer: {why}\n{log.read()}".rstrip()) from error
                time.sleep(pause)
        if not answer.startswith(f"HTTP/1.1 {status} ".encode()):
            raise Failure(f"{self.name} answers {path} with {answer[:200]!r}, not with {status}")
        return answer

    def end(self):
        """Ends this very process: asks first, and waits for it."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

"""Runs wrk, and reads what it prints."""

import os
import re
import subprocess

UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def seconds(text):
    """A time as wrk writes it, such as 651.00us."""
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m|h)", text).groups()
    return float(number) * UNITS[unit]


def parse(text):
    """The figures in wrk's output: requests, rate, p50, p99, socket errors, and answers that are not 2xx or 3xx."""

    def first(pattern):
        found = re.search(pattern, text, re.MULTILINE)
        if found is None:
            raise ValueError(f"not the output of wrk --latency:\n{text}")
        return found.group(1)

    errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    return {
        "requests": int(first(r"^\s*(\d+) requests in ")),
        "rate": float(first(r"^Requests/sec:\s*([\d.]+)")),
        "p50": seconds(first(r"^\s*50%\s+(\S+)")),
        "p99": seconds(first(r"^\s*99%\s+(\S+)")),
        "errors": sum(map(int, errors.groups())) if errors else 0,
        "not2xx": int(refused.group(1)) if refused else 0,
    }


def start(port, path, connections, duration, pin=None, threads=1, pause=0):
    """Starts wrk. `pin` is the core it must run on; `pause` is what each connection waits before a request, in ms."""
    command = ["wrk", f"-t{threads}", f"-c{connections}", f"-d{duration}s", "--latency"]
    if pause:
        command += ["-s", os.path.join(os.path.dirname(os.path.realpath(__file__)), "pause.lua")]
    command.append(f"http://127.0.0.1:{port}{path}")
    if pin is not None:
        command = ["taskset", "-c", str(pin), *command]
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=dict(os.environ, HEDDLE_BENCH_PAUSE=str(pause)),
    )


def finish(process, duration):
    """Waits for a wrk that was started, and reads its figures."""
    try:
        text, _ = process.communicate(timeout=duration + 30)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    return parse(text)


def give_up(process):
    """Ends a wrk whose figures nobody wants."""
    process.kill()
    process.communicate()

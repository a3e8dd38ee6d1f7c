"""Idle connections: what they cost the active ones, and how much memory each takes."""

import contextlib
import resource
import subprocess
import time

import wrk
from facts import Missing, percent, spread, times
from process import Usage, descriptors, resident_megabytes, threads
from servers import Failure, Server, build_baseline

COUNTS = [1_000, 10_000]
# The same memory for each connection on both sides.
SERVERS = ["c-inline-16k", "heddle"]
ABOUT = (
    "GET /plaintext on active connections, without and with idle ones beside them, in turn (A B A B); medians of the "
    "rounds, with their range. Each idle connection has had one answer and is kept. Memory is the growth of the "
    "resident memory of a fresh server, already warm, when they are opened for the first time; the kernel's own for "
    "the sockets is not in it."
)
HEADS = [
    "server", "idle connections", "requests/s without", "with", "fewer", "bar",
    "CPU per request without", "with", "ratio", "memory per idle connection", "threads without, with",
]  # fmt: skip


def raise_descriptors(needed):
    """Raises the limit on open files, for this process and those that it starts, as far as it may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise Missing(f"{needed:,} open files are needed, and the hard limit is {hard:,}")
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard != resource.RLIM_INFINITY else needed, hard))


@contextlib.contextmanager
def held(server, count, table):
    """Idle connections while the body runs."""
    program = [build_baseline("hold"), str(server.port), str(count), "/plaintext"]
    holder = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        line = holder.stdout.readline().strip()
        if line != f"held {count}":
            raise Missing(f"{server.name}, {count:,} idle connections: {line}")
        yield
        line, _ = holder.communicate(timeout=60)
        still = line.strip()
        table.premise(still == f"open {count}", f"{server.name}: of {count:,} idle connections at the end: {still}")
    finally:
        if holder.poll() is None:
            holder.kill()
        holder.communicate()


def load(server, chosen, seconds):
    """The active connections."""
    usage = Usage(server.pid)
    sample = wrk.finish(wrk.start(server.port, "/plaintext", chosen.connections, seconds), seconds)
    cpu, _ = usage.since()
    return dict(sample, cpu=cpu / max(1, sample["requests"]), threads=threads(server.pid))


def settle(server, before):
    """Waits until the server has closed what was held."""
    limit = time.monotonic() + 10
    while descriptors(server.pid) > before:
        if time.monotonic() > limit:
            raise Failure(f"{server.name} keeps {descriptors(server.pid)} descriptors, {before} before")
        time.sleep(0.02)


def one_round(server, chosen, count, table):
    """Without and with idle connections."""
    open_before = descriptors(server.pid)
    without = load(server, chosen, chosen.seconds)
    settle(server, open_before)
    memory = resident_megabytes(server.pid)
    with held(server, count, table):
        memory = resident_megabytes(server.pid) - memory
        accepted = descriptors(server.pid) - open_before
        table.premise(accepted == count, f"{server.name} has {accepted:,} connections of {count:,} that are held")
        beside = load(server, chosen, chosen.seconds)
    settle(server, open_before)
    return {"without": without, "with": beside, "memory": memory * 1024 / count}


def measure(chosen, count, table):
    """All servers with one number of idle connections: server -> rounds."""
    most = count + 2 * chosen.connections
    servers, rounds = [], {}
    try:
        for name in SERVERS:
            more = ["--max-connections", str(most)] if name == "heddle" else [str(most)]
            server = Server(name, chosen, more=more)
            servers.append(server)
            server.await_answer("/plaintext", 200)
            load(server, chosen, 1)
            rounds[name] = []
        for _ in range(chosen.rounds):
            for server in servers:
                rounds[server.name].append(one_round(server, chosen, count, table))
    finally:
        for server in servers:
            server.end()
    return rounds


def fill(table, name, count, rounds):
    """The row of a server."""
    without, beside = [sample["without"] for sample in rounds], [sample["with"] for sample in rounds]
    pairs = list(zip(without, beside))
    errors = sum(sample["errors"] + sample["not2xx"] for sample in without + beside)
    table.premise(errors == 0, f"{name}: {errors} socket errors or refusals")
    table.row(
        name,
        f"{count:,}",
        spread([sample["rate"] for sample in without], "{:,.0f}".format),
        spread([sample["rate"] for sample in beside], "{:,.0f}".format),
        spread([1 - own["rate"] / base["rate"] for base, own in pairs], percent),
        "≤ 5 %" if name == "heddle" else "",
        times([sample["cpu"] for sample in without]),
        times([sample["cpu"] for sample in beside]),
        spread([own["cpu"] / base["cpu"] for base, own in pairs]),
        f"{rounds[0]['memory']:.1f} KiB",
        f"{max(sample['threads'] for sample in without)}, {max(sample['threads'] for sample in beside)}",
    )


def connections(chosen, table):
    """Each number of idle connections, on fresh servers."""
    samples = {}
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        for count in COUNTS:
            try:
                raise_descriptors(count + 2 * chosen.connections + 100)
                samples[count] = measure(chosen, count, table)
            except Missing as missing:
                table.row("all", f"{count:,}", f"not measured: {missing}")
                continue
            for name, rounds in samples[count].items():
                fill(table, name, count, rounds)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    return samples

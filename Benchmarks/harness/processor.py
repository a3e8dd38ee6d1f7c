"""Handlers that compute: how much of the processors they get, by how many threads, and what blocked ones cost them."""

import os
import threading
import time

import wrk
from client import Client
from facts import percent, spread
from process import cpu_seconds, machine_seconds
from servers import Failure, Server

CLIENTS, MILLISECONDS = 32, 5
PATH, BLOCKING = f"/lab/cpu?ms={MILLISECONDS}", "/lab/sleep?ms=50"
ABOUT = (
    f"{CLIENTS} connections on {PATH}, alone and beside {CLIENTS} on {BLOCKING}, in turn, each on a fresh server; "
    f"medians of the rounds, with their range. The ideal is {1000 // MILLISECONDS} requests per second for each core. "
    "The loss compares both turns of a round. What others left is the ideal of the processor time that no other "
    "process and no hypervisor took; the load is among those others. Threads are those of /api/threads: the most at "
    "once, those at the end, and how many of them ran or were blocked on average, looked at every 50 ms."
)
HEADS = [
    "load", "requests/s", "of the ideal", "bar", "of what others left", "loss", "bar",
    "most threads", "at the end", "running", "blocked", "blocking requests/s", "processors used by others",
]  # fmt: skip


class Watch:
    """Reads the counts of the threads again and again, in a thread of its own, until it is left."""

    def __init__(self, port):
        self.port, self.over, self.seen = port, threading.Event(), []
        self.thread = threading.Thread(target=self.look)

    def look(self):
        """Every 50 ms."""
        with Client(self.port) as client:
            while not self.over.wait(0.05):
                self.seen.append(client.counts())

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *reason):
        self.over.set()
        self.thread.join()

    def mean(self, key):
        """The mean of a count."""
        return sum(counts[key] for counts in self.seen) / max(1, len(self.seen))


def turn(chosen, beside):
    """One load on a fresh server, after a second in which it finds its threads."""
    cores = len(os.sched_getaffinity(0))
    blocking = None
    server = Server("heddle", chosen)
    try:
        server.await_answer("/plaintext", 200)
        if beside:
            blocking = wrk.start(server.port, BLOCKING, CLIENTS, chosen.seconds + 2)
        wrk.finish(wrk.start(server.port, PATH, CLIENTS, 1), 1)
        # What the first wrk left behind is computed all the same, and must not be part of the next one's time.
        time.sleep(0.5)
        with Watch(server.port) as watch:
            start, machine, own = time.monotonic(), machine_seconds(), cpu_seconds(server.pid)
            figures = wrk.finish(wrk.start(server.port, PATH, CLIENTS, chosen.seconds), chosen.seconds)
            others = (machine_seconds() - machine) - (cpu_seconds(server.pid) - own)
            others /= cores * (time.monotonic() - start)
        blocked = wrk.finish(blocking, chosen.seconds)["rate"] if beside else 0
    finally:
        if blocking is not None and blocking.poll() is None:
            wrk.give_up(blocking)
        server.end()
    if not watch.seen:
        raise Failure("/api/threads did not answer during the load")
    last, share = watch.seen[-1], figures["rate"] / (cores * 1000 / MILLISECONDS)
    return {
        "rate": figures["rate"],
        "share": share,
        "of_rest": share / max(0.01, 1 - others),
        "errors": figures["errors"] + figures["not2xx"],
        "others": others,
        "peak": last["peak"],
        "total": last["total"],
        "running": watch.mean("running"),
        "blocked": watch.mean("blocked"),
        "blocking": blocked,
    }


def cpu(chosen, table):
    """Alone and beside blocking requests, in turn."""
    alone, beside = [], []
    for _ in range(chosen.rounds):
        alone.append(turn(chosen, False))
        beside.append(turn(chosen, True))
    cores = len(os.sched_getaffinity(0))
    losses = [1 - own["rate"] / base["rate"] for own, base in zip(beside, alone)]
    for name, rounds in (("computing alone", alone), ("beside blocking requests", beside)):
        is_alone = rounds is alone
        table.premise(not any(sample["errors"] for sample in rounds), f"errors or refusals, {name}")
        others = max(sample["others"] for sample in rounds)
        table.premise(others < 0.05, f"{name}, up to {percent(others)} of the processors went to others")
        table.row(
            name,
            spread([sample["rate"] for sample in rounds], "{:,.0f}".format),
            spread([sample["share"] for sample in rounds]),
            "≥ 0.95" if is_alone else "",
            spread([sample["of_rest"] for sample in rounds]),
            "" if is_alone else spread(losses, percent),
            "" if is_alone else "≤ 10 %",
            f"{max(sample['peak'] for sample in rounds)} (needed: {cores} and a leader"
            + (")" if is_alone else f", and {CLIENTS} that block)"),
            max(sample["total"] for sample in rounds),
            spread([sample["running"] for sample in rounds], "{:.1f}".format),
            spread([sample["blocked"] for sample in rounds], "{:.1f}".format),
            "" if is_alone else spread([s["blocking"] for s in rounds], "{:,.0f}".format) + f" of {CLIENTS * 20}",
            spread([sample["others"] for sample in rounds], percent),
        )
    return {"alone": alone, "beside": beside}

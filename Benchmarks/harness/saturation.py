"""What introspection costs its reader while every worker is blocked and the queue is full."""

import json
import time

import wrk
from client import Client, percentile
from facts import times
from report import time_text
from servers import Server

MOST, WAITING, CLIENTS, REQUESTS = 8, 16, 64, 500
PAUSES = {"at once": 0, "after 100 ms": 100}
PATHS = ["/healthz", "/api/threads"]
ABOUT = (
    f"{CLIENTS} clients on /lab/sleep?ms=1000 with --max-threads {MOST} --queue-limit {WAITING}: all workers but the "
    "leader are inside a handler, the queue is full, and every further request is refused with 503. One more "
    f"connection asks {REQUESTS} times in each round, a request every few milliseconds; the medians of the rounds "
    "with their range, and the longest of all. Its own work is in these times."
)
HEADS = [
    "refused clients ask again", "path", "p50", "p99", "bar", "longest", "503 meanwhile", "inside handlers, queue",
]  # fmt: skip


def is_full(client):
    """Whether no worker is free and no request more would be taken."""
    counts, queue = client.counts(), client.document("/api/stats")["queue"]
    return counts["blocked"] + counts["running"] >= MOST - 1 and queue["depth"] == queue["limit"] == WAITING


def becomes_full(client, limit):
    """Whether it is full within `limit` seconds. A place in the queue is free for a moment whenever a handler ends."""
    end = time.monotonic() + limit
    while not is_full(client):
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def one_round(client, path, table):
    """Times of one path, and what else went on meanwhile."""
    before = becomes_full(client, 5)
    rejected = client.document("/api/stats")["queue"]["rejectedTotal"]
    took, bodies = client.timed(path, REQUESTS, 0.002)
    after = becomes_full(client, 0.5)
    stats, counts = client.document("/api/stats"), client.counts()
    table.premise(before and after, "the workers were not all blocked or the queue was not full, before or after")
    if path == "/api/threads":
        inside = [sum(json.loads(body)["counts"][key] for key in ("blocked", "running")) for body in bodies]
        share = sum(count >= MOST - 1 for count in inside) / len(inside)
        table.premise(share > 0.9, f"workers were free in {1 - share:.0%} of the answers")
    return {
        "p50": percentile(took, 0.5),
        "p99": percentile(took, 0.99),
        "longest": max(took),
        "refused": stats["queue"]["rejectedTotal"] - rejected,
        "inside": counts["blocked"] + counts["running"],
        "depth": stats["queue"]["depth"],
    }


def saturated(chosen, table):
    """Both paths, with refused clients that ask again at once, and with such that wait a moment."""
    samples = {}
    flags = ["--max-threads", str(MOST), "--queue-limit", str(WAITING)]
    for name, pause in PAUSES.items():
        server = Server("heddle", chosen, more=flags)
        load = None
        try:
            server.await_answer("/plaintext", 200)
            # Longer than needed: the load is ended when everything is measured.
            load = wrk.start(server.port, "/lab/sleep?ms=1000", CLIENTS, 600, pause=pause)
            with Client(server.port) as client:
                rounds = {path: [] for path in PATHS}
                for _ in range(chosen.rounds):
                    for path in PATHS:
                        rounds[path].append(one_round(client, path, table))
        finally:
            if load is not None:
                wrk.give_up(load)
            server.end()
        for path, found in rounds.items():
            table.premise(all(sample["refused"] for sample in found), "nothing was refused")
            table.row(
                name,
                path,
                times([sample["p50"] for sample in found]),
                times([sample["p99"] for sample in found]),
                "≤ 10 ms",
                time_text(max(sample["longest"] for sample in found)),
                f"{sum(sample['refused'] for sample in found):,}",
                f"{found[-1]['inside']} of {MOST}, {found[-1]['depth']} of {WAITING}",
            )
        samples[name] = rounds
    return samples

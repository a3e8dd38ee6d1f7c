"""Threads come when the load needs them and go when it does not, and the server's books about that are right."""

import time

import wrk
from client import Client
from report import time_text
from servers import Server

LOAD_SECONDS = 3
GROW = (
    "32 clients on /lab/sleep?ms=50 with --min-threads 2 --max-threads 16 --idle-timeout 500ms, then nothing. The "
    "time is from the end of the load to the first look at /api/threads, every 20 ms, that finds the minimum. The "
    "counts are compared with /api/events."
)
BURST = (
    "200 clients on /lab/sleep?ms=200 with --min-threads 2 --max-threads 256 --idle-timeout 2s, then one request per "
    "second, which must not keep threads alive. The time is from the end of the load to the first look at "
    "/api/threads, every 20 ms, that finds the minimum. The counts are compared with /api/events."
)
HEADS = [
    "most threads", "bar", "at rest", "back at the minimum after", "bar", "requests meanwhile",
    "spawned: counted, events", "ended idle: counted, events",
]  # fmt: skip


def one_round(chosen, table, flags, clients, path, minimum, limit, trickle):
    """One load, and what follows; gives up when the threads are not back `limit` seconds after it."""
    server = Server("heddle", chosen, more=flags)
    try:
        server.await_answer("/plaintext", 200)
        figures = wrk.finish(wrk.start(server.port, path, clients, LOAD_SECONDS), LOAD_SECONDS)
        table.premise(not figures["errors"] + figures["not2xx"], "the load had errors or refusals")
        with Client(server.port) as watcher, Client(server.port) as visitor:
            end = time.monotonic()
            next_visit, visits = end, 0
            while True:
                counts = watcher.counts()
                took = time.monotonic() - end
                if counts["total"] <= minimum or took > limit:
                    break
                if trickle and time.monotonic() >= next_visit:
                    visitor.get("/plaintext")
                    next_visit, visits = next_visit + 1, visits + 1
                time.sleep(0.02)
            # A while later they are still those of the minimum, and the books are closed.
            time.sleep(0.3)
            counts, events = watcher.counts(), watcher.events()
    finally:
        server.end()
    spawned = sum(event["kind"] == "spawned" for event in events)
    idle = sum(event["kind"] == "ended" and event["reason"] == "idle" for event in events)
    table.premise(not events or events[0]["id"] == 1, "the first events are gone already")
    if counts["total"] != counts["spawnedTotal"] - counts["endedTotal"]:
        table.note("**{total} threads, but {spawnedTotal} spawned and {endedTotal} ended**".format(**counts))
    return {
        "peak": counts["peak"],
        "total": counts["total"],
        "took": took if took <= limit else None,
        "visits": visits,
        "spawned": counts["spawnedTotal"],
        "spawn_events": spawned,
        "idle": counts["endedIdleTotal"],
        "idle_events": idle,
    }


def fill(table, sample, bar_peak, minimum, bar_time, limit):
    """The row of a round."""
    if (sample["spawned"], sample["idle"]) != (sample["spawn_events"], sample["idle_events"]):
        table.note("**the counts do not agree with the events**")
    table.row(
        sample["peak"], bar_peak, f"{sample['total']}, minimum {minimum}",
        f"not within {limit} s" if sample["took"] is None else time_text(sample["took"]), bar_time, sample["visits"],
        f"{sample['spawned']}, {sample['spawn_events']}", f"{sample['idle']}, {sample['idle_events']}",
    )  # fmt: skip


def grow(chosen, table):
    """Few threads."""
    flags = ["--min-threads", "2", "--max-threads", "16", "--idle-timeout", "500ms"]
    sample = one_round(chosen, table, flags, 32, "/lab/sleep?ms=50", 2, 10, False)
    table.premise(sample["peak"] == 16, f"{sample['peak']} threads")
    fill(table, sample, "16", 2, "≤ 3 s", 10)
    return sample


def burst(chosen, table):
    """Many threads; the bound is the idle timeout and a second."""
    flags = ["--min-threads", "2", "--max-threads", "256", "--idle-timeout", "2s"]
    sample = one_round(chosen, table, flags, 200, "/lab/sleep?ms=200", 2, 15, True)
    table.premise(sample["peak"] > 200, f"only {sample['peak']} threads")
    fill(table, sample, "> 200", 2, "≤ 3 s", 15)
    return sample

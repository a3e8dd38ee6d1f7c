"""What one server does over time, rather than how fast it is beside another: each gives rows of what was found and what was wanted."""

import collections
import os
import statistics
import subprocess
import threading
import time

import clients
import wrk
from process import cpu_seconds, resident_megabytes
from servers import Server, build_baseline, free_port, heddle, say

Row = collections.namedtuple("Row", "what found wanted holds")
Scenario = collections.namedtuple("Scenario", "name about run")


def started(chosen, *flags, name="heddle"):
    """A server of its own, with these flags, that answers."""
    own = type(chosen)(**vars(chosen))
    own.heddle_flags = [*flags, *chosen.heddle_flags]
    server = Server(name, own)
    chosen.heddle = own.heddle
    server.await_answer("/plaintext", 200)
    return server


def wait_for(condition, seconds):
    """Whether something comes true in time, and after how long."""
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        if condition():
            return time.monotonic() - start
        time.sleep(0.01)
    return None


def milliseconds(seconds):
    return f"{seconds * 1e3:.2f} ms"


def saturated(chosen):
    server = started(chosen, "--max-threads", "8", "--queue-limit", "16")
    rows = []
    try:
        with clients.load(server.port, "/lab/sleep?ms=1000", 64, pause=0.02) as counts, clients.Client(server.port) as api:

            def is_full():
                stats, threads = api.json("/api/stats"), api.json("/api/threads")
                return stats["queue"]["depth"] >= 16 and threads["counts"]["blocked"] + threads["counts"]["running"] >= 7

            after = wait_for(is_full, 10)
            rows.append(Row("all workers but the leader blocked, queue full", "yes" if after is not None else "no", "yes", after is not None))
            for path in ("/api/threads", "/healthz"):
                times = clients.latencies(server.port, path, 500)
                p99 = clients.quantile(times, 0.99)
                rows.append(
                    Row(
                        f"{path}, 500 requests meanwhile: p50, p99, longest",
                        ", ".join(milliseconds(clients.quantile(times, part)) for part in (0.5, 0.99, 1)),
                        "p99 under 10 ms", p99 < 0.01,
                    )
                )
            rows.append(Row("still so at the end", "yes" if is_full() else "no", "yes", is_full()))
        refused, answered = counts.get(503, 0), counts.get(200, 0)
        rows.append(Row("answers of the load: 200, 503", f"{answered:,}, {refused:,}", "both", answered > 0 and refused > 0))
        rows.append(Row("clients of the load that failed", counts.get("failed", 0), "0", counts.get("failed", 0) == 0))
    finally:
        server.end()
    return rows


def processor(chosen):
    cores = len(os.sched_getaffinity(0))
    server = started(chosen)
    rows, rates, mixed, threads, most = [], [], [], [], 0
    try:
        for _ in range(chosen.rounds):
            alone = wrk.finish(wrk.start(server.port, "/lab/cpu?ms=5", 32, chosen.seconds), chosen.seconds)
            with clients.Client(server.port) as api:
                counts = api.json("/api/threads")["counts"]
            threads.append(counts["total"])
            most = max(most, counts["peak"])
            slow = wrk.start(server.port, "/lab/sleep?ms=50", 32, chosen.seconds)
            beside = wrk.finish(wrk.start(server.port, "/lab/cpu?ms=5", 32, chosen.seconds), chosen.seconds)
            wrk.finish(slow, chosen.seconds)
            rates.append(alone["rate"])
            mixed.append(beside["rate"] / alone["rate"])
            say(f"processor: {alone['rate']:.1f}/s, {beside['rate']:.1f}/s beside sleepers, {threads[-1]} threads, peak {most}")
            time.sleep(1)
    finally:
        server.end()
    part = statistics.median(rates) / (cores * 200)
    rows.append(
        Row(
            "/lab/cpu?ms=5, 32 connections: requests/s, and the part of the ideal "
            f"({cores} cores × 200/s, which leaves nothing for the load generator)",
            f"{statistics.median(rates):.1f}, {part:.3f}", "at least 0.95", part >= 0.95,
        )
    )
    rows.append(Row("threads at the end of the first run, the leader among them", threads[0], f"at most {cores * 2 + 1}", threads[0] <= cores * 2 + 1))
    loss = 1 - statistics.median(mixed)
    rows.append(
        Row("requests/s lost when 32 connections of /lab/sleep?ms=50 are added", f"{loss * 100:.1f} %", "at most 10 %", loss <= 0.1)
    )
    return rows


def shrink(chosen, name, flags, path, connections, seconds, wanted, idle, trickle):
    server = started(chosen, *flags)
    rows = []
    try:
        with clients.Client(server.port) as api:
            least = api.json("/api/threads")["counts"]["min"]
            load = wrk.start(server.port, path, connections, seconds)
            most = 0
            while load.poll() is None:
                most = max(most, api.json("/api/threads")["counts"]["total"])
                time.sleep(0.05)
            wrk.finish(load, seconds)
            end = time.monotonic()
            rows.append(Row(f"most threads, {connections} connections on {path}", most, f"at least {wanted}", most >= wanted))
            asked = 0

            def is_small():
                nonlocal asked
                if trickle and time.monotonic() - end > asked:
                    asked += 1
                    with clients.Client(server.port) as client:
                        client.get("/plaintext")
                return api.json("/api/threads")["counts"]["total"] <= least

            after = wait_for(is_small, idle + 10)
            what = "one request a second meanwhile" if trickle else "no request meanwhile"
            rows.append(
                Row(
                    f"back at the minimum of {least} ({what})", "never" if after is None else f"after {after:.2f} s",
                    f"{idle:g} s idle time + 1 s", after is not None and after <= idle + 1,
                )
            )
            counts = api.json("/api/threads")["counts"]
            events = api.json("/api/events")["events"]
            spawned = sum(event["kind"] == "spawned" for event in events)
            ended = sum(event["kind"] == "ended" for event in events)
            agrees = spawned == counts["spawnedTotal"] and ended == counts["endedTotal"]
            is_whole = counts["spawnedTotal"] + counts["endedTotal"] <= len(events)
            rows.append(
                Row(
                    "threads made and ended by the counters; by the events",
                    f"{counts['spawnedTotal']}, {counts['endedTotal']}; {spawned}, {ended}",
                    "the same" if is_whole else "the ring keeps the last ones only", agrees or not is_whole,
                )
            )
    finally:
        server.end()
    return rows


def burst(chosen):
    flags = ("--max-threads", "256", "--idle-timeout", "2s")
    return shrink(chosen, "burst", flags, "/lab/sleep?ms=200", 220, 4, 200, 2, True)


def grow(chosen):
    flags = ("--min-threads", "2", "--max-threads", "16", "--idle-timeout", "500ms")
    return shrink(chosen, "grow", flags, "/lab/sleep?ms=50", 32, 3, 16, 0.5, False)


def connections(chosen):
    rows = []
    limit = clients.raise_descriptor_limit(24_000)
    holder = build_baseline("hold")
    for count in (1_000, 10_000):
        if limit < count + 300:
            rows.append(Row(f"{count:,} idle connections", f"left out: only {limit:,} descriptors may be open", "", True))
            continue
        for name in ("heddle", "c-inline"):
            server = started(chosen, "--max-connections", str(count + 200), "--connection-timeout", "0", name=name)
            try:
                load = lambda: wrk.finish(wrk.start(server.port, "/plaintext", chosen.connections, chosen.seconds), chosen.seconds)
                load()
                with clients.Client(server.port) as api:
                    threads = {False: [], True: []}
                    ratios, costs, memory = [], [], 0.0
                    for number in range(chosen.rounds):
                        # With and without take turns, and each goes first every other time.
                        found = {}
                        for held in (False, True) if number % 2 == 0 else (True, False):
                            crowd = None
                            before = resident_megabytes(server.pid)
                            if held:
                                crowd = subprocess.Popen(
                                    [holder, str(server.port), str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                                )
                                # A server that does not take so many keeps the rest waiting for ever.
                                deadline = threading.Timer(60, crowd.kill)
                                deadline.start()
                                ready = crowd.stdout.readline().split()
                                deadline.cancel()
                                if ready != ["ready", str(count)]:
                                    raise RuntimeError(f"hold has opened {ready} of {count} connections")
                                if number == 0:
                                    memory = (resident_megabytes(server.pid) - before) * 1024 / count
                            try:
                                used = cpu_seconds(server.pid)
                                sample = load()
                                found[held] = (sample["rate"], (cpu_seconds(server.pid) - used) / sample["requests"])
                                if name == "heddle":
                                    threads[held].append(api.json("/api/threads")["counts"]["total"])
                            finally:
                                if crowd:
                                    crowd.stdin.close()
                                    crowd.wait(timeout=30)
                                    crowd.stdout.close()
                                    time.sleep(0.5)
                        ratios.append(found[True][0] / found[False][0])
                        costs.append(found[True][1] / found[False][1])
                        say(f"connections {count} {name}: rate × {ratios[-1]:.3f}, CPU per request × {costs[-1]:.3f}")
                rate, cost = statistics.median(ratios), statistics.median(costs)
                is_ours = name == "heddle"
                rows.append(
                    Row(
                        f"{name}: requests/s on {chosen.connections} connections with {count:,} idle ones beside them, over those without",
                        f"{rate:.3f}", "at least 0.95" if is_ours else "", rate >= 0.95 or not is_ours,
                    )
                )
                rows.append(Row(f"{name}: CPU per request, likewise", f"{cost:.3f}", "", True))
                rows.append(Row(f"{name}: memory for each idle connection", f"{memory:.1f} KiB", "", True))
                if is_ours:
                    without, beside = statistics.median(threads[False]), statistics.median(threads[True])
                    rows.append(Row(f"{name}: threads with them, and without", f"{beside:g}, {without:g}", "no more", beside <= without))
            finally:
                server.end()
    return rows


def startup(chosen):
    times, resident = [], []
    for _ in range(11):
        port = free_port()
        command = heddle(port, chosen)
        begin = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while True:
                try:
                    with clients.Client(port) as client:
                        client.get("/plaintext")
                    break
                except OSError:
                    if time.monotonic() - begin > 10:
                        raise
            times.append(time.monotonic() - begin)
            time.sleep(0.2)
            resident.append(resident_megabytes(process.pid))
        finally:
            process.terminate()
            process.wait(timeout=30)
    first, memory = statistics.median(times), statistics.median(resident)
    return [
        Row("from the start of the process to the first answer, median of 11", milliseconds(first), "under 50 ms", first < 0.05),
        Row("resident memory after it", f"{memory:.1f} MB", "under 20 MB", memory < 20),
    ]


SCENARIOS = {
    scenario.name: scenario
    for scenario in [
        Scenario("saturated", "all workers blocked and the queue full: `--max-threads 8 --queue-limit 16`, 64 clients on /lab/sleep?ms=1000", saturated),
        Scenario("processor", "handlers that compute", processor),
        Scenario("burst", "`--max-threads 256 --idle-timeout 2s`: a burst, then one request a second", burst),
        Scenario("grow", "`--min-threads 2 --max-threads 16 --idle-timeout 500ms`: a load that blocks, then nothing", grow),
        Scenario("connections", "idle connections beside busy ones, with and without in turn", connections),
        Scenario("startup", "start and rest", startup),
    ]
}  # fmt: skip


def table(scenario, rows):
    """The table of a scenario."""
    lines = [
        f"### {scenario.name}", "", f"{scenario.about[0].upper()}{scenario.about[1:]}.", "",
        "| what | found | wanted | |", "| --- | ---: | ---: | --- |",
    ]  # fmt: skip
    for row in rows:
        mark = "" if not row.wanted else "yes" if row.holds else "**no**"
        lines.append(f"| {row.what} | {row.found} | {row.wanted} | {mark} |")
    return "\n".join(lines)

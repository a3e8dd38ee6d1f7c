"""Settings against the defaults: what the defaults were chosen by."""

import wrk
from facts import spread, times
from process import Usage
from report import ratio
from servers import Server

# What is compared: the threads of wrk, and the flags against the defaults.
GROUPS = [
    (1, [["--lanes", "2"]]),
    (2, [["--lanes", "2"]]),
    (1, [["--max-header", "2KiB"], ["--max-header", "6KiB"], ["--max-header", "30KiB"]]),
]
ABOUT = (
    "GET /plaintext, keep-alive; the defaults and each setting in turn; medians, and ratios to the defaults in the "
    "same round, with their range. libmicrohttpd gets 2 KiB of memory per connection more than --max-header says, so "
    "these are 4, 8 and 32 KiB against 16."
)
HEADS = ["setting", "load", "CPU per request", "ratio", "requests/s", "ratio", "p99", "switches per request"]


def load(server, chosen, seconds, threads):
    """One wrk against one server."""
    usage = Usage(server.pid)
    started = wrk.start(server.port, "/plaintext", chosen.connections, seconds, threads=threads)
    sample = wrk.finish(started, seconds)
    cpu, switches = usage.since()
    answered = max(1, sample["requests"])
    return dict(sample, cpu=cpu / answered, switches=switches / answered)


def group(chosen, table, threads, settings):
    """The defaults and some settings: name -> rounds."""
    names = ["defaults", *(" ".join(flags) for flags in settings)]
    servers, rounds = [], {name: [] for name in names}
    try:
        for flags in ([], *settings):
            server = Server("heddle", chosen, more=flags)
            servers.append(server)
            server.await_answer("/plaintext", 200)
            load(server, chosen, 1, threads)
        for _ in range(chosen.rounds):
            for name, server in zip(names, servers):
                rounds[name].append(load(server, chosen, chosen.seconds, threads))
    finally:
        for server in servers:
            server.end()
    for name, own in rounds.items():
        errors = sum(sample["errors"] + sample["not2xx"] for sample in own)
        table.premise(errors == 0, f"{name}: {errors} socket errors or refusals")
        table.row(
            name,
            f"wrk -t{threads} -c{chosen.connections}",
            times([sample["cpu"] for sample in own]),
            ratio(own, rounds["defaults"], "cpu"),
            spread([sample["rate"] for sample in own], "{:,.0f}".format),
            ratio(own, rounds["defaults"], "rate"),
            times([sample["p99"] for sample in own]),
            spread([sample["switches"] for sample in own], "{:.3f}".format),
        )
    return rounds


def options(chosen, table):
    """All groups, each with its own defaults."""
    return {f"wrk -t{threads}, {settings}": group(chosen, table, threads, settings) for threads, settings in GROUPS}

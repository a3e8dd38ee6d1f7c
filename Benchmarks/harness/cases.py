"""What is measured. A case gives one sample for each server and round; a scenario fills a table of its own."""

import collections
import os
import subprocess
import time

import calls
import choices
import held
import processor
import report
import saturation
import shrinking
import starting
import wrk
from facts import Missing, Table
from process import Usage, resident_megabytes
from servers import PEERS, Failure, Server, say

Case = collections.namedtuple("Case", "name about path status servers peers pinned measure")
Scenario = collections.namedtuple("Scenario", "about heads measure")


def load(server, chosen, pin, path, connections, duration):
    """One wrk against a server, and what the server used for it."""
    usage = Usage(server.pid)
    sample = wrk.finish(wrk.start(server.port, path, connections, duration, pin), duration)
    cpu, switches = usage.since()
    answered = max(1, sample["requests"])
    return dict(sample, cpu=cpu / answered, switches=switches / answered)


def measure_plain(case, server, chosen, pin):
    """Many connections."""
    load(server, chosen, pin, case.path, chosen.connections, 1)
    return load(server, chosen, pin, case.path, chosen.connections, chosen.seconds)


def measure_latency(case, server, chosen, pin):
    """One connection, and the mean latency as the reciprocal of the rate: wrk's percentiles are whole microseconds."""
    load(server, chosen, pin, case.path, 1, 1)
    sample = load(server, chosen, pin, case.path, 1, chosen.seconds)
    return dict(sample, mean=1 / max(sample["rate"], 1e-9))


def measure_mixed(case, server, chosen, pin):
    """Half the connections ask for what blocks for 50 ms; the figures are those of the other half."""
    half = max(1, chosen.connections // 2)
    slow_path = "/lab/sleep?ms=50"
    for duration in (1, chosen.seconds):
        usage = Usage(server.pid)
        slow = wrk.start(server.port, slow_path, half, duration, pin)
        try:
            fast = wrk.finish(wrk.start(server.port, case.path, half, duration, pin), duration)
        finally:
            slow_figures = wrk.finish(slow, duration)
        cpu, switches = usage.since()
    answered = max(1, fast["requests"] + slow_figures["requests"])
    return dict(
        fast,
        cpu=cpu / answered,
        switches=switches / answered,
        errors=fast["errors"] + slow_figures["errors"],
        not2xx=fast["not2xx"] + slow_figures["not2xx"],
        slow_rate=slow_figures["rate"],
        slow_possible=half / 0.05,
        slow_p99=slow_figures["p99"],
    )


def measure_idle(case, server, chosen, pin):
    """Nothing at all, after a short load; a server that is at rest makes no context switch."""
    load(server, chosen, pin, case.path, chosen.connections, 1)
    time.sleep(1)
    usage = Usage(server.pid)
    time.sleep(chosen.seconds)
    cpu, switches = usage.since()
    return {"cpu": cpu, "switches": switches, "resident": resident_megabytes(server.pid)}


CASES = {
    case.name: case
    for case in [
        Case(
            "plaintext", "GET /plaintext, keep-alive", "/plaintext", 200,
            ["c-inline", "c-inline-16k", "c-suspend", "heddle"], True, False, measure_plain,
        ),
        Case(
            "latency", "one connection; server and wrk pinned to the same core", "/plaintext", 200,
            ["c-inline", "c-inline-16k", "heddle"], True, True, measure_latency,
        ),
        Case(
            "mixed", "half the connections on /lab/sleep?ms=50, half on /plaintext", "/plaintext", 200,
            ["c-suspend-64", "heddle"], False, False, measure_mixed,
        ),
        Case(
            "throw", "GET /lab/throw: the handler fails, the answer is 500", "/lab/throw", 500,
            ["c-inline", "heddle"], False, False, measure_plain,
        ),
        Case("idle", "no request at all", "/plaintext", 200, ["c-inline", "heddle"], True, False, measure_idle),
    ]
}  # fmt: skip

SCENARIOS = {
    "startup": Scenario(starting.ABOUT, starting.HEADS, starting.startup),
    "saturated": Scenario(saturation.ABOUT, saturation.HEADS, saturation.saturated),
    "cpu": Scenario(processor.ABOUT, processor.HEADS, processor.cpu),
    "grow": Scenario(shrinking.GROW, shrinking.HEADS, shrinking.grow),
    "burst": Scenario(shrinking.BURST, shrinking.HEADS, shrinking.burst),
    "connections": Scenario(held.ABOUT, held.HEADS, held.connections),
    "calls": Scenario(calls.ABOUT, calls.HEADS, calls.calls),
    "options": Scenario(choices.ABOUT, choices.HEADS, choices.options),
}

NAMES = [*CASES, *SCENARIOS]
# What helps to choose between settings is asked for by name.
ALL = [name for name in NAMES if name != "options"]


def chosen_servers(case, chosen):
    """The servers of a case, the reference first."""
    if chosen.servers:
        return chosen.servers
    return case.servers + (PEERS if chosen.peers and case.peers else [])


def run(case, chosen):
    """All rounds of a case: server -> samples. All servers stay up; those whose turn it is not are idle."""
    # The last core that we may use: the first one has the most interrupts to serve.
    pin = max(os.sched_getaffinity(0)) if case.pinned else None
    servers, samples = [], {}
    try:
        for name in chosen_servers(case, chosen):
            try:
                server = Server(name, chosen, pin)
            except FileNotFoundError:
                say(f"{name} is not installed: left out")
                continue
            servers.append(server)
            answer = server.await_answer(case.path, case.status)
            samples[name] = {"bytes": len(answer), "rounds": []}
        for number in range(1, chosen.rounds + 1):
            for server in servers:
                sample = case.measure(case, server, chosen, pin)
                samples[server.name]["rounds"].append(sample)
                say(
                    f"{case.name} {number}/{chosen.rounds} {server.name}: "
                    + ", ".join(f"{key} {value:.6g}" for key, value in sample.items())
                )
    finally:
        for server in servers:
            server.end()
    return samples


def measured(name, chosen):
    """The table of a case or scenario in Markdown, its samples, and whether all of it went as it should.

    What a machine does not allow is said in the table, and is no failure.
    """
    if name in CASES:
        table = Table(name, CASES[name].about[0].upper() + CASES[name].about[1:] + ".", [])
    else:
        table = Table(name, SCENARIOS[name].about, SCENARIOS[name].heads)
    samples, went_well = None, True
    try:
        if name in CASES:
            samples = run(CASES[name], chosen)
            return report.table(CASES[name], samples, chosen), samples, True
        samples = SCENARIOS[name].measure(chosen, table)
    except Missing as missing:
        table.note(f"not measured: {missing}")
    except FileNotFoundError as error:
        table.note(f"not measured: {error.filename} is not installed")
    except (Failure, OSError, ValueError, subprocess.TimeoutExpired) as error:
        table.note(f"**failed: {' '.join(str(error).split())}**")
        went_well = False
    if chosen.heddle_flags:
        table.note(f"flags of heddle, where the case does not set them: {' '.join(chosen.heddle_flags)}")
    return table.text(), samples, went_well

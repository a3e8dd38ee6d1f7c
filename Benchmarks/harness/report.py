"""Turns samples into a Markdown table."""

import statistics


def median(rounds, key):
    """The median over the rounds."""
    return statistics.median(sample[key] for sample in rounds)


def ratio(rounds, reference, key):
    """The median of the ratios of each round, and their range: both sides of a ratio were measured one after the other."""
    ratios = [own[key] / base[key] for own, base in zip(rounds, reference) if base[key] > 0]
    if not ratios:
        return "–"
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"


def time_text(seconds):
    """A time in the unit that suits it."""
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} µs"


def common_columns(case):
    """Heading -> text of the cell, from the rounds of a server and those of the reference."""
    columns = {
        "CPU per request": lambda own, base: time_text(median(own, "cpu")),
        "ratio": lambda own, base: ratio(own, base, "cpu"),
        "requests/s": lambda own, base: f"{median(own, 'rate'):,.0f}",
        "ratio ": lambda own, base: ratio(own, base, "rate"),
        "p50": lambda own, base: time_text(median(own, "p50")),
        "p99": lambda own, base: time_text(median(own, "p99")),
        "switches per request": lambda own, base: f"{median(own, 'switches'):.3f}",
        "socket errors": lambda own, base: str(sum(sample["errors"] for sample in own)),
    }
    if case.status == 200:
        columns["not 2xx"] = lambda own, base: str(sum(sample["not2xx"] for sample in own))
    else:
        # Every answer is meant to be an error here; what counts is those that are not.
        columns["2xx"] = lambda own, base: str(sum(sample["requests"] - sample["not2xx"] for sample in own))
    return columns


def columns(case):
    """The columns of a case."""
    if case.name == "idle":
        return {
            "context switches": lambda own, base: f"{median(own, 'switches'):.0f}",
            "CPU": lambda own, base: time_text(median(own, "cpu")),
            "resident": lambda own, base: f"{median(own, 'resident'):.1f} MB",
        }
    found = common_columns(case)
    if case.name == "latency":
        first = {
            "mean (1/rate)": lambda own, base: time_text(median(own, "mean")),
            "ratio  ": lambda own, base: ratio(own, base, "mean"),
        }
        del found["requests/s"], found["ratio "]
        return {**first, **found}
    if case.name == "mixed":
        found["slow half, requests/s"] = (
            lambda own, base: f"{median(own, 'slow_rate'):,.0f} of {median(own, 'slow_possible'):,.0f}"
        )
    return found


def table(case, samples, chosen):
    """The table of a case, with a line about how it was measured."""
    names = list(samples)
    if not names:
        return f"### {case.name}\n\nNo server to measure."
    reference = samples[names[0]]["rounds"]
    heads = columns(case)
    lines = [
        f"### {case.name}",
        "",
        f"{case.about[0].upper()}{case.about[1:]}. {chosen.rounds} round{'s'[: chosen.rounds > 1]} of {chosen.seconds} s in turn"
        + (f", wrk -t1 -c{1 if case.name == 'latency' else chosen.connections}" if case.name != "idle" else "")
        + f"; medians; ratios to {names[0]} of the same round, with their range."
        + (f" Flags of heddle: {' '.join(chosen.heddle_flags)}." if chosen.heddle_flags else ""),
        "",
        "| server | " + " | ".join(head.strip() for head in heads) + " | bytes of an answer |",
        "| --- |" + " ---: |" * (len(heads) + 1),
    ]
    for name in names:
        rounds = samples[name]["rounds"]
        cells = [cell(rounds, reference) for cell in heads.values()]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {samples[name]['bytes']} |")
    return "\n".join(lines)

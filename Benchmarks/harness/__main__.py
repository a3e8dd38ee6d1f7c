"""Measures servers in turn, in one run, and prints a table. Standard library only."""

import argparse
import json
import os
import signal
import sys

import cases
import machine
from servers import KNOWN


def arguments():
    parser = argparse.ArgumentParser(
        prog="Benchmarks/run",
        description="Measures Heddle against bare C libmicrohttpd: the servers take turns in each round, and each "
        "figure is the median of the rounds. The table goes to standard output, the progress to standard error.",
    )
    parser.add_argument("--case", action="append", choices=[*cases.NAMES, "all"], help="default: plaintext")
    parser.add_argument("--rounds", type=int, default=5, help="default: 5")
    parser.add_argument("--seconds", type=int, default=3, help="length of one measurement; default: 3")
    parser.add_argument("--connections", type=int, default=64, help="of wrk; default: 64")
    parser.add_argument("--peers", action="store_true", help="also nginx and Go, where they are installed")
    parser.add_argument(
        "--servers", type=lambda text: text.split(","), metavar="NAME,…", help="only these: " + ", ".join(KNOWN)
    )
    parser.add_argument("--heddle", metavar="FILE", help="measure this binary in place of a fresh release build")
    parser.add_argument(
        "--heddle-flags", type=str.split, default=[], metavar="FLAGS", help="further flags of 'heddle serve'"
    )
    parser.add_argument("--json", metavar="FILE", help="also write every single measurement to this file")
    chosen = parser.parse_args()
    for name in ("rounds", "seconds", "connections"):
        if getattr(chosen, name) < 1:
            parser.error(f"--{name} must be at least 1")
    for name in chosen.servers or []:
        if name not in KNOWN:
            parser.error(f"unknown server {name!r}; allowed: {', '.join(KNOWN)}")
    if chosen.case is None:
        chosen.case = ["plaintext"]
    elif "all" in chosen.case:
        chosen.case = cases.ALL + [name for name in chosen.case if name not in ("all", *cases.ALL)]
    return chosen


def main():
    chosen = arguments()
    # Whoever ends this program must not leave servers behind: turn the signals into the exception that cleans up.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    samples, status = {}, 0
    print(machine.line(), end="\n\n", flush=True)
    for name in chosen.case:
        text, samples[name], went_well = cases.measured(name, chosen)
        status = status if went_well else 1
        print(text, end="\n\n", flush=True)
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as file:
            json.dump({"machine": machine.line(), "samples": samples}, file, indent=1)
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader of the table has gone; nothing is left to be said, not even at the end of the interpreter.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)

"""One line about the machine, without which no figure means anything."""

import os
import platform
import re
import shutil
import subprocess


def output(*command):
    """What a command prints, or nothing where it is not there."""
    if shutil.which(command[0]) is None:
        return ""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def version(*command):
    """The first thing in a command's output that looks like a version."""
    found = re.search(r"\d+\.\d+(\.\d+)*", output(*command))
    return found.group() if found else "none"


def processor():
    """The model of the processor."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"^model name\s*:\s*(.*)$", file.read(), re.MULTILINE)
    return found.group(1) if found else platform.machine()


def line():
    """Cores, processor, kernel, load, and the versions of what is measured and what measures."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    commit = output("git", "-C", root, "rev-parse", "--short", "HEAD").strip()
    parts = [
        f"{len(os.sched_getaffinity(0))} cores ({processor()})",
        f"Linux {platform.release()}",
        f"load {os.getloadavg()[0]:.2f} at the start",
        "libmicrohttpd " + version("pkg-config", "--modversion", "libmicrohttpd"),
        "Swift " + version("swift", "--version"),
        "wrk " + version("wrk", "--version"),
    ]
    if re.fullmatch(r"[0-9a-f]+", commit):
        parts.append("commit " + commit)
    return "Machine: " + ", ".join(parts) + "."

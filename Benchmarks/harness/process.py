"""What a running server has used so far, read from the kernel."""

import os
import re
import time


def cpu_seconds(pid):
    """User and system time of all threads of a process, also of those that have ended.

    The process clock of another process is the one that clock_getcpuclockid(3) gives: exact to the nanosecond, where
    /proc/PID/stat counts in hundredths of a second.
    """
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def machine_seconds():
    """Time that all processors of the machine were not idle, also that which a hypervisor took away."""
    with open("/proc/stat", encoding="utf-8") as file:
        user, nice, system, _, _, interrupts, soft, stolen = map(int, file.readline().split()[1:9])
    return (user + nice + system + interrupts + soft + stolen) / os.sysconf("SC_CLK_TCK")


def switches(pid):
    """Context switches of each thread: thread id -> voluntary and involuntary ones together."""
    found = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/status", encoding="utf-8") as file:
                counts = re.findall(r"^(?:non)?voluntary_ctxt_switches:\s*(\d+)$", file.read(), re.MULTILINE)
        except FileNotFoundError:
            continue  # The thread has ended.
        found[thread] = sum(map(int, counts))
    return found


def resident_megabytes(pid):
    """Resident memory."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        found = re.search(r"^VmRSS:\s*(\d+) kB$", file.read(), re.MULTILINE)
    return int(found.group(1)) / 1024 if found else 0.0


def threads(pid):
    """How many threads there are."""
    return len(os.listdir(f"/proc/{pid}/task"))


def descriptors(pid):
    """How many files and sockets are open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


class Usage:
    """What a process uses between the making of this and the call of `since`."""

    def __init__(self, pid):
        self.pid = pid
        self.switches = switches(pid)
        self.cpu = cpu_seconds(pid)

    def since(self):
        """CPU seconds and context switches. Switches of threads that ended in between are not seen."""
        cpu = cpu_seconds(self.pid) - self.cpu
        after = switches(self.pid)
        return cpu, sum(count - self.switches.get(thread, 0) for thread, count in after.items())

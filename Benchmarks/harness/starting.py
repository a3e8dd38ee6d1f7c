"""How long the server takes to be there, and what it costs when it only waits."""

import time

from facts import times
from process import resident_megabytes
from servers import Server

TURNS = 11
ABOUT = (
    f"From the start of the process to its first answer; median of {TURNS} starts in turn, with the range. Resident "
    "memory one second after the last start's first answer, without a further request."
)
HEADS = ["server", "start to first answer", "bar", "resident memory", "bar"]
SERVERS = ["c-inline", "heddle"]


def startup(chosen, table):
    """Starts each server several times."""
    took, resident = {name: [] for name in SERVERS}, {}
    for name in SERVERS:  # Builds what is to be built, and fills the page cache.
        server = Server(name, chosen)
        try:
            server.await_answer("/plaintext", 200)
        finally:
            server.end()
    for turn in range(TURNS):
        for name in SERVERS:
            server = Server(name, chosen)
            try:
                server.await_answer("/plaintext", 200, 0.0005)
                took[name].append(time.monotonic() - server.started)
                if turn == TURNS - 1:
                    time.sleep(1)
                    resident[name] = resident_megabytes(server.pid)
            finally:
                server.end()
    for name in SERVERS:
        bars = ["≤ 50 ms", "≤ 20 MB"] if name == "heddle" else ["", ""]
        table.row(name, times(took[name]), bars[0], f"{resident[name]:.1f} MB", bars[1])
    return {"took": took, "resident": resident}

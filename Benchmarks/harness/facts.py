"""The table of a case that fills it row by row, and says why where something could not be measured."""

import statistics

from report import time_text
from servers import say


class Missing(Exception):
    """Why something cannot be measured on this machine: a row of the table, no failure of the run."""


class Table:
    """Rows of text under a heading, in Markdown."""

    def __init__(self, name, about, heads):
        self.name, self.about, self.heads = name, about, heads
        self.rows = []
        self.notes = []

    def row(self, *cells):
        """A row; cells that are left out at the end stay empty."""
        self.rows.append([*map(str, cells), *[""] * (len(self.heads) - len(cells))])
        say(f"{self.name}: " + " | ".join(map(str, cells)))

    def premise(self, holds, otherwise):
        """What must be true for the figures to mean something; `otherwise` says what is the case instead."""
        if not holds:
            self.note(f"**premise not met: {otherwise}**")

    def note(self, text):
        """A line below the table, once."""
        if text not in self.notes:
            self.notes.append(text)
            say(f"{self.name}: {text}")

    def text(self):
        """All of it."""
        lines = [f"### {self.name}", "", self.about]
        if self.rows or self.notes:
            lines += [""]
        if self.rows:
            lines += ["| " + " | ".join(self.heads) + " |", "| --- |" + " ---: |" * (len(self.heads) - 1)]
            lines += ["| " + " | ".join(cells) + " |" for cells in self.rows]
            lines += [""] if self.notes else []
        return "\n".join(lines + [f"- {note}." for note in self.notes])


def spread(values, write=lambda value: f"{value:.2f}"):
    """The median, and the range where there is more than one value."""
    values = [value for value in values if value is not None]
    if not values:
        return "–"
    middle = write(statistics.median(values))
    return middle if len(values) == 1 else f"{middle} ({write(min(values))}–{write(max(values))})"


def times(values):
    """As `spread`, for seconds."""
    return spread(values, time_text)


def percent(share):
    """A share as text."""
    return f"{share * 100:.1f} %"

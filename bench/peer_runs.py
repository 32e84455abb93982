"""Runs peers/peers.py, a row's time at most: a row that takes longer, or ends the process, is named and left out, and a
new process goes on behind it. So a run ends, whatever a peer does."""

import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import threading

PEERS = pathlib.Path(__file__).parent / "peers" / "peers.py"
STARTUP_S = 300  # for the import of a library, and rows that are made ready


class Column(dict):
    """What a library took, by row, and "device"; `skipped`: why rows are not in it."""

    def __init__(self):
        super().__init__()
        self.skipped = {}


def lines_of(process, seconds):
    """Its lines, each of which is waited for as long as seconds() says."""
    lines = queue.Queue()

    def read():
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    while (line := lines.get(timeout=seconds())) is not None:
        yield line


def end(process):
    """With the processes that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    process.stdout.close()


def read_rows(process, column, budget, note):
    """Reads what a process says into the column. The row that it was at when it ended or was given up, and why."""
    at = None
    try:
        for line in lines_of(process, lambda: budget if column.get("device") and at else STARTUP_S):
            said = json.loads(line)
            if "name" in said:
                column["device"] = said
            elif "begins" in said:
                at = said["begins"]
            else:
                column[said["row"]] = said["took"]
                at = None
                note(column)
    except queue.Empty:
        return at, f"more than {budget:g} s"
    return (None, None) if process.wait() == 0 else (at, f"exit {process.returncode}")


def peer_column(library, patterns, budget, environment=None, note=lambda column: None):
    """A library's rows, or None if it cannot be started. note(column) after each row."""
    column, after = Column(), []
    while True:
        process = subprocess.Popen([sys.executable, str(PEERS), *after, library, *patterns],
                                   env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE, text=True,
                                   start_new_session=True)
        try:
            at, why = read_rows(process, column, budget, note)
        finally:
            end(process)
        if at is None:
            if why:
                print(f"peers.py {library}: {why}", file=sys.stderr)
            return column if "device" in column else None
        column.skipped[at] = why
        print(f"{library}: {at}: skipped, {why}", file=sys.stderr)
        after = ["--after", at]

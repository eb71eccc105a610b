# SPDX-License-Identifier: BSD-3-Clause
"""Processes of checkpoints, as a test sees them."""
import os
import time

from cdbgtest import PATIENCE


def processes(d):
    """The numbers of the processes that wait, by the number of the checkpoint."""
    return {r["checkpoint"]: r["process"] for r in d.rows("info checkpoints")}


def lives(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def all_gone(pids):
    """Waits until none of them lives; those that do after a minute."""
    end = time.monotonic() + 60 * PATIENCE
    while any(map(lives, pids)) and time.monotonic() < end:
        time.sleep(0.01)
    return [pid for pid in pids if lives(pid)]

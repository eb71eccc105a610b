# SPDX-License-Identifier: BSD-3-Clause
"""The memory that a command takes at its peak, beside what a graph needs.  Linux only: reads /proc/PID/status."""
import re

from cdbgtest import ok


def status(pid, what):
    """A size of /proc/PID/status, in MiB."""
    return int(re.search(what + r":\s+(\d+)", open("/proc/%d/status" % pid).read()).group(1)) / 1024


def taken(d, line):
    """The answer to a command line, and the MiB that it took at its peak."""
    with open("/proc/%d/clear_refs" % d.proc.pid, "w") as f:
        f.write("5")                    # the peak begins here
    before = status(d.proc.pid, "VmRSS")
    return d.cmd(line), status(d.proc.pid, "VmHWM") - before


def needed(d):
    """What 'graph memory' says that the graph of the selected frame needs, in MiB."""
    return int(re.search(r"peak: (\d+) bytes", d.text("graph memory")).group(1)) / 2**20


def estimate(d, line, what):
    """The estimate that this run is refused with, in GB, 0 if it is not: one fact, WHAT names it."""
    told = d.error(line) or ""
    size = re.search(r"^the run needs (?:about|at least) ([\d.]+) GB of memory; '-f' runs it all the same", told)
    ok(size, "%s: refused with the estimate" % what, told)
    return float(size.group(1)) if size else 0.0

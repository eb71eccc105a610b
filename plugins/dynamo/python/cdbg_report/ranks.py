# SPDX-License-Identifier: BSD-3-Clause
"""A page on the reports of the ranks of a job: which of them are equal, and what differs in the others.  Devices have the index that each
rank has of its own, which does not count; neither do times."""
import json
import os
import re

from .data import FILE, Refused, parse, read_all, seconds_of
from .diff import changes
from .folder import Folder
from .make import ASSETS, data_text
from .texts import counted, visible

FORMAT, VERSION = "cdbg ranks", 1               # as ui/ranks/ranks_report.c begins the file
RANK = re.compile(r"rank(0|[1-9][0-9]{0,5})\Z", re.A)
DEVICE = re.compile(rb"\b(cuda:|xpu:|hpu:|npu:|mtia:|device=|type='[a-z]*', index=)[0-9]+")
COUNTS = "functions", "entries", "breaks", "recompiles", "graphs", "guards"


class Group:
    """Ranks whose reports are equal but for times."""
    def __init__(self, number, root):
        self.ranks, self.root = [number], root


def check(text, path):
    try:
        good = json.loads(text).get("format") == FORMAT
    except (ValueError, AttributeError, RecursionError):
        good = False
    if not good:
        raise Refused("'%s' is not of the reports of a job's ranks: 'cdbg --ranks --report DIR' writes them" % path)


def read_rank(folder, name):
    """(its data, its data without indexes of devices); None: it left no report."""
    path = os.path.join(folder, name, FILE)
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as e:
        raise Refused("cannot read '%s': %s" % (path, e.strerror)) from None
    text = read_all(fd, path)
    return parse(text, path), parse(DEVICE.sub(rb"\1*", text), path)


def row_of(number, root):
    row = {"rank": number, "program": root.get("program", ""), "seconds": sum(map(seconds_of, root.get("functions", ())))}
    row.update((key, root.get("summary", {}).get(key, 0)) for key in COUNTS)
    return row


def said(ranks):
    """[0, 1, 2, 5] as "0-2,5"."""
    runs = []
    for n in ranks:
        if runs and runs[-1][1] == n - 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return ",".join("%d" % a if a == b else "%d-%d" % (a, b) for a, b in runs)


def collect(folder):
    """The data of the page: a row a rank, and groups with what differs from the first, which has the most ranks."""
    numbers = sorted(int(m[1]) for m in map(RANK.match, os.listdir(folder)) if m)
    rows, groups, missing, cdbg = [], [], [], ""
    for n in numbers:
        both = read_rank(folder, "rank%d" % n)
        if both is None:
            missing.append(n)
            continue
        rows.append(row_of(n, both[0]))
        cdbg = cdbg or both[0].get("cdbg", "")
        for group in groups:
            if not changes(group.root, both[1], times=False):
                group.ranks.append(n)
                break
        else:
            groups.append(Group(n, both[1]))
    groups.sort(key=lambda g: -len(g.ranks))
    return {"format": FORMAT, "version": VERSION, "cdbg": cdbg, "ranks": rows, "missing": missing,
            "groups": [{"ranks": g.ranks, "changes": changes(groups[0].root, g.root, times=False)} for g in groups]}


def files_of(root):
    from .engine import environment
    for name in sorted(os.listdir(ASSETS)):
        with open(os.path.join(ASSETS, name), "rb") as f:
            yield "assets/" + name, f.read()
    env = environment(root=root, said=said, counted=counted)
    yield "index.html", env.get_template("ranks.html").render(up="", title="ranks").encode()


def summary(root, directory, why):
    groups = ["%s %s" % ("ranks" if len(g["ranks"]) > 1 else "rank", said(g["ranks"])) for g in root["groups"]]
    text = "no rank left a report" if not groups else groups[0] + (" are equal" if len(root["groups"][0]["ranks"]) > 1 else "")
    for name, group in zip(groups[1:], root["groups"][1:]):
        text += "; %s: %s" % (name, counted(len(group["changes"]), "difference"))
    if root["missing"]:
        text += "; no report of %s" % said(root["missing"])
    return "%s, %s\n" % (text, why or "open '%s/index.html' in a browser" % directory)


def compare_ranks(directory):
    """Writes what differs between the reports in it; what to tell the user."""
    with Folder(directory) as folder:
        folder.data(check)
        root, why = collect(directory), ""
        folder.write(FILE, data_text(root))
        try:
            for name, text in files_of(visible(root)):
                folder.write(name, text)
        except ImportError as e:
            why = "no page: %s; 'python -m cdbg.report --ranks %s' makes it" % (e, directory)
    return "cdbg: reports: " + summary(root, directory, why)

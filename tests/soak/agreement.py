# SPDX-License-Identifier: BSD-3-Clause
"""Two commands must not contradict each other: at a stop, each check asks commands that answer from different sources.

    disagreements(reader, costly)        texts; reader: a reading.Reader after look(); costly: checks that compile, too

A command that is refused says nothing, so nothing contradicts it.
"""
import re

VIEWS = ("info locals", "info stack", "info frame", "bt", "info entries", "info graphs", "info breaks", "info breakpoints", "info compiled",
         "info overrides", "info resume", "info side-effects", "info guards", "info code", "info graph")
TIMED = ("seconds", "ns", "live")


def settled(row):
    return {name: value for name, value in row.items() if name not in TIMED} if isinstance(row, dict) else row


def views(reader):
    """What the views say, for a comparison before and after other commands."""
    return {view: [settled(r) for r in reader.rows(view)] for view in VIEWS}


def frame_agrees(reader):
    facts = {r["what"]: r["value"] for r in reader.rows("info frame")}
    current = [r for r in reader.rows("bt") if r.get("current")]
    for name in ("function", "line", "kind", "offset", "level"):
        shown = facts.get(name)
        if name == "function":
            shown = str(shown).rsplit(".", 1)[-1]         # info frame has the qualified name
        if current and name in facts and current[0].get(name) != shown:
            yield "bt has %s %r, info frame %r" % (name, current[0].get(name), facts[name])
    code = [r for r in reader.rows("info code") if r.get("current")]
    if code and facts.get("offset") is not None and code[0]["offset"] != facts["offset"]:
        yield "info code is at %s, info frame at %s" % (code[0]["offset"], facts["offset"])
    stack = reader.ask("info stack") or {}
    if facts.get("stack") is not None and stack.get("ok") and len(stack["rows"]) != facts["stack"]:
        yield "info stack has %d slots, info frame %s" % (len(stack["rows"]), facts["stack"])


def entries_agree(reader):
    entries = reader.rows("info entries")
    for row in entries:
        guards = reader.ask("info guards " + row["entry"]) or {}
        found = {r["guard"] for r in guards.get("rows") or []}
        if guards.get("ok") and row.get("guards") is not None and row["state"] == "live" and len(found) != row["guards"]:
            yield "info entries has %s guards for %s, info guards %d" % (row["guards"], row["entry"], len(found))
    for row in reader.rows("info compiled"):
        of_it = [r for r in entries if (r["function"], r.get("qualname")) == (row["function"], row.get("qualname")) and r["state"] == "live"]
        same = [r for r in reader.rows("info compiled") if (r["function"], r.get("qualname")) == (row["function"], row.get("qualname"))]
        if len(same) == 1 and of_it and row["entries"] != len(of_it):
            yield "info compiled has %s entries for %s, info entries %d live ones" % (row["entries"], row["function"], len(of_it))


def guards_agree(reader):
    """entry check, guard why and info guards evaluate the same guards."""
    for entry in [r["entry"] for r in reader.rows("info entries") if r["state"] == "live"]:
        check = reader.ask("entry check " + entry) or {}
        if not check.get("ok"):
            continue
        passes = "all guards pass" in check["text"] or "no guards" in check["text"]
        failing = [r for r in reader.rows("guard why " + entry) if r.get("entry") == entry]
        shown = [r["guard"] for r in reader.rows("info guards " + entry) if r["ok"] is False]
        if passes and failing:
            yield "entry check %s: all guards pass; guard why: %s" % (entry, failing[0].get("text"))
        if passes and shown:
            yield "entry check %s: all guards pass; info guards: guard %s fails" % (entry, shown[0])
        if not passes and not failing and (reader.ask("guard why " + entry) or {}).get("ok"):
            yield "entry check %s: %s; guard why names none" % (entry, check["text"].split("\n")[0])


def graphs_agree(reader):
    for row in reader.rows("info graphs"):
        words = row["graph"] + ("" if row["stage"] == "captured" else " " + row["stage"])
        graph = reader.ask(("info graph " if row["stage"] == "captured" else "graph show -a ") + words) or {}
        nodes = [r.get("node") for r in graph.get("rows") or []]
        if graph.get("ok") and nodes and row["nodes"] is not None and len(nodes) != row["nodes"]:
            yield "info graphs has %s nodes for %s, its listing %d" % (row["nodes"], words, len(nodes))
        run = reader.ask("graph run " + words) if row["stage"] == "captured" else {}
        ran = [r["node"] for r in (run or {}).get("rows") or []]
        if graph.get("ok") and run.get("ok") and ran != [n for n in nodes if n in ran] or run.get("ok") and set(nodes) != set(ran):
            yield "graph run %s has nodes %s, info graph %s" % (words, ran, nodes)


def breaks_agree(reader):
    for row in reader.rows("info breaks"):
        if row.get("line") is None or row.get("function") is None:
            continue
        told = (reader.ask("explain -a " + row["function"]) or {}).get("text")
        if told and not re.search(r"\b%s\b" % row["line"], told):
            yield "info breaks has line %s of %s, explain does not name it" % (row["line"], row["function"])


def results_agree(reader):
    """entry diff compares with eager results; graph compare looks for the node that makes them wrong."""
    for row in reader.rows("info entries"):
        if row["state"] != "live" or row["graphs"] != 1 or row["resumes"]:
            continue
        check = reader.ask("entry check " + row["entry"]) or {}
        if not check.get("ok") or "all guards pass" not in check["text"]:
            continue
        diff, compared = reader.ask("entry diff " + row["entry"]) or {}, reader.ask("graph compare " + row["entry"]) or {}
        if not diff.get("ok") or not compared.get("ok"):
            continue
        equal = diff["text"].startswith("equal")
        right = compared.get("first") is None
        if equal != right:
            yield "entry diff %s: %s; graph compare: %s" % (row["entry"], diff["text"].split("\n")[0], compared["text"].split("\n")[0])


CHEAP = (frame_agrees, entries_agree, guards_agree, breaks_agree)
COSTLY = (graphs_agree, results_agree)


def disagreements(reader, costly=True):
    return [text for check in CHEAP + (COSTLY if costly else ()) for text in check(reader)]

# SPDX-License-Identifier: BSD-3-Clause
"""What a comparison reports: rows with the columns that C reads, and notes from one table."""
import os
import re

import torch

from cdbg_graphs import found as module
from cdbg_graphs.found import MESSAGES, Found
from cdbg_graphs.judge import Verdict
from cdbg_graphs.parts import joined

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def text_of(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as f:
        return f.read()


def table(source, name):
    """The names of a table of C."""
    body = re.search(r"\b%s\[\] = \{(.*?)\n\};" % name, source, re.S).group(1)
    return set(re.findall(r'\.name = "(\w+)"', body))


def node():
    graph = torch.fx.Graph()
    return graph.call_function(torch.sin, (graph.placeholder("x"),))


def found_with(*verdicts):
    found = Found()
    for i, wrong in enumerate(verdicts):
        found.row("n%d" % i, "kernel", node(), ("file.py", 3, "f"), "k0", Verdict(wrong, 0.5 + i, 0.25, 2.0), not wrong)
    return found


def test_a_row_has_the_columns_of_the_view():
    source = text_of("plugins", "dynamo", "cmd", "graph_compare.c")
    row = found_with(False).answer()["rows"][0]
    assert row.keys() | {"part"} == table(source, "compare_cols")
    assert table(source, "compare_rows") | {"file"} == table(source, "compare_cols")
    assert (row["node"], row["file"], row["line"], row["target"]) == ("n0", "file.py", 3, "torch.sin")


def test_the_largest_share_is_that_of_a_right_value():
    assert found_with(False, True, False).largest == {"share": 1.25, "node": "n2", "stage": "kernel", "difference": 2.5}
    assert found_with(True).largest is None


def test_the_first_wrong_node_is_reported_with_its_verdict():
    found = found_with(True)
    found.wrong_first("a", "kernel", node(), ("file.py", 3, "f"), Verdict(True, 0.5, 0.25, 0.125, "words"), [])
    first = found.answer()["first"]
    assert {key: first[key] for key in ("node", "inner", "difference", "reference", "allowed", "words", "function")} == {
        "node": "a", "inner": "sin", "difference": 0.5, "reference": 0.25, "allowed": 0.125, "words": "words", "function": "f"}
    read = set(re.findall(r'result_\w+\(first, "(\w+)"', text_of("plugins", "dynamo", "cmd", "graph_compare.c")))
    assert read == first.keys()


def test_each_note_is_in_the_table_and_each_message_is_used():
    folder = os.path.dirname(module.__file__)
    used = set()
    for file in os.listdir(folder):
        if file.endswith(".py"):
            used |= set(re.findall(r'\.note\("([^"]+)"', text_of(folder, file)))
    assert used == MESSAGES.keys()


def test_parts_are_joined_with_the_first_wrong_one():
    right, wrong = ({**found_with(is_wrong).answer(), "needs": size, "estimate": 2 * size} for is_wrong, size in ((False, 4), (True, 3)))
    right["notes"], wrong["notes"] = ["one"], ["two"]
    r = joined([("a", right), ("b", wrong)])
    assert (r["part"], r["needs"], r["estimate"], r["first"]) == ("b", 4, 8, None)
    assert [(row["part"], row["ok"]) for row in r["rows"]] == [("a", True), ("b", False)]
    assert r["notes"] == ["a: one", "b: two"]
    assert joined([("", wrong)]) is wrong       # a graph that is compiled whole

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Children of a value by pages, as editors ask for them: any container, large ones, and one that changes meanwhile."""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403


def names(rows):
    return [r["name"] for r in rows]


with Cdbg("""
    import collections, dataclasses, time
    Pair = collections.namedtuple("Pair", "left right")
    @dataclasses.dataclass
    class Data:
        n: int
        rest: list
    class Bare:
        pass
    class Rows(list):
        def __len__(self):
            print("RAN len")
            return 2
        def __iter__(self):
            print("RAN iter")
            return iter(())
    def work():
        many, table = list(range(100000)), {n: str(n) for n in range(1000000)}
        pool, queue, pair, data = set(range(3)), collections.deque("abc"), Pair(1, [2]), Data(1, [])
        rows, bare, moment, ring = Rows([1, 2, 3]), Bare(), time.gmtime(0), []
        few = {1: "one", 0: "none"}
        ring.append(ring)
        del many[50:]  # stop
        return many
    work()
""") as d:
    d.do("break %d" % d.line_of("# stop"))
    d.go()
    here = {r["name"]: r.get("items") for r in d.rows("info locals")}
    is_([here[n] for n in ("many", "table", "pool", "queue", "pair", "few", "ring")], [100000, 1000000, 3, 3, 2, 2, 1],
        "each container says how many items it has")
    is_([here[n] for n in ("data", "bare", "moment")], [None] * 3, "other values do not")
    is_(here["rows"], 3, "nor is __len__ asked")
    page = d.rows("info locals many[99900:100000]")
    is_((len(page), page[0]["path"], page[99]["value"]), (100, "many[99900]", "99999"), "a page of a long list")
    page = d.rows("info locals table[999900:1000000]")
    is_((len(page), page[0]["path"], page[99]["value"]), (100, "table[999900]", "'999999'"), "a page of a large dict")
    page = d.rows("info locals many[99990:200000]")
    is_(names(page)[-1], "[99999]", "a page over the end ends there")
    is_(d.rows("info locals many[200000:200100]"), [], "one after the end is empty")
    is_([(r["name"], r["value"]) for r in d.rows("info locals data")], [(".n", "1"), (".rest", "[]")], "fields of a data class")
    is_([r["path"] for r in d.rows("info locals rows")], ["rows[0]", "rows[1]", "rows[2]"],
        "items of a class with its own __iter__, and an expression for each, since [] is that of list")
    like(names(d.rows("info locals moment"))[0], r"\.tm_year", "a struct sequence has attributes alone")
    is_(d.rows("info locals data.rest[0:100]"), [], "an empty page of an empty list")
    is_(d.rows("info locals ring[0][0][0]")[0]["path"], "ring[0][0][0][0]", "a list in itself has no end")
    is_(names(d.rows("info locals pair[1]")), ["[0]"], "an item of a named tuple by its number")
    like(d.error("info locals few[-1]"), "cannot look up 'few.-1.'", "a key that a dict lacks is not counted from its end")
    is_(d.rows("info locals queue[1:2]")[0]["value"], "'b'", "a page of a deque")
    d.do("next")
    is_(d.rows("info locals many[0:100]")[-1]["name"], "[49]", "the next page of a list that has become shorter ends where it ends")
    is_(d.rows("info locals many[99900:100000]"), [], "and what came after it is gone")
    d.run_out()
    unlike(d.out, "RAN", "none of that ran the program's code")
done()

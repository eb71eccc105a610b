#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lines and branches that the tests ran, a row for each folder: coverage.py BUILD [--files FOLDER]

BUILD was made with --coverage, and its tests have run. gcovr reads what they left there. Branches are those the
compiler made, the ones of assertions and of cleanup included.
"""
import argparse
import collections
import json
import os
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("build", help="the build folder")
parser.add_argument("--files", metavar="FOLDER", help="rows for the files of one folder, the least covered first")
options = parser.parse_args()

top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
command = ["gcovr", "--root", top, "--object-directory", options.build, "--filter", os.path.join(top, ""),
           "--exclude", os.path.join(top, "tests", ""), "--merge-mode-functions", "separate",
           "--gcov-ignore-parse-errors=all", "--json-summary", "-", options.build]
try:
    made = subprocess.run(command, stdout=subprocess.PIPE, text=True)
except FileNotFoundError:
    sys.exit("coverage.py: gcovr not found; install it (Debian: gcovr, or pip install gcovr)")
if made.returncode:
    sys.exit(made.returncode)

KEYS = "line_covered", "line_total", "branch_covered", "branch_total"
rows = collections.defaultdict(lambda: dict.fromkeys(KEYS, 0))
for f in json.loads(made.stdout)["files"]:
    name = f["filename"] if options.files else os.path.dirname(f["filename"])
    if options.files and os.path.dirname(f["filename"]) != options.files.rstrip("/"):
        continue
    for row in (rows[name], rows["all"]):
        for key in KEYS:
            row[key] += f[key]


def share(part, whole):
    return "%5.1f %%" % (100 * part / whole) if whole else "      -"


def order(name):
    row = rows[name]
    return (name == "all", row["line_covered"] / max(row["line_total"], 1) if options.files else name)


print("%-40s %8s %8s  %8s %8s" % ("", "lines", "", "branches", ""))
for name in sorted(rows, key=order):
    row = rows[name]
    print("%-40s %8d %s  %8d %s" % (name, row["line_total"], share(row["line_covered"], row["line_total"]),
                                    row["branch_total"], share(row["branch_covered"], row["branch_total"])))

# SPDX-License-Identifier: BSD-3-Clause
"""The command line `python -m cdbg.report`."""
import argparse
import sys

from .data import Refused
from .diff import compare
from .folder import Folder
from .make import pages, texts
from .ranks import compare_ranks


def make(directory):
    """Makes the files of a report again; what to tell the user."""
    files = bytes = 0
    with Folder(directory) as folder:
        root = folder.data()
        for part in texts, pages:
            for name, text in part(root):
                folder.write(name, text)
                files, bytes = files + 1, bytes + len(text)
    return "%d files, %d bytes: open '%s/index.html' in a browser\n" % (files, bytes, directory)


def main(args):
    parser = argparse.ArgumentParser(prog="python -m cdbg.report",
                                     usage="%(prog)s DIR\n       %(prog)s --diff DIR1 DIR2\n       %(prog)s --ranks DIR",
                                     description="Make the pages of a report again from its data, or compare reports.  Needs no torch.")
    parser.add_argument("dir", nargs="*", metavar="DIR", help="a report that cdbg wrote")
    parser.add_argument("--diff", action="store_true", help="print what changed from the first report to the second")
    parser.add_argument("--ranks", action="store_true", help="DIR has a report of each rank of a job: make the page of what differs again")
    given = parser.parse_args(args)
    if len(given.dir) != (2 if given.diff else 1):
        parser.error("expected two directories" if given.diff else "expected one directory")
    try:
        sys.stdout.write((compare if given.diff else compare_ranks if given.ranks else make)(*given.dir))
        sys.stdout.flush()
    except (Refused, ImportError) as e:
        print("cdbg: " + str(e), file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 1
    return 0

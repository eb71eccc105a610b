# SPDX-License-Identifier: BSD-3-Clause
"""python -m cdbg.report DIR: make the pages of a report again from its data; --diff A B: compare two reports.  Needs no torch."""
import importlib.util
import os
import sys


def main():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugins", "cdbg_report")
    spec = importlib.util.spec_from_file_location("cdbg_report", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder])
    sys.modules["cdbg_report"] = importlib.util.module_from_spec(spec)
    return importlib.import_module("cdbg_report.command").main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())

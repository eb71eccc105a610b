#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The unit tests of the package of the graph commands, in tests/python: the judge, the matcher and the saver, without a debugger.
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

need_torch(imported=False)
folder = os.path.join(top, "tests", "python")
if subprocess.run([interpreter(), "-c", "import pytest"], stderr=subprocess.DEVNULL).returncode:
    skip_all("no module pytest for %s" % interpreter())
with tempfile.TemporaryDirectory() as at:
    report = os.path.join(at, "report.xml")
    # whatever options the caller's pytest has: files and cache stay out of the sources
    environ = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTEST_ADDOPTS="")
    done_run = subprocess.run([interpreter(), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:logging", "-c", os.devnull, "--rootdir", folder,
                               "--junitxml", report, folder], env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    cases = list(xml.etree.ElementTree.parse(report).iter("testcase")) if os.path.exists(report) else []
ok(len({case.get("classname").rpartition(".")[2] for case in cases}) >= 3, "the files of tests/python are found", done_run.stdout[-2000:])
for case in cases:
    failed = [e for e in case if e.tag in ("failure", "error")]
    what = case.get("name").removeprefix("test_").replace("_", " ")
    if [e for e in case if e.tag == "skipped"]:
        skip(what, next(e for e in case if e.tag == "skipped").get("message") or "it is skipped")
    else:
        ok(not failed, what, failed[0].text[-2000:] if failed else "")
is_(done_run.returncode, 0, "pytest ends without a failure")
done()

# SPDX-License-Identifier: BSD-3-Clause
# needs: coverage
# needs-python: 3.12
# Coverage by sys.monitoring.
import os
os.environ["COVERAGE_CORE"] = "sysmon"
import coverage, tempfile

path = os.path.join(tempfile.mkdtemp(), "measured.py")
with open(path, "w") as f:
    f.write("def f(n):\n    if n:\n        return 1\n    return 2\n\nf(1)\nfor i in range(3):\n    f(i)\nif False:\n    f(0)\n")
c = coverage.Coverage(data_file=None)
c.start()
exec(compile(open(path).read(), path, "exec"), {})
c.stop()
print(c.analysis2(path)[1:4])
print(sorted(c.get_data().lines(path)))

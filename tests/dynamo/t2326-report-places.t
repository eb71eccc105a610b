#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A report for functions whose names are those of its own files, of devices on Windows or of options; and places where no
directory can be put: a mount point, a full file system."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from browser import lacking, Browser
from reports import *

need_torch()
NAMES = ["index.html", "Index.JSON", "assets", "CON", "aux", "nul.txt", "com1", "company", "-rf", "..", "a/b", "nul\0byte", "",
         "<script>document.title = 'owned'</script>", "q\"uo'te", "x" * 300, "\ufeff", "a\u200bb"]
path = script("""
    import torch

    for name in %r:
        made = {}
        exec(compile("def t(x):\\n    return x + 1  # </script><script>document.title = 'owned'</script>\\n", "<made>", "exec"), made)
        t = made["t"]
        t.__code__ = t.__code__.replace(co_name=name, **({"co_qualname": name} if hasattr(t.__code__, "co_qualname") else {}))
        torch.compile(t, backend="eager")(torch.ones(2))
    print("ran")
""" % NAMES)
status, out, err, where = report(path)
is_((status, out), (0, "ran\n"), "a program runs whose functions are named like files, devices and options")
d = data(where)
folders = [f["folder"] for f in d["functions"]]
is_(len(folders), len(NAMES), "each function is in the report")
is_(len({f.lower() for f in folders}), len(NAMES), "in a folder of its own, also where upper and lower case are the same")
is_([f for f in folders if not os.path.isfile(os.path.join(where, f, "index.html"))], [], "with its page")
ok(os.path.isfile(os.path.join(where, "index.html")), "the first page is a file")
DEVICES = {"con", "prn", "aux", "nul"} | {c + str(i) for c in ("com", "lpt") for i in range(10)}
is_([f for f in folders if f.split(".")[0].lower() in DEVICES], [], "no folder is named like a device of Windows")
is_([f for f in folders if f.startswith(("-", ".")) or set(f) - set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")], [],
    "nor like an option or a hidden file, and each name is one that every file system takes")
ok(all(n in text(where, "index.html") for n in (r">\ufeff<", r">a\u200bb<")), "a name of characters without width is seen on the first page, and one that has one")
ok("company" in folders, "a name that only begins like a device stays")
is_(sorted(n for n in os.listdir(where) if n not in folders), ["assets", "index.html", "index.json"], "beside them are the files of the report only")

if lacking():
    skip("in a browser", lacking())
else:
    with Browser(where) as b:
        for name in ["index.html"] + [f + "/index.html" for f in folders]:
            b.get(name)
            if b.driver.title == "owned" or b.errors():
                break
        ok(b.driver.title != "owned" and not b.errors(), "names and comments with <script> are text on each page", b.errors())
        b.command("Emulation.setDeviceMetricsOverride", width=420, height=800, deviceScaleFactor=1, mobile=True)
        b.get("index.html")
        ok(b.js("return [...document.querySelectorAll('.functions td')].every(e => e.getBoundingClientRect().right <= innerWidth)"),
           "on a phone each figure of a function is on the screen")
        like(b.js("return getComputedStyle(document.querySelector('.functions td:nth-child(6)'), '::after').content"), "compile",
             "with its name, where the heads of the columns are not shown")
        b.get(folders[0] + "/index.html")
        is_(b.js("""return [...document.querySelectorAll('.guards small')].filter(e => { const r = document.createRange();
            r.selectNodeContents(e); return r.getClientRects().length > 1 }).map(e => e.textContent)"""), [], "no kind of a guard is broken in a word")
        ok(b.js("return [...document.querySelectorAll('.guards td')].every(e => e.getBoundingClientRect().right <= innerWidth)"),
           "and all of a guard is on the screen")

mounted = place("mounted")
os.mkdir(mounted)
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", mounted], capture_output=True).returncode:
    skip("a mount point", "a file system cannot be mounted here")
else:
    try:
        status, out, err = run("print('ran')\n", options=["--report", mounted])
        is_((status, out), (2, ""), "a mount point is refused before the program runs")
        like(err, r"'.*mounted' is a mount point, which cannot be replaced; name a directory in it", "with what to name instead")
        inside = os.path.join(mounted, "r")
        status, out, err = run(path, options=["--report", inside])
        is_((status, out), (0, "ran\n"), "on a full file system the program runs as without cdbg")
        like(err, r"^cdbg: no report: .*No space left on device", "cdbg says why there is no report")
        is_(os.listdir(mounted), [], "and leaves nothing half-written")
    finally:
        subprocess.run(["umount", mounted], check=True)
done()

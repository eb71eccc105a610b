#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What contrib/vscode and the guide tell an editor starts a session."""
import json
import os
import re
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from cdbgtest import top  # noqa: E402
from dap import Editor  # noqa: E402

OF_EDITORS = {"type", "request", "name", "debugServer"}    # what VS Code itself reads of a configuration

with open(os.path.join(top, "contrib", "vscode", "package.json")) as f:
    package = json.load(f)
with open(os.path.join(top, "doc", "guide", "editors.md")) as f:
    guide = f.read()
with open(os.path.join(top, "configure.ac")) as f:
    version = re.search(r"^AC_INIT\(\[\w+\],\s*\[([\d.]+)", f.read(), re.M)[1]
debugger, = package["contributes"]["debuggers"]
is_(package["version"], version, "the extension has the version of cdbg")
is_([debugger["runtime"]] + debugger["runtimeArgs"], ["python", "-m", "cdbg", "--dap"], "it starts the adapter")
is_((debugger["type"], package["contributes"]["breakpoints"]), ("cdbg", [{"language": "python"}]), "and may set breakpoints in Python")
known = {request: set(about["properties"]) | OF_EDITORS for request, about in debugger["configurationAttributes"].items()}
configurations = debugger["initialConfigurations"] + [s["body"] for s in debugger["configurationSnippets"]]
is_([c for c in configurations if c["type"] != "cdbg" or set(c) - known[c["request"]]], [], "its configurations have attributes that it describes")
words = [w for path in ("src/adapter.py",) for w in re.findall(r'"(\w+)"', open(os.path.join(top, path)).read())]
for folder, _, files in os.walk(os.path.join(top, "ui", "dap")):
    for name in files:
        with open(os.path.join(folder, name)) as f:
            words += re.findall(r'"(\w+)"', f.read())
is_(sorted(set().union(*known.values()) - OF_EDITORS - set(words)), [], "all of which the adapter reads")

is_(len(re.findall(r'"?-m"?,? "?cdbg"?,? "?--dap"?', guide)) >= 6, True, "the guide starts it in each editor by the same command")
specs = json.loads(re.search(r"^    (\{ \"adapters\".*?\n)\n", guide, re.S | re.M)[1])
is_(specs["adapters"]["cdbg"]["command"], ["python", "-m", "cdbg", "--dap"], "vimspector's file is JSON")
link = re.search(r"extensions/cdbg-([\d.]+)", guide)[1]
is_(link, version, "the link that the guide makes has the version, too")

path = script("""
    import sys
    def f(n):
        return n
    print(f(1), sys.argv[1:])
""")
launch = json.loads(json.dumps(configurations[0]).replace("${file}", path))
launch["console"] = "internalConsole"       # nobody opens a terminal here
with Editor() as e:
    e.begin("launch", **launch, args=["a"])
    made = e.configure({path: [3]})[path]
    is_([b["verified"] for b in made], [True], "the first configuration starts the file")
    is_(e.event("stopped")["reason"], "breakpoint", "which stops at a breakpoint")
    e.ask("continue", threadId=1)
    e.event("terminated")
    is_(e.out, "1 ['a']\n", "and runs to its end")
    is_(e.wrong, [], "every message was as the protocol defines it")
done()

# SPDX-License-Identifier: BSD-3-Clause
# Audit hooks of the program: one counts what its own calls raise, one refuses some of them.
import os, sys, tempfile

counted, watch = {}, False
refused = []

def hook(event, args):
    if watch and event in ("compile", "exec", "open", "os.listdir", "sys._getframe", "code.__new__", "object.__setattr__", "prog.mine"):
        counted[event] = counted.get(event, 0) + 1
    if event == "prog.refused":
        refused.append(args)
        raise PermissionError("refused")
    if event == "os.rmdir" and str(args[0]).endswith("kept"):
        raise KeyboardInterrupt("not that one")

sys.addaudithook(hook)

def work(folder):
    with open(os.path.join(folder, "a"), "w") as f:
        f.write("x")
    exec(compile("y = 1", "made", "exec"), {})
    frame = sys._getframe()
    os.listdir(folder)
    sys.audit("prog.mine", frame)
    code = work.__code__.replace(co_name="other")
    return code.co_name

folder = tempfile.mkdtemp()
os.mkdir(os.path.join(folder, "kept"))
watch = True
name = work(folder)
watch = False
print(name, sorted(counted.items()))
try:
    sys.audit("prog.refused", 1, 2)
except PermissionError as e:
    print("refused", e, refused)
try:
    os.rmdir(os.path.join(folder, "kept"))
except KeyboardInterrupt as e:
    print("interrupted", e)
def odd(event, args):
    if event == "sys.addaudithook":
        raise RuntimeError("no more")
sys.addaudithook(odd)
sys.addaudithook(lambda *a: print("never"))
print("end")

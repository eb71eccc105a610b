# A program that replaces every builtin by a function that counts its calls and raises, and ends as its argument says.
import builtins, os, sys
write, status = os.write, sys.exit
names = [name for name in dir(builtins) if not name.startswith("_") or name == "__import__"]
calls = [0]
class Replaced:
    def __init__(self, name):
        self.name = name
    def __call__(self, *args, **kwargs):
        calls[0] += 1
        raise RuntimeError(self.name)
error, leave = ValueError, SystemExit
new = [Replaced(name) for name in names if name not in ("None", "True", "False")]
def last(n):
    write(2, b"calls %d\n" % calls[0])
    return n
for r in new:
    builtins.__dict__[r.name] = r
last(1)
if "exit" in sys.argv:
    status(3)
if "text" in sys.argv:
    raise leave("a text")
raise error("own error")

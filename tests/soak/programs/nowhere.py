# SPDX-License-Identifier: BSD-3-Clause
# The working directory is deleted, the source file too, the root is another one and the user nobody (where that is allowed).
import linecache, os, sys, tempfile, traceback

def text(e):
    return traceback.format_exception_only(e)[-1].strip()

top = tempfile.mkdtemp()
copy = os.path.join(top, "gone.py")
with open(copy, "w") as f:
    f.write("def f(x):\n    y = x + 1\n    return 1 / x\n")
os.mkdir(os.path.join(top, "cwd"))
os.chdir(os.path.join(top, "cwd"))
os.rmdir(os.path.join(top, "cwd"))
sys.path.insert(0, top)
import gone
os.unlink(copy)
linecache.checkcache()
try:
    os.getcwd()
except OSError as e:
    print(text(e))
try:
    gone.f(0)
except ZeroDivisionError as e:
    print("".join(traceback.format_tb(e.__traceback__)).count("gone.py"), text(e))
sys.path.insert(0, "")
try:
    import nothing_of_this_name
except ImportError as e:
    print(text(e))
os.mkdir(os.path.join(top, "root"))
try:
    os.chroot(os.path.join(top, "root"))
    os.chdir("/")
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
except PermissionError:
    pass
sys.path_importer_cache.clear()
linecache.clearcache()

class Late:
    def __repr__(self):
        return "Late(%s)" % os.path.basename(__file__)

def deep(n, late):
    return 1 / n + deep(n - 1, late)

try:
    deep(3, Late())
except ZeroDivisionError as e:
    print(text(e), Late())
try:
    import wave_of_another_name
except ImportError as e:
    print(text(e))
namespace = {}
exec(compile("def g(n):\n    return [k * n for k in range(3)]\n", "/does/not/exist.py", "exec"), namespace)
print(namespace["g"](2))
deep(1, Late())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Starting: the program runs as Python itself runs it; options, rc files, breakpoint() and debug() in code, ranks."""
import os
import re
import shutil
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
import cdbgtest  # noqa: E402

QUIET = ("-q", "-nx")


def mixed(words, cwd=None, env=None, data=b""):
    proc = subprocess.run(cdbgtest.argv(*words), input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
                          env=cdbgtest.environment(env), timeout=120)
    return proc.returncode, proc.stdout.decode("utf-8", "replace"), proc.stderr.decode("utf-8", "replace")


def unmarked(text):
    """Without what the front end says at the start and the end."""
    return re.sub(r"^(warning: .*|<module> at .*| +\d+ [B ]-> .*|  =>  .*|      stack .*|the program ended with status .*)\n", "", text,
                  flags=re.M)


def same(name, *words, cwd=None, env=None, options=QUIET, afterthought=None):
    """The same status and output with cdbg, its input ended, as without, less what matches afterthought."""
    want = mixed(words, cwd=cwd, env=env)
    got = mixed(("-m", "cdbg", *options, *words), cwd=cwd, env=env)
    told, heard = (re.sub("ignored (in: <module 'threading' .*>$|on threading shutdown:$)", "ignored in threading", text, flags=re.M)
                   for text in (want[2], got[2]))      # 3.15 has other words for it
    told = re.sub(afterthought, "", told, flags=re.M) if afterthought else told
    is_([re.sub("0x[0-9a-f]+", "0x", str(x)) for x in (got[0], unmarked(got[1]), heard)],
        [re.sub("0x[0-9a-f]+", "0x", str(x)) for x in (want[0], want[1], told)], name)


here = os.path.dirname(script("", "empty.py"))


def put(name, text):
    return script(text, name, here)


# ---- where it cannot ----

put("threaded.py", "import sys\nsys.abiflags = 't'\nimport cdbg\n")
refusal = "cdbg cannot debug a free-threaded CPython: use the build that has a global interpreter lock"
code, text, words = mixed(("threaded.py",), cwd=here)
is_((code, text, words.splitlines()[-1]), (1, "", "ImportError: " + refusal), "a free-threaded CPython is refused at import")
put("sitecustomize.py", "import sys\nsys.abiflags = 't'\n", )
code, text, words = mixed(("-m", "cdbg", "threaded.py"), env={"PYTHONPATH": here + os.pathsep + os.path.join(build, "inplace")})
os.unlink(os.path.join(here, "sitecustomize.py"))
is_((code, text, len(words.splitlines())), (1, "", 1), "so it is by python -m cdbg, in one line")
like(words, re.escape(refusal), "which says why")

# ---- as python script.py ----

put("names.py", """
    import sys
    print(sys.argv, sys.path[0], __file__, __name__, __spec__, __package__, globals().get("__cached__", "none"), __doc__, sorted(globals()))
    print(__loader__.path, __builtins__, sys.modules["__main__"].__dict__ is globals(), sys.flags.safe_path)
    def f(): pass
    print(f.__module__, f.__code__.co_filename)
""")
same("names, arguments and path are those of a script", "names.py", "a", "-x", "--json", cwd=here)
put("comp.py", "import sys\nprint(sys.argv, __file__, globals().get('__cached__', 'none'), __loader__, __spec__)\n")
mixed(("-c", "import py_compile; py_compile.compile('comp.py', 'comp.pyc')"), cwd=here)
same("a compiled file runs too", "comp.pyc", cwd=here)
same("given by a path too", os.path.join(here, "names.py"), cwd="/")
os.symlink(os.path.join(here, "names.py"), os.path.join(here, "link.py"))
same("a link is followed for sys.path", "link.py", cwd=here)

put("stack.py", """
    import sys, traceback, warnings, atexit
    def f():
        traceback.print_stack()
        warnings.warn("here", stacklevel=2)
    f()
    print(sys._getframe().f_back)
    atexit.register(traceback.print_stack)
    def deep(n):
        return deep(n + 1)
    deep(0)
""")
same("nothing of cdbg is on its stack, in tracebacks or in the recursion limit", "stack.py", cwd=here)

put("chain.py", """
    def f():
        1 / 0
    try:
        f()
    except ZeroDivisionError as e:
        raise ValueError("second") from e
""")
same("an uncaught exception is reported as Python does, with its chain", "chain.py", cwd=here)
put("hook.py", """
    import sys
    sys.excepthook = lambda *a: print("hook", a[0], a[2].tb_lineno, sys.last_value is a[1])
    raise RuntimeError
""")
same("by the program's own excepthook where it has one", "hook.py", cwd=here)
put("badhook.py", "import sys\nsys.excepthook = lambda *a: 1 / 0\nraise RuntimeError\n")
same("also where that fails", "badhook.py", cwd=here)

# 3.12 and 3.13 do not clear what goes wrong in SystemExit's code, and stumble over it when they have long begun to end
STUMBLE = r"(?s)^(Exception ignored in threading\n)?(OverflowError.*|Traceback.*)"
for code in ("3", "None", "'words'", "259", "-1", "True", "(1, 2)", "2.5", "2**40", "2**80"):
    put("exit.py", "import sys\nsys.exit(%s)\n" % code)
    same("sys.exit(%s)" % code, "exit.py", cwd=here, afterthought=STUMBLE)
for text, name in (("raise SystemExit", "a bare SystemExit"), ("raise KeyboardInterrupt", "a KeyboardInterrupt of its own"),
                   ("import os; os._exit(6)", "os._exit"), ("import os; os.abort()", "a crash"),
                   ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "a signal"),
                   ("x = (", "a syntax error"), ("def f():\n\treturn 1\n        return 2\n", "a tab error"),
                   ("import nosuchmodule", "an import that fails")):
    put("end.py", text + "\n")
    same(name, "end.py", cwd=here)

put("ends.py", """
    import atexit, threading, sys
    class C:
        def __del__(self):
            print("deleted")
    c = C()
    done = threading.Event()
    def late():
        threading.main_thread().join()
        print("thread")
    threading.Thread(target=late).start()
    atexit.register(print, "first")
    atexit.register(lambda: 1 / 0)
    atexit.register(print, "last")
    sys.stdout.write("no newline")
""")
same("threads, atexit functions and finalizers run once, in order", "ends.py", cwd=here)
put("unstr.py", """
    import sys
    class C:
        def __str__(self):
            raise ValueError
    sys.exit(C())
""")
same("sys.exit() with what has no text", "unstr.py", cwd=here, afterthought=STUMBLE)
put("latethread.py", """
    import signal, threading, time
    threading.Thread(target=time.sleep, args=(0.5,)).start()
    signal.signal(signal.SIGALRM, lambda *a: 1 / 0)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    import atexit
    atexit.register(print, "atexit")
""")
same("an exception while the last threads are waited for", "latethread.py", cwd=here)
put("fork.py", """
    import os, sys
    pid = os.fork()
    if not pid:
        sys.exit(5)
    print(os.waitpid(pid, 0)[1])
    try:
        os.wait()
    except ChildProcessError:
        print("no other child")
""")
same("forks: the child's status is its own, and there is no child but it", "fork.py", cwd=here)
put("closes.py", "import sys\nsys.stdin.close()\nprint(1)\nsys.stdout.close()\nsys.stderr.close()\n")
same("closed standard streams", "closes.py", cwd=here)
put("reads.py", "import sys\nprint(repr(sys.stdin.read()))\n")
is_(mixed(("-m", "cdbg", "-q", "reads.py"), cwd=here, data=b"continue\nthe rest\nis its own\n")[1].splitlines()[-2],
    repr("the rest\nis its own\n"), "the program reads what follows the commands")
put("pool.py", """
    import multiprocessing
    def f(n):
        return n * n
    if __name__ == "__main__":
        for how in ("fork", "spawn"):
            with multiprocessing.get_context(how).Pool(2) as p:
                print(p.map(f, range(5)))
""")
same("multiprocessing, forked and spawned", "pool.py", cwd=here)

# ---- -m, folders, no script ----

put("pkg/__init__.py", "")
put("pkg/__main__.py", "import sys, traceback\nprint(sys.argv, sys.path[0], __spec__.name, __package__)\n"
    "traceback.print_stack()\n1 / 0\n")
put("pkg/sub.py", "import sys\nprint(sys.argv, __name__, __spec__.name)\n")
same("-m with a package", "-m", "pkg", "a", cwd=here, options=QUIET)
same("-m with a module in it", "-m", "pkg.sub", "a", cwd=here, options=QUIET)
same("-m with what is not there", "-m", "pkg.nosuch", cwd=here, options=QUIET)
same("a folder with __main__.py", "pkg", "b", cwd=here)
shutil.make_archive(os.path.join(here, "arc"), "zip", os.path.join(here, "pkg"))
same("an archive", "arc.zip", "b", cwd=here)
with open(os.path.join(here, "arc"), "wb") as f:
    f.write(b"#!/usr/bin/env python3\n" + open(os.path.join(here, "arc.zip"), "rb").read())
same("an archive by another name", "arc", "b", cwd=here)
with Cdbg(os.path.join(here, "pkg", "sub.py")) as d:
    pass
status, out, err = mixed(("-m", "cdbg", "-q", "-m", "pkg.sub", "x"), cwd=here, data=b"p __name__\nn\nc\n")
like(out, r"<module> at .*sub.py:1\n", "-m stops before the module's first line")
like(out, r"'__main__'", "which is __main__")
same("a script that does not exist", "nosuch.py", cwd=here)
same("a folder without __main__.py", here)
with open(os.path.join(here, "null.py"), "wb") as f:
    f.write(b"x = 1\n\0")
status, out, err = mixed(("-m", "cdbg", "-q", "null.py"), cwd=here)
is_(status, 1, "a script that is not text ends with status 1")
like(err, r'null.py", line 2\n(.*\n)?SyntaxError: source code cannot contain null bytes', "and reports it")

# ---- options ----

status, out, err = mixed(("-m", "cdbg"))
is_((status, out), (2, ""), "without a program: status 2")
like(err, "no program given: name a script", "the reason first")
like(err, "usage: python -m cdbg", "then the usage")
status, out, err = mixed(("-m", "cdbg", "--frob", "x.py"))
is_(status, 2, "an unknown option: status 2")
like(err, "unknown or ambiguous option '--frob'", "named")
status, out, err = mixed(("-m", "cdbg", "--json=x", "x.py"))
like(err, "invalid value 'x' for '--json': expected the number of a descriptor", "a bad value of an option is named")
status, out, err = mixed(("-m", "cdbg", "--json=77", "names.py"), cwd=here)
is_(status, 2, "a descriptor that is not open: status 2")
like(err, "descriptor 77 is not open", "and said")
like(mixed(("-m", "cdbg", "--version"))[1], r"^cdbg \d+\.\d+", "--version")
like(mixed(("-m", "cdbg", "--help"))[1], r"^usage: ", "--help")
put("five.py", "x = 1\nx = 2\nx = 3\nx = 4\nprint(x)\n")
put("cmds", "# a comment\nbreak 3\ncontinue\np x + 100\n")
status, out, err = mixed(("-m", "cdbg", "-q", "-x", "cmds", "-ex", "n", "-ex", "p x + 200", "-batch", "five.py"), cwd=here)
like(out, r"^102$", "-x runs the commands of a file")
like(out, r"^203$", "-ex a command, in the order given")
is_((status, re.search("^4$", out, re.M)), (0, None), "-batch quits when they are done")
status, out, err = mixed(("-m", "cdbg", "-q", "-ex", "n", "five.py"), cwd=here, data=b"p x + 300\n")
like(out, r"^301$", "without -batch standard input continues")
like(mixed(("-m", "cdbg", "-batch", "-ex", "quit 7", "five.py"), cwd=here)[0].__str__(), "7", "quit N gives the status")
home = os.path.dirname(script("p 'from home'\nset auto-load safe-path %s\n" % os.path.realpath(here), ".cdbgrc"))
put(".cdbgrc", "p 'from here'\n")
out = mixed(("-m", "cdbg", "-ex", "p 'from ex'", "-batch", "five.py"), cwd=here, env={"HOME": home})[1]
like(out, r"'from home'\n'from here'\n'from ex'", "~/.cdbgrc, then ./.cdbgrc, then -ex")
out = mixed(("-m", "cdbg", "-ex", "p 'from ex'", "-batch", "five.py"), cwd=here, env={"HOME": here})[1]
is_(out.count("from here"), 1, "a file that is both is read once")
out = mixed(("-m", "cdbg", "-nx", "-ex", "p 'from ex'", "-batch", "five.py"), cwd=here, env={"HOME": home})[1]
unlike(out, "from home|from here", "-nx reads neither")
os.unlink(os.path.join(here, ".cdbgrc"))
out = mixed(("-m", "cdbg", "-q", "-x", "nosuchfile", "-batch", "five.py"), cwd=here)[1]
like(out, "error: cannot read 'nosuchfile'", "a command file that is not there is named")

# ---- in code ----

BREAKS = put("breaks.py", """
    import cdbg
    def f(n):
        cdbg.breakpoint()
        m = n
        return m
    print(f(41))
    breakpoint()
    print("end")
""")
env = {"PYTHONBREAKPOINT": "cdbg.breakpoint"}
status, out, err = mixed((BREAKS,), env=env, data=b"p n\nn\nn\np m + 1\nc\nbt\nc\n")
like(out, r"stopped: breakpoint\(\)\nf at .*breaks.py:3", "cdbg.breakpoint() stops where it is called, without python -m cdbg")
like(out, r"^42$", "and steps from there")
like(out, r"#0 +<module> at .*breaks.py:7", "breakpoint() does so by PYTHONBREAKPOINT")
like(out, r"^end$", "the program runs to its end")
is_((status, err), (0, ""), "with its own status")
status, out, err = mixed((BREAKS,), env=env)
is_((status, out.count("stopped:"), out[-4:]), (0, 2, "end\n"), "where nobody answers each of them is shown, and the program runs on")
status, out, err = mixed((BREAKS,), env=env, data=b"p n\n")
is_((status, out.count("stopped:"), out[-7:]), (0, 1, "41\nend\n"), "the end of commands there detaches for good")
status, out, err = mixed((BREAKS,), env=dict(env, RANK="1"))
is_(out, "41\nend\n", "of several ranks the others do not stop")
status, out, err = mixed((BREAKS,), env=dict(env, RANK="1", CDBG_RANK="1"))
like(out, "stopped: breakpoint", "CDBG_RANK names the one that does")
status, out, err = mixed(("-m", "cdbg", "five.py"), cwd=here, env={"RANK": "3"})
is_(out, "4\n", "under python -m cdbg too")
status, out, err = mixed(("-m", "cdbg", "-q", BREAKS), env=env, data=b"c\np n\nquit\n")
like(out, r"^41$", "under python -m cdbg breakpoint() stops in the running session")

DEBUG = put("debug.py", """
    import cdbg, sys, signal
    before = (sys.gettrace(), signal.getsignal(signal.SIGINT), list(sys.meta_path))
    with cdbg.debug():
        x = 1
        y = 2
    print(before == (sys.gettrace(), signal.getsignal(signal.SIGINT), list(sys.meta_path)))
    with cdbg.debug():
        z = 3
        sys.exit(9)
""")
status, out, err = mixed((DEBUG,), data=b"n\nn\np x\nc\nn\nn\n")
like(out, r"debug.py:3\n(.*\n)*.*debug.py:4\n(.*\n)*.*debug.py:5", "with cdbg.debug() stops at the block, and can be stepped")
like(out, r"^True$", "after it everything is as before")
is_((status, err), (9, ""), "a program that ends inside such a block ends with its status")
status, out, err = mixed((put("pm.py", """
    import cdbg
    def f(n):
        return 1 / n
    try:
        f(0)
    except ZeroDivisionError:
        cdbg.pm()
    try:
        cdbg.pm()
    except ValueError as e:
        print(e)
    print("on")
"""),), data=b"p n\nbt\nn\nc\n")
like(out, "stopped: uncaught exception ZeroDivisionError|stopped: exception ZeroDivisionError", "cdbg.pm() stops at an exception")
like(out, r"#0 +f at .*\n +#1 +<module>", "with its frames")
like(out, r"^no exception to look at\non$", "without one it reports it")

# ---- the end, looked at ----

status, out, err = mixed(("-m", "cdbg", "-q", "chain.py"), cwd=here, data=b"c\nbt\nc\n")
like(out, r"stopped: uncaught exception ValueError: second", "an uncaught exception stops before the program ends")
like(out, r"#0 +<module> at chain.py:6", "its frames are readable")
like(out, r"the program ended with status 1\n", "then it ends")
is_((status, err), (1, mixed(("chain.py",), cwd=here)[2]), "as it does without cdbg")
status, out, err = mixed(("-m", "cdbg", "-q", "chain.py"), cwd=here, data=b"set post-mortem off\nc\n")
unlike(out, "stopped:", "set post-mortem off: no such stop")

done()

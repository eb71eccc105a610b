#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A wheel works where neither a compiler nor a library nor a data base of terminals is: CDBG_WHEEL names it ('make wheels').
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

wheel = os.environ.get("CDBG_WHEEL", "")
if not wheel:
    skip_all("CDBG_WHEEL names no wheel")
folder = tempfile.mkdtemp(prefix="cdbg test ")      # with a blank, as paths of users have
env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "CDBG_", "VIRTUAL_ENV")) and k != "TERMINFO"}
env["HOME"] = folder
TERMS = ("xterm", "xterm-256color", "xterm-kitty", "alacritty", "foot", "xterm-ghostty", "screen", "screen-256color", "tmux",
         "tmux-256color", "linux", "vt100")
try:
    from screen import Screen
    have_pyte = True
except ImportError:
    have_pyte = False


def do(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, cwd=folder, stdin=subprocess.DEVNULL, env=dict(env, **more))


def torch_file():
    return subprocess.run([interpreter(), "-c", "import importlib.util as u; s = u.find_spec('torch'); print(s.origin if s else '')"],
                          capture_output=True, text=True).stdout.strip()


def bare_root(folder):
    """A Debian of this suite with Python and nothing else, the wheel in /venv; None where it cannot be made."""
    if os.geteuid() or not shutil.which("debootstrap") or not shutil.which("unshare"):
        return None
    suite = re.search(r"(?m)^VERSION_CODENAME=(\w+)", open("/etc/os-release").read())
    root = os.path.join(os.path.dirname(os.path.abspath(wheel)), "work", "root-%s" % (suite and suite.group(1)))
    if not os.path.exists(os.path.join(root, "complete")):
        shutil.rmtree(root, ignore_errors=True)
        made = subprocess.run(["unshare", "--mount", "--propagation", "private", "debootstrap", "--variant=minbase",
                               "--include=python3,python3-venv", suite.group(1), root], capture_output=True, text=True)
        if made.returncode:
            print("# debootstrap: " + (made.stdout[-300:] + made.stderr[-300:]).replace("\n", "\n# "))
            return None
        for base in ("usr/share", "usr/lib", "lib", "etc"):
            shutil.rmtree(os.path.join(root, base, "terminfo"), ignore_errors=True)
        os.mkdir(os.path.join(root, "torch"))
        open(os.path.join(root, "complete"), "w").close()
    tag = subprocess.run(["chroot", root, "python3", "-c", "import sys; print('-cp%d%d-' % sys.version_info[:2])"], capture_output=True, text=True)
    if tag.stdout.strip() not in os.path.basename(wheel):
        return None
    shutil.copy(wheel, root)
    shutil.copy(os.path.join(top, "doc", "examples", "toy.py"), root)
    for words in (["rm", "-rf", "/venv"], ["python3", "-m", "venv", "/venv"],
                  ["/venv/bin/python", "-m", "pip", "install", "--no-index", "/" + os.path.basename(wheel)]):
        made = subprocess.run(["chroot", root, *words], capture_output=True, text=True, env=env)
        ok(made.returncode == 0, "on a bare system: %s" % " ".join(words), made.stdout + made.stderr)
    return root


def in_root(root, torch, words):
    """A command in that root, where /torch is the folder that has torch."""
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c",
            'mount --bind "$1" "$0/torch" && mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && mount --bind /dev/pts "$0/dev/pts" && '
            'root=$0 && shift && exec chroot "$root" "$@"', root, torch, *words]


with zipfile.ZipFile(wheel) as z:
    names = z.namelist()
ok(os.path.getsize(wheel) < 2000000, "the wheel has less than two million bytes", os.path.getsize(wheel))
for name in ("COPYING", "ncurses/COPYING", "libedit/COPYING", "utf8proc/LICENSE.md", "jansson/LICENSE"):
    ok(any(n.endswith(".dist-info/licenses/" + name) for n in names), "it holds the licence %s" % name, names)
ok("manylinux_2_28" in os.path.basename(wheel), "its name says glibc 2.28", wheel)

try:
    here = os.path.join(folder, "venv")
    made = do(interpreter(), "-m", "venv", here)
    ok(made.returncode == 0, "a virtual environment is made", made.stderr)
    python, command = (os.path.join(here, "bin", name) for name in ("python", "cdbg"))
    made = do(python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", wheel)
    ok(made.returncode == 0, "pip installs the wheel", made.stdout + made.stderr)
    program = script("print('ran', __import__('sys').argv[1:])\n")
    seen = do(command, "--plain", "-q", "-batch", "-ex", "info breakpoints", "-ex", "continue", program, "one")
    ok(seen.returncode == 0 and "ran ['one']" in seen.stdout, "the command cdbg runs a program with its arguments", seen.stdout + seen.stderr)
    is_(seen.stderr, "", "it prints nothing else")
    seen = do(command, "--version", VIRTUAL_ENV=folder)
    like(seen.stderr, r"debugging with .*/venv/bin/python.*; the active environment is ", "it names the interpreter if another environment is active")
    seen = do(command, "--version", VIRTUAL_ENV=here)
    is_(seen.stderr, "", "it does not if that is its own")
    if shutil.which("man"):
        seen = do("man", "-w", "cdbg", PATH=os.path.join(here, "bin") + ":" + env["PATH"])
        like(seen.stdout, "/venv/share/man/man1/cdbg.1", "man finds the manual page of the environment")
        seen = do("man", "-w", "cdbg-commands", PATH=os.path.join(here, "bin") + ":" + env["PATH"])
        like(seen.stdout, "/venv/share/man/man7/cdbg-commands.7", "and the one of the commands")
    else:
        skip("man finds the manual page of the environment", "needs man")
    seen = do(python, "-c", "import os, cdbg; print(os.path.dirname(cdbg.__file__))")
    objects = [os.path.join(seen.stdout.strip(), n) for n in ("_cdbg.so", "plugins/dynamo.so", "plugins/tensor.so")]
    for path in objects:
        seen = subprocess.run(["ldd", path], capture_output=True, text=True)
        left = [l.split()[0] for l in seen.stdout.splitlines()
                if not re.match(r"\s*(linux-vdso|/.*/ld-linux|lib(c|m|dl|pthread|rt|util)\.so)", l)]
        is_(left, [], "%s needs the C library alone" % os.path.basename(path))


    # The toy session, on this system and on a bare one.
    toy = os.path.join(top, "doc", "examples", "toy.py")
    with_torch = os.path.dirname(os.path.dirname(torch_file())) if torch_file() else None
    for where, root in (("this system", None), ("a bare system", bare_root(folder))):
        if root is None and where != "this system":
            skip("the toy session on %s" % where, "needs root, debootstrap and a Debian whose Python is that of the wheel")
            continue
        if not with_torch:
            skip("the toy session on %s" % where, "needs torch")
            continue
        words = [command, toy] if root is None else in_root(root, with_torch, ["/venv/bin/cdbg", "/toy.py"])
        plain = ["--plain", "-q", "-batch", "-ex", "break toy_example@break", "-ex", "continue", "-ex", "stepi", "-ex", "info stack"]
        seen = subprocess.run(words[:-1] + plain + words[-1:], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env=dict(env, PYTHONPATH=with_torch if root is None else "/torch"))
        like(seen.stdout, r"POP_JUMP\w* to \d+ +\(break\)[^$]*resume call", "the toy session on %s steps from the break into the resume call" % where)
        for term in TERMS if root else ("xterm-256color", "xterm-kitty"):
            if not have_pyte:
                skip("TERM=%s has the full screen on %s" % (term, where), "needs pyte")
                continue
            with Screen(None, command=words, wait=False, env={"TERM": term, "PYTHONPATH": with_torch if root is None else "/torch",
                                                              "HOME": folder if root is None else "/root"}) as s:
                s.see("toy.py", "source")
                ok("no full screen" not in s.text, "TERM=%s has the full screen on %s" % (term, where), s.text)
                s.line("quit", wait=False)
finally:
    shutil.rmtree(folder, ignore_errors=True)
done()

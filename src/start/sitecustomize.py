# SPDX-License-Identifier: BSD-3-Clause
"""Begins cdbg in the ranks of a distributed job: its folder is in PYTHONPATH of a job that a controller waits for.

The launcher and its other processes run as ever.  A process that has RANK becomes `python -m cdbg` with the same options and arguments,
which connects to the controller, or writes a report into a folder of its rank.  The program's own sitecustomize is imported as if this one did not exist.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LAUNCHERS = ("torchrun", "accelerate", "deepspeed")     # they may have a RANK of their own, as in a pod of Kubernetes
LAUNCHER_MODULES = ("torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch", "deepspeed.launcher.launch")


def program_at(words):
    """The index of the script, or of -m; None: there is neither (-c, standard input, an interactive interpreter)."""
    i = 1
    while i < len(words):
        word = words[i]
        if word == "--check-hash-based-pycs":
            i += 2
            continue
        if not word.startswith("-"):
            return i
        if word in ("-", "--") or word.startswith("--"):
            return None
        for at, letter in enumerate(word[1:], 1):
            if letter == "c":
                return None
            if letter == "m":
                return i if at == 1 else None
            if letter in "WX":
                i += at == len(word) - 1
                break
        i += 1
    return None


def is_launcher(words, i):
    if i is None:
        return False
    if words[i].startswith("-m"):
        return (words[i][2:] or "".join(words[i + 1:i + 2])) in LAUNCHER_MODULES
    return os.path.basename(words[i]) in LAUNCHERS


def is_cdbg(words, i):
    return i is not None and words[i:i + 2] == ["-m", "cdbg"]


def step_aside():
    """The program's own sitecustomize, if there is one, takes this one's name."""
    sys.path[:] = [p for p in sys.path if os.path.abspath(p) != HERE]
    mine = sys.modules.pop(__name__)
    try:
        __import__("sitecustomize")
    except ImportError as e:
        sys.modules[__name__] = mine
        if e.name != "sitecustomize":
            raise


def forget(words):
    """In a rank: its children know nothing of this.  Only cdbg still needs what says where the controller is."""
    if not is_cdbg(words, program_at(words)) and "CDBG_CONNECT" in os.environ:
        for name in ("CDBG_CONNECT", "CDBG_TOKEN", "CDBG_TOKEN_FILE"):
            os.environ.pop(name, None)
    for name in ("CDBG_REPORT", "CDBG_REPORT_BLAME"):
        os.environ.pop(name, None)
    rest = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.abspath(p or ".") != HERE]
    if rest:
        os.environ["PYTHONPATH"] = os.pathsep.join(rest)
    else:
        os.environ.pop("PYTHONPATH", None)


def report_options():
    """The folder is there though the rank may be killed before it writes: then it tells that there was such a rank."""
    if "CDBG_CONNECT" in os.environ or "CDBG_REPORT" not in os.environ:
        return []
    folder = os.path.join(os.environ["CDBG_REPORT"], "rank%d" % int(os.environ["RANK"]))
    os.makedirs(folder, exist_ok=True)
    return ["--report-rank", folder, *(["--report-blame"] if "CDBG_REPORT_BLAME" in os.environ else [])]


def begin(words):
    i = program_at(words)
    if i is None or is_cdbg(words, i):
        return
    try:
        __import__("cdbg")
        options = report_options()
    except (ImportError, OSError, ValueError) as e:
        print("cdbg: rank %s runs without cdbg: %s: install cdbg for %s (Python %d.%d.%d)" % (
            os.environ["RANK"], e, sys.executable, *sys.version_info[:3]), file=sys.stderr)
        return
    os.execv(sys.executable, [sys.executable, *words[1:i], "-m", "cdbg", *options, *words[i:]])


if os.environ.get("RANK") and not is_launcher(sys.orig_argv, program_at(sys.orig_argv)):
    if "CDBG_CONNECT" in os.environ or "CDBG_REPORT" in os.environ:
        begin(sys.orig_argv)
    forget(sys.orig_argv)
step_aside()

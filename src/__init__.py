# SPDX-License-Identifier: BSD-3-Clause
"""cdbg: an interactive debugger for frames compiled by torch.compile.

    python -m cdbg script.py            run a program under it
    cdbg.breakpoint()                   stop here (also PYTHONBREAKPOINT=cdbg.breakpoint)
    with cdbg.debug(): ...              stop at the start of the block; remove all hooks at its end
    cdbg.listen()                       serve an editor that connects while the program runs (also CDBG_LISTEN=ADDRESS)
    cdbg.pm()                           show the frames of the last uncaught exception
    cdbg.crash_report()                 report what each thread ran if a signal crashes the program; works without a session
    cdbg.decompile(code)                Python source of bytecode, for people; cdbg.recompile(code): compile it again from source
    cdbg.explain(fn)                    describe a compiled function; cdbg.entries(fn): its cache entries
    with cdbg.watch() as w: ...         graph breaks and recompiles in the block, with their reasons; see cdbg.watch
    %load_ext cdbg                      %cdbg, %%cdbg and %cdbg_report in IPython and notebooks; see cdbg.notebook
    pytest -p cdbg.pytest               markers no_graph_break, no_recompile and max_recompiles; see cdbg.pytest
    pytest --pdb --pdbcls=cdbg:Pdb      cdbg in place of pdb
"""
import sys

if "t" in sys.abiflags:
    raise ImportError("cdbg cannot debug a free-threaded CPython: use the build that has a global interpreter lock",
                      name=__name__)

from ._cdbg import __version__, breakpoint, crash_report, decompile, recompile
from . import _cdbg

__builtins__ = _cdbg.builtins   # of the functions below: the program may replace its own

__all__ = ["Pdb", "__version__", "breakpoint", "crash_report", "debug", "decompile", "entries", "explain", "listen", "pm", "recompile", "watch"]


def __getattr__(name):
    """Pdb and watch are loaded when they are asked for."""
    if name == "Pdb":
        from .pdb import Pdb as value
    elif name == "watch":
        from .watching import watch as value
    else:
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    globals()[name] = value
    return value


class _Finder:
    """Wakes plugins when the module that they wait for is imported; finds nothing itself."""

    def __init__(self):
        self.names = _cdbg.waits()

    def find_spec(self, name, path=None, target=None):
        if name not in self.names:
            return None
        self.names.discard(name)
        for other in list(sys.meta_path):
            find = None if other is self else getattr(other, "find_spec", None)
            spec = find(name, path, target) if find else None
            if spec is not None:
                if spec.loader is not None:
                    _cdbg.wake_after(spec.loader, name)
                return spec
        return None


_watches_forks = _detaches = False


def _start(later=False):
    global _watches_forks
    import os
    _cdbg.open(later)
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    if not _watches_forks:
        _watches_forks = True
        os.register_at_fork(after_in_child=_cdbg.forked, after_in_parent=_cdbg.forked_parent)
    _cdbg.start(finder)


def _detach_at_exit():
    global _detaches
    import atexit
    if not _detaches:
        _detaches = True
        atexit.register(_cdbg.detach)


def _begin(later=False):
    """A session on the spot, for a program that does not run under `python -m cdbg`.  later: its front end is opened at the first stop."""
    if not _cdbg.active() and not _cdbg.silent():
        _start(later)
        _detach_at_exit()
        shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
        if shell is not None:
            shell.events.register("post_run_cell", _cell_ended)


def _cell_ended(result=None):
    """A step ends with its cell: else the next one, which somebody runs later, would stop."""
    _cdbg.stop_at(None)


def _serve():
    """A session that stops nowhere by itself: for the clients of a socket, who may stop it at once."""
    if not _cdbg.active():
        _detach_at_exit()
        _start()


def _attached(words, channel):
    """A session for another process, which attached to this one: words are of the command line, channel leads to it."""
    if _cdbg.where() is not None:
        raise RuntimeError("cdbg listens in this process already, on %s: connect to that" % _cdbg.where())
    if _cdbg.active():
        raise RuntimeError("cdbg debugs this process already: 'detach' there first")
    _cdbg.attached(words, channel)
    _serve()
    return _cdbg.where()


def listen(address="unix:", token_file=None):
    """Let a client connect while the program runs, and debug it; returns where.

    address: unix:PATH, HOST:PORT, or :PORT on the loopback interface, for JSON; the same after dap: for an editor, by the
    Debug Adapter Protocol.  unix: alone is a socket of this process in a folder
    of the user.  A client of a port sends `token TOKEN` first; the token is in token_file, or printed.
    """
    if _cdbg.where() is None:
        _cdbg.listen(address, token_file)
        _serve()
    return _cdbg.where()


class debug:
    """with cdbg.debug(): stop at the start of the block; at its end, detach cdbg if the block started it."""

    def __enter__(self):
        self.mine = not _cdbg.active()
        breakpoint()
        return self

    def __exit__(self, *exc):
        if self.mine:
            _cdbg.detach()


def pm(exc=None):
    """Show the frames of an exception: the one given, the one being handled, or the last uncaught one."""
    if exc is None:
        exc = sys.exc_info()[1] or getattr(sys, "last_value", None)
    if exc is None:
        raise ValueError("no exception to look at")
    _begin()
    _cdbg.post_mortem(exc)


class Rows(list):
    """Rows of a view, each a dict; prints as the view."""

    text = ""

    def __repr__(self):
        return self.text


def _ask(line, fn):
    _begin(later=True)
    return _cdbg.ask(line, fn)


def explain(fn=None):
    """Describe a compiled function, or all of them: prints it, and returns a cdbg.notebook.Explanation, which notebooks show as HTML."""
    from .notebook import Explanation
    found = Explanation(_ask("explain", fn)[0], fn)
    found.show()
    return found


def entries(fn=None):
    """The entries of a function in the cache of Dynamo, or all: prints as `info entries`, iterates as rows."""
    text, rows = _ask("info entries", fn)
    result = Rows(rows)
    result.text = text.rstrip("\n")
    return result


def load_ipython_extension(shell):
    """%load_ext cdbg"""
    from .notebook import load
    load(shell)


def _listen_if_told():
    """CDBG_LISTEN, where no session begins by itself; the program's children do not inherit it."""
    import os
    address = os.environ.pop("CDBG_LISTEN", None)
    if not address or ("-m", "cdbg") in zip(sys.orig_argv, sys.orig_argv[1:]):
        return
    try:
        listen(address, os.environ.pop("CDBG_TOKEN_FILE", None))
    except (RuntimeError, ValueError) as e:
        print("cdbg: %s" % e, file=sys.stderr)


_listen_if_told()

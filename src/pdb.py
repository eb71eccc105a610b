# SPDX-License-Identifier: BSD-3-Clause
"""cdbg where a program asks for a class like pdb.Pdb: `pytest --pdb --pdbcls=cdbg:Pdb`, also with --trace and pytest.set_trace()."""
import sys

from . import _begin, _cdbg

__builtins__ = _cdbg.builtins   # of the functions below: the program may replace its own


def _exception(given):
    """The exception and the traceback of what pdb's post-mortem functions get, which is either."""
    if isinstance(given, BaseException):
        return given, given.__traceback__
    last = getattr(sys, "last_value", None)
    tb = getattr(last, "__traceback__", None)
    while tb is not None and tb is not given:
        tb = tb.tb_next
    return (last, given) if tb is not None else (Exception("the exception of this traceback is not known"), given)


class Pdb:
    """The methods of pdb.Pdb that pytest calls.  `quit` ends pytest: where a test runs, by KeyboardInterrupt."""

    quitting = False

    def __init__(self, *args, **kwargs):
        pass                    # pdb's own arguments: cdbg has a terminal of its own

    def reset(self):
        self.quitting = False

    def setup(self, frame, tb):
        return False

    def get_stack(self, frame, tb):
        return [], 0

    def interaction(self, frame, exception):
        """Stop in the frames of an exception, or of a traceback; returns when the user continues or quits."""
        if _cdbg.lend(0):       # `quit` interrupted the test, and pytest shows that
            self.quitting = True
            return
        _begin(later=True)
        _cdbg.lend(1)
        try:
            _cdbg.post_mortem(*_exception(exception))
        finally:
            self.quitting = _cdbg.lend(0)
        if not self.quitting:
            self.do_continue("")

    def set_trace(self, frame=None):
        """Stop at the next instruction of the frame, by default the caller's, after this returns."""
        _begin(later=True)
        _cdbg.lend(2)
        self.setup(frame, None)
        _cdbg.break_in(frame or sys._getframe(1))

    def runcall(self, function, *args, **kwargs):
        """Call the function, and stop at its first line."""
        inner = function
        while hasattr(inner, "func"):           # functools.partial
            inner = inner.func
        inner = getattr(inner, "__func__", inner)
        _begin(later=True)
        _cdbg.lend(2)
        if hasattr(inner, "__code__"):
            _cdbg.stop_at(inner.__code__)
        return function(*args, **kwargs)

    def do_continue(self, arg):
        return 1

    def do_quit(self, arg):
        self.quitting = True
        return 1

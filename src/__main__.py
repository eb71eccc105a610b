# SPDX-License-Identifier: BSD-3-Clause
"""python -m cdbg: run a program as Python itself would, with cdbg watching."""
import os
import sys

import cdbg
from cdbg import _cdbg

__builtins__ = _cdbg.builtins   # of the functions below: the program may replace its own
HERE = os.path.dirname(__file__)


def complain(text):
    print("%s: %s" % (sys.orig_argv[0] or sys.executable, text), file=sys.stderr)


def fresh_main(loader, **names):
    """Makes a new module __main__ as Python does, in place of this one in sys.modules."""
    import builtins
    import types
    main = types.ModuleType("__main__")
    main.__dict__.update(__package__=None, __loader__=loader)
    if sys.version_info < (3, 14):
        main.__dict__["__annotations__"] = {}
    if sys.version_info >= (3, 15):
        names.pop("__cached__", None)
    main.__dict__.update(__builtins__=builtins, **names)
    sys.modules["__main__"] = main
    return main.__dict__


def run_compiled(path, data):
    import marshal
    from importlib.machinery import SourcelessFileLoader
    from importlib.util import MAGIC_NUMBER
    names = fresh_main(SourcelessFileLoader("__main__", path), __file__=path, __cached__=None)
    if data[:4] != MAGIC_NUMBER:
        raise RuntimeError("Bad magic number in .pyc file")
    code = marshal.loads(data[16:])
    if not isinstance(code, type(run_compiled.__code__)):
        raise RuntimeError("Bad code object in .pyc file")
    del data
    _cdbg.stop_at(code)
    _cdbg.outermost(code, names)


def compiled(path):
    """The bytes of a file that holds compiled code, by its name or its first two bytes; else None."""
    from importlib.util import MAGIC_NUMBER
    with open(path, "rb") as f:
        if path.endswith(".pyc") or f.read(2) == MAGIC_NUMBER[:2]:
            f.seek(0)
            return f.read()


def run_script(script):
    """Returns the exit status, and whether the script ended without SystemExit."""
    from importlib.machinery import SourceFileLoader
    if script == "-":
        return run_input()
    path = os.getcwd()
    if script not in ("", "."):
        path = os.path.join(path, script)       # not normalised: Python's own does not
    if _cdbg.importer(path):                    # a folder or an archive with a __main__
        sys.path[:not sys.flags.safe_path] = [path]
        return run_module("__main__", alter_argv=False), False
    try:
        data = compiled(path)
    except OSError as e:
        complain("can't open file %r: [Errno %d] %s" % (path, e.errno, e.strerror))
        return 2, False
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    if data is not None:
        run_compiled(path, data)
    else:
        _cdbg.run_file(path, fresh_main(SourceFileLoader("__main__", path), __file__=path, __cached__=None))
    return 0, True


def run_input():
    """The script is on standard input."""
    from importlib.machinery import BuiltinImporter
    if not sys.flags.safe_path:
        sys.path[0] = ""
    _cdbg.run_input(fresh_main(BuiltinImporter, __file__="<stdin>", __cached__=None))
    return 0, True


def run_module(name, alter_argv=True):
    import functools
    import runpy
    runpy._get_module_details = functools.partial(_cdbg.find_module, runpy, runpy._get_module_details)
    fresh_main(None)
    _cdbg.outermost(runpy._run_module_as_main, name, alter_argv)
    return 0


def own_frames_gone(exc):
    """Removes the frames of cdbg from the start of the traceback.  The program may have replaced what os.path calls."""
    tb = exc.__traceback__
    while tb and tb.tb_frame.f_code.co_filename.rpartition("/")[0] == HERE:
        tb = tb.tb_next
    return exc.with_traceback(tb)


def exit_status(code):
    """The exit status that sys.exit(code) gives."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xff if -2**63 <= code < 2**63 else 255
    for text in (code, "\n"):
        try:
            print(text, end="", file=sys.stderr)
        except BaseException:    # it has no text, or there is no place for it
            pass
    return 1


def program(script, module):
    """Run it to its end and report what it raised: the status, and whether it ended as a script, not by SystemExit."""
    try:
        if module:
            return run_module(module), False
        return run_script(script)
    except BaseException as e:
        raised = own_frames_gone(e)
    if isinstance(raised, SystemExit):
        return exit_status(raised.code), False
    if raised.__traceback__:
        _cdbg.post_mortem(raised)
    _cdbg.outermost(_cdbg.report, raised)
    return 130 if isinstance(raised, KeyboardInterrupt) else 1, not module


def torch_version():
    """The version of torch that the program would import, without importing it; None: there is none."""
    import re
    from importlib.machinery import PathFinder
    spec = PathFinder.find_spec("torch")
    try:
        with open(os.path.join(os.path.dirname(spec.origin), "version.py"), encoding="utf-8") as f:
            return re.search(r"__version__ = ['\"]([^'\"]+)", f.read()).group(1)
    except (AttributeError, OSError, TypeError, ValueError):
        return None


def joins():
    """Is this a rank of a job that a controller waits for?  Neither the program nor its children know."""
    address, token, token_file = (os.environ.pop(name, None) for name in ("CDBG_CONNECT", "CDBG_TOKEN", "CDBG_TOKEN_FILE"))
    return bool(address and os.environ.get("RANK")) and _cdbg.join(address, token, token_file, torch_version())


def main():
    options = _cdbg.options(sys.argv[1:])
    if isinstance(options, int):
        return options
    script, module, first = options
    if script is None and module is None:       # an editor says what to run
        from cdbg import adapter
        return adapter.main()
    sys.argv[:] = [script or "-m"] + sys.argv[first + 1:]
    if script == "-":
        try:
            _cdbg.take_input()
        except OSError as e:
            complain("can't read the script from standard input: [Errno %d] %s" % (e.errno, e.strerror))
            return 2
    joining = "CDBG_CONNECT" in os.environ and joins()
    if not _cdbg.silent():
        try:
            cdbg._start()
        except RuntimeError as e:
            print("cdbg: %s%s" % (e, "; this rank runs without cdbg" if joining else ""), file=sys.stderr)
            if not joining:
                return 2
    status, script_over = program(script, module)
    _cdbg.finish(script_over)
    _cdbg.exit(status)
    if status == 130 and isinstance(sys.__dict__.get("last_value"), KeyboardInterrupt):
        try:
            exec("raise KeyboardInterrupt")    # the interpreter now ends by the signal, as it does without us
        except KeyboardInterrupt:
            pass
    return status


def leave(status):
    raise SystemExit(status)    # the program may have replaced sys.exit


leave(main())

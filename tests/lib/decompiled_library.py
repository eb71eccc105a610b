# SPDX-License-Identifier: BSD-3-Clause
"""How many functions of the standard library cdbg.recompile() compiles again, how many of these are structured (no jump by a
variable of the decompiler's own), and why the others are not.

    PYTHONPATH=build/inplace python tests/lib/decompiled_library.py [-v]      -v: names those that have a jump
"""
import collections
import gc
import importlib
import re
import sys
import types
import warnings

import cdbg

MODULES = """argparse ast base64 calendar cmd configparser contextlib copy csv dataclasses difflib enum fractions functools heapq
inspect json.decoder json.encoder pprint random shlex statistics string textwrap fnmatch glob graphlib reprlib sched traceback
typing weakref queue logging logging.handlers logging.config tokenize asyncio.base_events asyncio.events asyncio.futures asyncio.locks
asyncio.queues asyncio.runners asyncio.selector_events asyncio.sslproto asyncio.streams asyncio.tasks asyncio.unix_events bdb bz2
code codecs collections concurrent.futures.thread concurrent.futures.process decimal _pydecimal dis doctest email.message
email._header_value_parser email.headerregistry email.policy filecmp ftplib gettext gzip html.parser http.client http.cookiejar
http.cookies http.server imaplib importlib._bootstrap importlib._bootstrap_external ipaddress locale lzma mailbox mimetypes
multiprocessing.managers multiprocessing.pool nturl2path optparse os pathlib pdb pickle pickletools platform plistlib
poplib posixpath ntpath profile pstats pydoc selectors shutil smtplib socket socketserver sqlite3.dump ssl stat subprocess
symtable sysconfig tarfile tempfile threading timeit trace tkinter turtle types unittest.case unittest.mock unittest.loader unittest.main
unittest.suite urllib.parse urllib.request urllib.robotparser uuid wave webbrowser xml.dom.minidom xml.etree.ElementTree xml.sax.saxutils
xmlrpc.client xmlrpc.server zipfile zipimport zoneinfo _pyio _strptime datetime _pydatetime compileall py_compile
xml.dom.expatbuilder xml.sax.expatreader tomllib._parser""".split()
JUMP = re.compile(r"^\s*if (_t\d+) == \d+( or \1 == \d+)?:", re.M)


def functions(module):
    """Its function objects that are alive, each code once."""
    seen = set()
    for o in gc.get_objects():
        if isinstance(o, types.FunctionType) and o.__module__ == module.__name__ and \
                o.__code__.co_filename == getattr(module, "__file__", None) and id(o.__code__) not in seen:
            seen.add(id(o.__code__))
            yield o


def measure():
    count, why, jumps = collections.Counter(), collections.defaultdict(list), []
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:  # not in this version, or not on this system
            continue
        count["modules"] += 1
        for f in list(functions(module)):
            count["functions"] += 1
            try:
                cdbg.recompile(f.__code__)
            except ValueError as e:
                why[re.sub(r"'[^']*'|, at (line )?\d+", "", str(e))].append(name + "." + f.__qualname__)
                continue
            count["recompiled"] += 1
            if JUMP.search(cdbg.decompile(f.__code__)):
                jumps.append(name + "." + f.__qualname__)
    return count, why, jumps


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    count, why, jumps = measure()
    n, good = count["functions"], count["recompiled"]
    print("%d modules: %d functions, %d recompiled (%.2f %%), %d structured (%.2f %%)" % (
        count["modules"], n, good, 100 * good / n, good - len(jumps), 100 * (good - len(jumps)) / n))
    for reason, names in sorted(why.items(), key=lambda item: -len(item[1])):
        print(len(names), reason, "e.g.", ", ".join(names[:3]))
    if "-v" in sys.argv:
        print("\n".join(jumps))

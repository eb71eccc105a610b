#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# FILE:LINE and FILE:FUNC mean a file of the program before one of a library, also before the program imports it.
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *

path = script("""
    import sys
    import json.decoder, email.message
    def late():
        import decoder
        from inner import message
        return decoder.twice(2) + message.thrice(3)
    print(late())
""")
folder = os.path.dirname(path)
script("""
    def twice(n):
        return n * 2
""", "decoder.py", folder)
script("", "inner/__init__.py", folder)
script("""
    def thrice(n):
        return n * 3
""", "inner/message.py", folder)


def file_of(d):
    return os.path.relpath(d.frame["file"], folder)


with Cdbg(path) as d:
    d.go("next"), d.go("next")
    like(str(d.do("break decoder.py:2")), "pending", "a file beside the script that is not imported yet is meant, not a library's")
    like(str(d.do("break message.py:thrice")), r"pending.*that of a library is 'email/message.py'",
         "the name alone is not a library's file; the answer says what is")
    is_(d.text("complete break decoder.py:"), "break decoder.py:1\nbreak decoder.py:2", "completion has the lines of the same file")
    d.go()
    is_((file_of(d), d.frame["line"]), ("decoder.py", 2), "it stops there once it is imported")
    d.go()
    is_((file_of(d), d.frame["qualname"]), ("inner/message.py", "thrice"), "the other is set when a file of the program has the name")

with Cdbg(path) as d:
    d.go("next"), d.go("next")
    like(str(d.do("break json/decoder.py:JSONDecoder.decode")), r"decoder\.py:\d+ \(decode\)", "a library's file is meant with its folder")
    like(str(d.do("break argparse.py:nothing")), "pending", "a module of the library at the top needs no folder")
    like(str(d.do("break decoder.twice")), "pending", "the name of a module of the program is not a library's submodule")
    d.go()
    is_((file_of(d), d.frame["qualname"]), ("decoder.py", "twice"), "it stops in the program's")
done()

# SPDX-License-Identifier: BSD-3-Clause
# An exception with a cause, a context and notes.
def a():
    raise KeyError("first")

def b():
    try:
        a()
    except KeyError as e:
        raise ValueError("second") from e

def c():
    try:
        b()
    except ValueError as e:
        e.add_note("a note")
        raise
    finally:
        print("finally")

try:
    c()
except ValueError:
    {}["third"]

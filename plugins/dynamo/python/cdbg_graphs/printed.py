# SPDX-License-Identifier: BSD-3-Clause
"""What a run writes to the file descriptors 1 and 2, and to a stream of the program's that stands for them, is kept and written
nowhere.  Objects that hold such a stream, as a handler of logging, write to the descriptors too.  Compares nothing."""
import fcntl
import io
import logging
import os
import sys
import warnings

DESCRIPTORS = 1, 2
MOST = 1 << 20                                  # bytes of each that are compared
HIGH = 200                                      # descriptors from here on are not those that the program gets next
flush_c = globals().get("flush_streams", lambda: None)          # cdbg's own: what C's streams hold is written


def flush():
    """What is written before goes where it belongs."""
    for stream in {id(s): s for s in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)}.values():
        try:
            stream.flush()
        except Exception:                       # closed, None, or the program's own class
            continue
    flush_c()


def descriptor_of(stream):
    """Which of the two a stream writes to; None: neither."""
    try:
        number = stream.fileno()
    except Exception:
        return None
    return number if number in DESCRIPTORS else None


def high(fd):
    """A copy of a descriptor, which a program that is started does not get."""
    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, HIGH)


def is_word_of_torch(record):
    return record.name.partition(".")[0] == "torch"


class Printed:
    """begin() and end() enclose a run.  texts(): what each descriptor, and each stream that is none of them, got."""
    def __init__(self):
        self.files, self.saved, self.streams, self.undo = {}, {}, {}, []

    def begin(self):
        flush()
        for fd in DESCRIPTORS:
            try:
                self.saved[fd] = high(fd)
            except OSError:                     # the program has closed it
                continue
            kept = os.memfd_create("cdbg")
            self.files[fd] = high(kept)
            os.close(kept)
            os.dup2(self.files[fd], fd)
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream is not None and descriptor_of(stream) is None:
                self.streams[name] = stream, io.StringIO()
                setattr(sys, name, self.streams[name][1])
        self.drop_words_of_torch()

    def drop_words_of_torch(self):
        """What torch warns of and logs because cdbg runs it is nobody's; what the program records of warnings itself is its own."""
        handle, show = logging.Logger.handle, warnings.showwarning

        def quiet(self, record):
            if not is_word_of_torch(record):
                handle(self, record)

        def drop(*args, **kwargs):
            return None
        logging.Logger.handle, warnings.showwarning = quiet, drop
        self.undo = [(logging.Logger, "handle", quiet, handle), (warnings, "showwarning", drop, show)]

    def texts(self):
        flush()
        found = {}
        for fd, f in self.files.items():
            found["descriptor %d" % fd] = os.pread(f, MOST, 0).decode(errors="replace")
        found.update((name, stream.getvalue()) for name, (_, stream) in self.streams.items())
        return found

    def end(self):
        """Also where begin() or an earlier end() was interrupted."""
        for owner, name, mine, was in self.undo:
            if vars(owner).get(name) is mine:
                setattr(owner, name, was)
        for name, (stream, mine) in self.streams.items():
            if getattr(sys, name) is mine:
                setattr(sys, name, stream)
        if self.saved:
            flush()
        for fd, saved in list(self.saved.items()):
            os.dup2(saved, fd)
            os.close(saved)
            del self.saved[fd]
        while self.files:
            os.close(self.files.popitem()[1])


def first_unlike_line(a, b):
    """The first line that differs of two texts, as words."""
    p, q = a.splitlines(), b.splitlines()
    for i, (x, y) in enumerate(zip(p, q)):
        if x != y:
            return "line %d is %r, eager %r" % (i + 1, x[:60], y[:60])
    if len(p) > len(q):
        return "%r more than eager" % p[len(q)][:60]
    return "%r of eager is missing" % q[len(p)][:60] if len(q) > len(p) else "the ends of lines differ"


def unlike_texts(a, b):
    """[words] about what two runs printed, {where: text}."""
    return ["printed to %s: %s" % (where, first_unlike_line(a.get(where, ""), b.get(where, "")))
            for where in {**b, **a} if a.get(where, "") != b.get(where, "")]

# SPDX-License-Identifier: BSD-3-Clause
"""The directory of a report that exists, for `python -m cdbg.report`: files are written in it and nowhere else.  No link is followed; what
another user owns is not written to."""
import os
import secrets

from .data import FILE, Refused, parse, read_all

UNFINISHED = ".cdbg-unfinished"
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def refused(what, path, e):
    return Refused("cannot %s '%s': %s" % (what, path, getattr(e, "strerror", None) or e))


class Folder:
    def __init__(self, path):
        self.path, self.open = path, {}         # open: descriptors by the name below the directory
        try:
            if os.path.islink(path.rstrip("/") or path):
                raise Refused("'%s' is a link: give the directory itself" % path)
            self.open[""] = os.open(path, FOLDER)
        except (OSError, ValueError) as e:
            raise refused("open", path, e) from None
        self.check_owner("")

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        for fd in self.open.values():
            os.close(fd)

    def check_owner(self, name):
        if os.fstat(self.open[name]).st_uid != os.geteuid():
            raise Refused("'%s' belongs to another user: nothing is written there" % os.path.join(self.path, name))

    def data(self, parse=parse):
        path = os.path.join(self.path, FILE)
        if UNFINISHED in os.listdir(self.open[""]):
            raise Refused("'%s' is not a report: it is being written, or the process that wrote it was killed" % self.path)
        try:
            fd = os.open(FILE, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self.open[""])
        except OSError as e:
            raise Refused("'%s' is not a report: cannot read '%s': %s" % (self.path, path, e.strerror)) from None
        return parse(read_all(fd, path), path)

    def folder(self, name):
        """The descriptor of a folder in the directory, which is created if there is none."""
        if name not in self.open:
            try:
                os.mkdir(name, dir_fd=self.open[""])
            except FileExistsError:
                pass                            # it is checked below
            self.open[name] = os.open(name, FOLDER, dir_fd=self.open[""])
            self.check_owner(name)
        return self.open[name]

    def write(self, name, text):
        """A file "NAME" or "FOLDER/NAME": it replaces what has its name once it is whole."""
        folder, _, last = name.rpartition("/")
        temp = ".cdbg-" + secrets.token_hex(8)
        try:
            at = self.folder(folder)
            fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666, dir_fd=at)
            try:
                with os.fdopen(fd, "wb") as f:
                    f.write(text)
                os.rename(temp, last, src_dir_fd=at, dst_dir_fd=at)
            except BaseException:
                os.unlink(temp, dir_fd=at)
                raise
        except OSError as e:
            raise refused("write", os.path.join(self.path, name), e) from None

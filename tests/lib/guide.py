# SPDX-License-Identifier: BSD-3-Clause
"""The sessions of doc/guide: fenced blocks of its Markdown files, run and compared with what they show.

A block that begins with '$ ' is a session at a shell:

    $ cdbg --plain -q prog.py       a command of the shell; 'cdbg' is the one of this build
    (cdbg) break f                  a command line for that program
    breakpoint 1 at prog.py:3       its output; a line '...' is any number of lines

A block whose second line begins with 'keys ' is a full screen of 80x24: 'keys ' lines say what is typed, and the rest is the screen.
'<Enter>' and the other NAMES are keys, text between them is typed.

Everything runs in a copy of doc/guide, so that what a session writes is not kept.  What differs from run to run (VARIES) is not compared.
With CDBG_SCREENS=write in the environment the blocks are written again: lines that differ take the place of the old ones, and a line '...'
keeps as many lines before and after it as it had.
"""
import itertools
import os
import re
import shutil
import subprocess

from screen import *
from cdbgtest import argv, environment, start, _finish, _folder

folder = os.path.join(top, "doc", "guide")
NAMES = {"Enter": "\r", "Space": " ", "Tab": "\t", "S-Tab": "\x1b[Z", "Esc": "\x1b", "Down": "\x1b[B", "Right": "\x1b[C", "F1": "\x1bOP"}
MADE_WITH = (3, 11), (2, 13)         # CPython and torch whose instructions, names and words the files show
# What is another in each run: (pattern, what is compared instead).
VARIES = [
    (r"\b0x[0-9a-f]{6,}", "0x..."),
    (r"\b([Gg]uard )\d+|^( +|.*✗ )\d+ (?=[A-Za-z]\w+ )", r"\1\2N "),                        # Dynamo orders guards by hashes
    (r"\b\d+(\.\d+)?(e-?\d+)? (s|ms|us|ns|bytes|KiB|MiB)(?![\w-])", r"N \3"),
    (r"\b\d\d:\d\d:\d\d\b", "hh:mm:ss"),
    (r"\b\d+ of \d+, \] next", "N of N, ] next"),                                      # a new pane changes no session
    (r"\b(process|thread) \d+|^( +is +)\d{3,}$", r"\1\2 N"),
    (r" {2,}", "  "),                                                                     # columns as wide as figures
    (r"^(\d+/\d+  (?:-|\d+)  )[\d.]+(?=  (?:-|yes|no)  )", r"\1N"),                       # info cost: ns
    (r"(  live  \d+  )[\d.]+(?=  )", r"\1N"),                                            # info entries: seconds
]
MARK = "guide-mark-%d"


class Command:
    """A line that is typed, what the file shows of its output, and the lines that the file has for it."""

    def __init__(self, line, typed):
        self.line, self.typed, self.shown, self.got = line, typed, [], []

    def alike(self):
        """The output is the one shown, except for what varies."""
        shown, got = [unordered([same_in_each_run(l) for l in lines]) for lines in (self.shown, self.got)]
        if "..." not in shown:
            return shown == got
        before = shown.index("...")
        after = len(shown) - before - 1
        return len(got) >= before + after and shown[:before] == got[:before] and shown[before + 1:] == got[len(got) - after:]

    def written(self):
        """What the file shall show."""
        if self.alike():
            return self.shown
        if "..." not in self.shown:
            return self.got
        before = self.shown.index("...")
        after = len(self.shown) - before - 1
        return self.got[:before] + ["..."] + self.got[len(self.got) - after:]


def same_in_each_run(line):
    if re.match(r"entry +function +pass +seconds", line):
        return "entry function pass seconds"        # a phase without time has no column
    line = re.sub(r"(?: +\d+\.\d{3}\b)+", " seconds", line)    # nor has one of a row a figure
    for pattern, instead in VARIES:
        line = re.sub(pattern, instead, line)
    return line.rstrip()


def unordered(lines):
    """Rows that a measured time orders, each beginning with it, may come in any order."""
    return [line for timed, group in itertools.groupby(lines, lambda line: line.startswith(" seconds "))
            for line in (sorted(group) if timed else group)]


def blocks(name):
    """Of a file: (text before, lines of the block) pairs, and the rest of the text."""
    with open(os.path.join(folder, name)) as f:
        parts = re.split(r"^(```[a-z]*\n)(.*?)(^```\n)", f.read(), flags=re.M | re.S)
    found = [(parts[k] + parts[k + 1], parts[k + 2].splitlines(), parts[k + 3]) for k in range(0, len(parts) - 1, 4)]
    return found, parts[-1]


def is_session(lines):
    return lines[0].startswith("$ ")


def is_screen(lines):
    return is_session(lines) and len(lines) > 1 and lines[1].startswith("keys ")


def commands_of(lines):
    """A session's commands: those of the shell, each with the ones that its program reads."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append((Command(line, line[2:]), []))
        elif line.startswith("(cdbg) "):
            found[-1][1].append(Command(line, line[len("(cdbg) "):]))
        else:
            (found[-1][1] or found[-1])[-1 if found[-1][1] else 0].shown.append(line)
    return found


def copy():
    """A copy of doc/guide to run in."""
    home = _folder()
    to = os.path.join(home, "doc", "guide")
    for each in "guide", "examples":
        shutil.copytree(os.path.join(top, "doc", each), os.path.join(home, "doc", each))
    os.chmod(to, 0o755)                                     # the source may be read-only
    shim = os.path.join(home, "bin")
    os.mkdir(shim)
    for name, words in ("cdbg", argv("-m", "cdbg")), ("python", argv()):
        with open(os.path.join(shim, name), "w") as f:
            f.write('#!/bin/sh\nexec %s "$@"\n' % " ".join(words))
        os.chmod(f.name, 0o755)
    return to


def run_session(lines, cwd):
    """Runs a session; its commands, each with what it gave."""
    found = commands_of(lines)
    home = os.path.dirname(os.path.dirname(cwd))
    env = environment({"COLUMNS": "110"})
    for shell, inner in found:
        words = shell.typed.split()
        typed = [c.typed for c in inner]
        data = "".join("%shelp %s\n" % (line, MARK % k) for k, line in enumerate([""] + [c + "\n" for c in typed]))
        if words[0] == "cdbg" and not re.search(r"['\"|<>&;$]", shell.typed):
            proc = start(argv("-m", "cdbg", *words[1:]), env, cwd, stderr=subprocess.STDOUT)
        else:
            path = os.path.join(home, "bin") + os.pathsep + os.environ["PATH"]
            plain = {name: value for name, value in env.items() if name != "PYTHONUNBUFFERED"}
            proc = start(["/bin/sh", "-c", shell.typed], dict(plain, PATH=path), cwd, stderr=subprocess.STDOUT)
        out = _finish(proc, ((data + "quit\n") * bool(typed)).encode(), 120)[1]
        out = re.sub(r"\b(__compiled_fn_\d+)_[0-9a-f_]{36}", r"\1_...", out.replace(home, "~/cdbg"))   # for people
        parts = re.split(r"^.*'%s'.*\n" % MARK.replace("%d", r"\d+"), out, flags=re.M)
        for command, part in zip([shell] + inner, parts):
            command.got = [l.rstrip() for l in part.splitlines()]
    return found


def keys_of(lines):
    """What a screen's block types, in pieces that end with a key."""
    words = "".join(line[len("keys "):].strip() for line in lines if line.startswith("keys "))
    pieces = re.findall(r"(.*?)<([\w-]+)>|(.+)$", words)
    return [text.lstrip() + NAMES[key] if key else rest.lstrip() for text, key, rest in pieces]


def run_screen(lines, cwd):
    """The screen that a block's keys give."""
    words = lines[0].split()
    with Screen(words[-1], options=words[2:-1], rows=24, cols=80, limit=120, cwd=cwd) as s:
        for keys in keys_of(lines):
            s.keys(keys)
            s.until(lambda: not s.row(r"^ (running|working)"), "the stop after %r" % keys).settled()
        return [l.rstrip() for l in s.text.split("\n")]


def check(name):
    """All sessions and screens of a file: a test each."""
    found, rest = blocks(name)
    cwd = copy()
    write = os.environ.get("CDBG_SCREENS") == "write"
    exact = (version(), torch_version()) == MADE_WITH
    out = []
    for before, lines, after in found:
        out.append(before)
        if not lines or not is_session(lines):
            out += [l + "\n" for l in lines] + [after]
            continue
        new = check_screen(name, lines, cwd, exact, write) if is_screen(lines) else \
            check_session(name, lines, cwd, exact, write)
        out += [l + "\n" for l in (new if write else lines)] + [after]
    if write:
        with open(os.path.join(folder, name), "w") as f:
            f.write("".join(out) + rest)


def check_screen(name, lines, cwd, exact, write):
    got = run_screen(lines, cwd)
    head = [l for k, l in enumerate(lines) if not k or l.startswith("keys ")]
    shown = lines[len(head):]
    while got and not got[-1]:
        got.pop()
    alike = [same_in_each_run(l) for l in shown] == [same_in_each_run(l) for l in got]
    what = "%s: the screen after '%s'" % (name, " ".join(l[len("keys "):] for l in head[1:]))
    if exact:
        ok(write or alike, what, lambda: "the screen:\n%s" % "\n".join(got))
    else:
        ok(len(got) > 20, what + " is drawn")
    return head + (shown if alike else got)


def check_session(name, lines, cwd, exact, write):
    out = []
    for shell, inner in run_session(lines, cwd):
        for command in [shell] + inner:
            what = "%s: '%s'" % (name, command.typed)
            if exact:
                ok(write or command.alike(), what, lambda: "the output:\n%s\nshown:\n%s" % ("\n".join(command.got), "\n".join(command.shown)))
            else:
                answers = [[bool(lines), any(l.startswith("error:") for l in lines)] for lines in (command.got, command.shown)]
                ok(answers[0] == answers[1], what + " has an answer, or is refused, as shown", "\n".join(command.got))
            out += [command.line] + command.written()
    return out

# SPDX-License-Identifier: BSD-3-Clause
"""Walks the commands that answers name: at a stop it runs many commands, and each command that an answer names right after
that answer, in the same state.

    for what in walk(PROGRAM, table, ["break f", "continue"], probes(table)):
        note(what)                          # a command that an answer names and that is refused
"""
import re
import threading

from cdbgtest import Trouble, argv, environment, start
from cdbgtest import PATIENCE, _folder
from named_commands import named

__all__ = ["LINES", "WRITES", "Plain", "leads", "probes", "refused", "shown", "walk"]

GOES = {"advance", "continue", "detach", "finish", "interrupt", "kill", "next", "nexti", "quit", "restart", "return", "step", "stepg", "stepi",
        "until"}
SKIPPED = GOES | {"commands", "edit", "python", "tty"}
# Answers that are code or values: what they quote is the program's.
CODE = re.compile(r"(code|disassemble|decompile|list|longlist|print|pp|graph (code|show|draw|reduce|save)|info (asm|code|python|source|locals|stack|values|"
                  r"trace|kernel|breaks)|help|complete)\b")
PLACE = re.compile(r"\b[A-Z]{2,}\b|\b[A-Z]\b|\.\.\.|=$|%|\[[A-Z]")
MARK = "@@"
# Lines that are right or wrong, with arguments that the tables do not give.
LINES = [
    "guard drop 1", "guard drop nosuch in 0/0", "guard edit 5 3", "guard edit 5", "guard add 0/0 n ==", "guard restore 5",
    "guard restore all", "entry check 0/0", "entry check 0/0 with n", "entry check 0/0 with q=1", "entry run 0/0",
    "entry diff 0/0", "entry run 9/9", "entry install 0/0", "entry load nosuch.txt", "graph run", "graph run until nan",
    "graph run nosuch", "graph compare", "graph compare -backward", "graph compare f", "graph memory", "graph diff",
    "graph diff 0/0 0/1", "graph diff 1 2", "graph recompile", "graph recompile -backward", "graph recompile 0/0",
    "graph show 0/0 kernel", "graph code 0/0 joint", "graph code -a", "graph code split", "graph code 0/0 nosuch",
    "set var x = ", "set var nosuch = 3", "set var x", "set stack 0 = 1", "set stack", "set nosuch 3", "set width x",
    "set count on", "set backend nosuch for f", "set backend eager for nosuch", "backend eager for f", "jump 99",
    "jump *99999", "jump 1", "jump", "break 99999", "break nosuch.py:3", "break nosuch", "break 9/9", "break f@nosuch",
    "break f*99999", "break f#9999", "break opcode:NOSUCH", "break node:nosuch", "break f@python:999", "tbreak nosuch",
    "condition 99 x", "condition", "ignore", "ignore 1 x", "commands 99", "delete 99", "undisplay 9", "display nosuch",
    "watch nosuch", "watch x", "print nosuch", "print x", "print $9", "print $1.nosuch", "pp nosuch", "whatis nosuch",
    "frame 99", "frame nosuch", "up 99", "down 99", "thread 9", "thread", "list 99999", "list nosuch", "list f",
    "list nosuch.py:3", "list 5,3", "info graph nosuch", "info links", "info links node nosuch", "info links nosuch x",
    "info python nosuch", "info asm 9/9", "info kernel nosuch", "info breaks nosuch", "info entries nosuch",
    "info compiled nosuch", "info guards 99999", "guard eval 99999", "guard eval x", "guard cost nosuch", "guard why nosuch",
    "disassemble nosuch", "disassemble 9/9", "decompile nosuch", "decompile 9/9", "code patch *99999 = NOP",
    "code patch 0/0*2 = NOSUCH", "code insert *2 breakpoint", "code save 0/0 /nonexistent/x", "code assemble /nonexistent/x",
    "source /nonexistent/x", "save breakpoints /nonexistent/x", "report /nonexistent/x/y",
    "report diff /nonexistent/a /nonexistent/b", "graph save 0/0 /nonexistent/x", "graph reduce 0/0 /nonexistent/x",
    "eager nosuch", "eager f", "undo", "undo 99", "undo x", "handle NOSUCH stop", "handle SIGUSR1 nosuch", "bind", "bind x",
    "bind nosuch c", "catch nosuch", "catch exception NoSuch", "catch signal NOSUCH", "catch recompile nosuch",
    "catch graph-break if x", "catch backward if x", "catch kernel", "tcatch nan if x", "complete br", "help nosuch",
    "help guard nosuch", "view nosuch", "view x", "view -next", "view 3", "tui", "tui enable", "tui nosuch", "layout nosuch",
    "focus nosuch", "winheight 3", "zoom", "explain nosuch", "explain 9/9", "explain 0/0", "explain -a", "x = ",
    "nosuchcommand", "nosuchcommand x", "?", "??", "? nosuch", "overrides save /nonexistent/x",
    "entry save 0/0 /nonexistent/x", "info", "info nosuch", "show nosuch", "!", "until 99999", "advance nosuch",
    "until nosuch", "advance", "finish 3", "kill now", "detach now", "restart now", "quit x", "stepi x", "step -1",
    "continue x",
]
WRITES = "report", "save", "source", "complete", "graph save", "graph reduce", "code save", "entry save", "overrides save", "edit"


class Plain:
    """The plain front end on pipes, a command at a time."""

    def __init__(self, program, setup=(), limit=120):
        self.count, self.ended, self.text = 0, False, ""
        self.proc = start(argv("-m", "cdbg", "--plain", "-q", program), environment(), cwd=_folder())
        threading.Thread(target=self.proc.stderr.read, daemon=True).start()
        self.timer = threading.Timer(limit * PATIENCE, self.proc.kill)
        self.timer.start()
        self.first = self.ask("set confirm off")
        for line in setup:
            self.first = self.ask(line)

    def ask(self, line):
        """A line's answer, and the stop that it leads to."""
        self.count += 1
        end = "%s%d" % (MARK, self.count)
        try:
            self.proc.stdin.write(("%s\nhelp %s\n" % (line, end)).encode())
            self.proc.stdin.flush()
        except BrokenPipeError:
            self.ended = True
        out = []
        while not self.ended:
            got = self.proc.stdout.readline().decode("utf-8", "replace")
            if not got:
                self.ended = True
            elif end in got:
                out.append(got[:got.index("error: unknown command '" + MARK)])
                break
            else:
                out.append(got)
        self.text += "".join(out)
        return "".join(out)

    def close(self):
        self.timer.cancel()
        try:
            self.proc.stdin.close()
        except BrokenPipeError:
            pass
        self.proc.kill()
        self.proc.wait()
        self.proc.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def probes(table, arguments=("0/0", "f", "nosuch", "9/9", "1", "99", "x"), skip=()):
    """Every command, subcommand and view, alone and with arguments that may be right or wrong."""
    lines = ["%s %s" % (c, s) for c in sorted(table.subs) for s in table.subs[c]]
    lines += [c for c in sorted(set(table.names.values())) if not table.subs[c]]
    lines = [l for l in lines if l.split()[0] not in SKIPPED]
    lines += ["%s %s" % (l, a) for l in lines for a in arguments]
    lines += ["info %s%s" % (v, a) for v in sorted(set(table.views.values())) for a in ("", " nosuch", " 0/0")]
    return [l for l in lines if not l.startswith(tuple(skip))]


def leads(table, line, answer):
    """The commands that the answer to a line names as a way on: not the line itself, and without placeholders."""
    name = table.names.get(line.split()[0].lstrip("?!")) if line.split() else None
    out = []
    for q in [] if CODE.match(line) and not answer.startswith("error:") else named(answer):
        if not table.is_command(q) or PLACE.search(q) or len(q) == 1 or q.startswith("return ") or q in out or (q in line and name == table.names.get(q.split()[0])):
            continue
        if re.search(r"(?:unknown|ambiguous|invalid|no|at|cannot show) [\w ]*'%s'|'%s' (?:needs|takes|is no)\b" % (re.escape(q), re.escape(q)), answer):
            continue        # it is what is wrong
        out.append(q)
    return out


def refused(q, answer):
    """Is the answer to a named command an error, other than that it needs an argument?"""
    error = re.search(r"^error: (.*)", answer, re.M)
    if not error or "no controlling terminal" in error.group(1):        # a terminal is not the debugger's to give
        return None
    if " " not in q and re.search(r"usage:|missing|needs [A-Z]|expects", error.group(1)) or re.match(r"missing|'%s' needs [A-Z[]" % q, error.group(1)):
        return None         # the name of a command, not a line
    return error.group(1)


def walk(program, table, setup, lines, goes_on=("finish", "until", "stepg", "advance f", "jump 1"), limit=120):
    """What is wrong: (line, its answer, the command named, what that said); what was tried, with the answers; the stop.
    goes_on: lines that may continue the program, tried in a run of their own."""
    wrong, tried, goes = [], {}, {}

    def follow(p, line, answer, depth=0):
        for q in leads(table, line, answer):
            if q in tried:
                continue
            if table.names[q.split()[0]] in GOES:
                goes.setdefault(q, (line, answer))
                continue
            tried[q] = said = p.ask(q)
            why = refused(q, said)
            if why:
                wrong.append((line, answer.strip(), q, why))
            if depth < 3:
                follow(p, q, said, depth + 1)

    with Plain(program, setup, limit) as p:
        first = p.first
        follow(p, "", p.first)
        for line in lines:
            if p.ended:
                raise Trouble("ended before '%s':\n%s" % (line, p.text[-2000:]))
            follow(p, line, p.ask(line))
    for line in goes_on:
        with Plain(program, setup, limit) as p:
            answer = p.ask(line)
            if answer.startswith("error:"):
                follow(p, line, answer)
    for q, (line, answer) in goes.items():
        with Plain(program, setup, limit) as p:
            said = p.ask(q)
            tried[q] = said
            why = refused(q, said)
            if why:
                wrong.append((line, answer.strip(), q, why))
    return wrong, tried, first


def shown(wrong):
    """A line for each: the line, what its answer names, and what that said."""
    return ["'%s' (%s) -> '%s': %s" % (line, next((l for l in answer.split("\n") if q in " ".join(l.split())), answer)[-160:], q, why)
            for line, answer, q, why in wrong]

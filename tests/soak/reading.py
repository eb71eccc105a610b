# SPDX-License-Identifier: BSD-3-Clause
"""The commands that only read: which there are, with arguments that fit the stop, and whether they change the program's state.

The commands come from `help`, so that a new one is included by itself.  One that changes something is named in CHANGING; an
argument whose word is not in VALUES is reported (Reader.unknown).  How commands are sent is not known here.
"""
import ast
import os
import random
import re
import time

STATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "program_state.py")
GROUPS = ("Looking", "torch.compile")
ALSO = ("show", "help", "complete")
CHANGING = {"up", "down", "frame", "thread", "display", "undisplay", "eager", "undo", "backend", "report", "overrides save",
            "entry disable", "entry enable", "entry delete", "entry prefer", "entry force", "entry clone", "entry install", "entry save", "entry load",
            "guard drop", "guard force", "guard add", "guard edit", "guard restore", "graph save", "graph reduce",
            "code edit", "code save", "code assemble", "code patch", "code insert"}
# Changes that commands may make, and why.
ALLOWED = [r"program: module .*: absent -> $",      # what a command imports; its names are torch's, which the next line allows
           r"torch: torch[\w.]*: absent -> ",
           r"tensor: .* -> absent$",                # torch's own, in a table that it empties
           r"module: \d+ .*\._(code|lineno_map|prologue_start|graph)",     # made when it is first read
           r"torch: [\w.]*(CACHE|cache)\w*: ",        # what torch has looked up before; it would look it up again
           r"torch: torch\._dynamo\.backends\.registry\._(BACKENDS|COMPILER_FNS): ",    # filled as a list of them is made
           r"torch: torch\.utils\._stats\.simple_call_counter: ",      # how often torch's own functions ran, for its developers
           r"torch: torch\._subclasses\.meta_utils\.DESCRIBER_NEXT_ID",                  # numbers of torch's own objects
           r"torch: torch\.autograd\.function\.AUTOGRAD_FUNCTION_COUNTER"]
BREAK_ON = re.compile(r"(?m)^\s*def (\w+)")
CATCH = ("compile", "recompile", "guard-fail", "graph-break")
GROUP = 8               # commands between two readings of the state
FULL = 4                # stops of a program at which every command runs


def alternatives(usage):
    """The forms of a usage: lists of words and of optional parts, which are lists of forms."""
    forms, items, depth, part = [], [], 0, ""
    for token in re.findall(r"\[|\]|[^\s\[\]]+", usage):
        if token == "[":
            depth += 1
            part += " [" if depth > 1 else ""
        elif token == "]":
            depth -= 1
            if depth:
                part += " ]"
            else:
                items.append(alternatives(part))
                part = ""
        elif depth:
            part += " " + token
        elif token == "|":
            forms.append(items)
            items = []
        else:
            items.append(token)
    return forms + [items]


def expand(forms, pick):
    """Words of one form.  pick(n): which of n."""
    words = []
    for item in forms[pick(len(forms))]:
        if isinstance(item, str):
            words.append(item)
        elif pick(3) == 0:
            words += expand(item, pick)
    return words


def each(forms):
    """Words of each form without what is optional, and with one optional part at a time."""
    for form in forms:
        plain = [[i] if isinstance(i, str) else [] for i in form]
        yield sum(plain, [])
        for k, item in enumerate(form):
            if not isinstance(item, str):
                for words in each(item):
                    yield sum(plain[:k], []) + words + sum(plain[k + 1:], [])


class Reader:
    """ask(line): the reply to a command, as a dict; None when there is none any more."""

    def __init__(self, ask, seed=0):
        self.ask, self.random, self.unknown = ask, random.Random(seed), set()
        self.usages = None

    def text(self, line):
        return (self.ask(line) or {}).get("text") or ""

    def rows(self, line):
        return (self.ask(line) or {}).get("rows") or []

    def tables(self):
        """[(command, forms of its arguments)], from help."""
        found, group = [], None
        for line in self.text("help").split("\n"):
            m = re.match(r"  (\S+)", line)
            group = group if m or line.startswith("'") else line
            if m and (group in GROUPS or m.group(1) in ALSO) and m.group(1) not in CHANGING:
                found += self.table(m.group(1))
        return found

    def table(self, name):
        lines = self.text("help " + name).split("\n")
        usage = lines[0][len(name):].strip()
        if name == "info":
            views = re.findall(r"(?m)^  (\S+)", self.text("help view"))
            return [("info " + v, alternatives(self.text("help info " + v).split("\n")[0][len("info " + v):])) for v in views]
        if not usage.startswith("SUBCOMMAND"):
            return [(name, alternatives(usage))]
        subs = [line.split(None, 1) for line in lines if re.match(r"  \S", line)]
        return [(name + " " + s[0], alternatives(s[1] if len(s) > 1 else "")) for s in subs if name + " " + s[0] not in CHANGING]

    def look(self):
        """What arguments can name at this stop."""
        frames, entries, graphs = self.rows("bt"), self.rows("info entries"), self.rows("info graphs")
        guards, names = self.rows("info guards"), [r["name"] for r in self.rows("info locals") if str(r.get("name", "")).isidentifier()]
        functions = [r["function"] for r in frames if r.get("kind") in ("user", "generated")] + [r["function"] for r in entries]
        live = [r["entry"] for r in entries if r.get("state") == "live"] or [r["entry"] for r in entries]
        names = names or ["1"]
        self.values = {
            "ENTRY": live or ["0/0"], "FUNC": functions or ["f"], "NAME": [r["graph"] for r in graphs] or ["__compiled_fn_0"],
            "STAGE": [r["stage"] for r in graphs if r.get("stage") != "captured"] or ["joint"], "GUARD": [str(r["guard"]) for r in guards] or ["1"],
            "EXPR": names + ["1 + 1", "__stack__"], "N": ["1", "2"], "RTOL": ["0.01"], "ATOL": ["0.01"], "LINE": ["1", "3"], "FIRST,LAST": ["1,4"],
            "FILE:LINE": ["%s:%s" % (r["file"], r["line"]) for r in frames if r.get("line") and r.get("kind") == "user"] or ["x.py:1"],
            "FUNC...": functions or ["f"], "NAME=EXPR...": ["%s=%s" % (n, n) for n in names if n != "1"] or ["x=1"],
            "-N": ["-1", "-2"], "$N": ["$0"], "FUNC@python": [f + "@python" for f in functions] or ["f@python"],
            "FILE": [r["file"] for r in frames if r.get("file")] or ["x.py"], "SIGNAL": ["SIGINT"], "WHAT": ["line"], "ID": [str(r["line"]) for r in frames if r.get("line")] or ["1"], "fold:INDEX,...": ["fold:0"],
            "COMMAND": ["info", "graph", "list"], "SUBCOMMAND": ["run"], "VIEW": ["guards", "entries", "locals"], "OPTION": ["confirm"],
            "LINE ": ["info gr", "graph run ", "print "], "WORDS": [""], "NODE": [""],
            "A": [r["graph"] for r in graphs] or ["g"], "B": [r["graph"] for r in graphs] or ["g"]}

    def fill(self, command, words):
        """The line, or None where a word has no value here."""
        line = [command]
        for word in words:
            if command == "complete" and word == "LINE":
                word = "LINE "
            choice = word if word in self.values else self.random.choice(word.split("|")) if word != "|" else word
            if choice in self.values:
                choice = self.random.choice(self.values[choice])
            elif re.search("[A-Z]", choice) and not choice.startswith(":") and choice not in self.values["EXPR"]:
                self.unknown.add("%s: %s" % (command, choice))
                return None
            if word.startswith(":"):
                line[-1] += ":1"
            else:
                line.append(choice)
        return " ".join(line).rstrip() if command != "complete" else " ".join(line)

    def all_lines(self):
        """A line for each command, for each optional argument of each, and for each name as an expression."""
        lines = [self.fill(command, [name if word == "EXPR" else word for word in words])
                 for command, forms in self.usages for words in each(forms)
                 for name in (self.values["EXPR"][-10:] if "EXPR" in words else [""])]
        return list(dict.fromkeys(line for line in lines if line))

    def some_line(self):
        while True:
            command, forms = self.random.choice(self.usages)
            line = self.fill(command, expand(forms, self.random.randrange))
            if line:
                return line

    def state(self, what):
        """begin or changed, in the program's process."""
        reply = self.ask("print __import__('sys').modules['cdbg_soak_state'].%s()" % what)
        if reply is None:
            return None
        if not reply.get("ok"):
            return ["the state cannot be read: %s" % reply.get("error")]
        return ast.literal_eval(reply["text"])

    def start(self):
        """At a stop: before the first line of the program."""
        self.ask("set confirm off")
        self.ask("set repr-limit 60000")
        self.ask("print exec(open(%r).read(), {'__builtins__': dict(vars(__import__('builtins')))})" % STATE)
        self.usages = self.tables()

    def begin(self):
        """At each stop.  False: other threads run, so that the state changes by itself."""
        self.look()
        found = self.state("begin")
        return isinstance(found, tuple) and found[2] <= 0

    def changed(self):
        """What has changed since the last call, but for what may."""
        return [c for c in self.state("changed") or [] if not any(re.match(a, c) for a in ALLOWED)]

    def run(self, lines):
        """Runs commands: ({line: what it changed or how it failed}, {line: reply}).  The state is compared after all of them;
        where it differs, each runs again, alone."""
        replies = {line: self.ask(line) for line in lines}
        wrong = {line: ["no reply"] for line, reply in replies.items() if reply is None}
        for line, reply in replies.items():
            if "Traceback (most recent call last)" in str((reply or {}).get("error")):
                wrong[line] = ["the error is a traceback: %s" % reply["error"][-200:]]
        together = [] if wrong else self.changed()
        if together and len(lines) > 1:
            for line in lines:
                self.ask(line)
                wrong[line] = self.changed()
            wrong = {line: what for line, what in wrong.items() if what} or {"; ".join(lines): together}
        elif together:
            wrong[lines[0]] = together
        return wrong, replies


class Reading:
    """Reads at the stops of one program.  problems: texts, with the command."""

    def __init__(self, ask, path, seed=0):
        self.reader, self.ask, self.path = Reader(ask, seed), ask, path
        self.problems, self.stops, self.commands = [], set(), 0

    def wanted(self):
        self.end = self.end or time.monotonic() + self.seconds
        return time.monotonic() < self.end

    def start(self, seconds):
        """At the first stop.  seconds: how long commands may take together."""
        self.seconds, self.end = seconds, None
        self.reader.start()
        with open(self.path, encoding="utf-8", errors="replace") as f:
            text = f.read().rstrip()
        for where in list(dict.fromkeys(BREAK_ON.findall(text))) + ["%s:%d" % (self.path, text.count("\n") + 1)]:
            self.ask("break " + where)
        for kind in CATCH:
            self.ask("catch " + kind)

    def at_stop(self, stop):
        """Every command, at the first stops that differ."""
        frame = stop.get("frame") or {}
        where = (stop.get("reason"), frame.get("function"), frame.get("line"), frame.get("kind"), frame.get("entry"))
        if where in self.stops or len(self.stops) >= FULL or not self.wanted():
            return
        self.stops.add(where)
        alone = self.reader.begin()
        lines = self.reader.all_lines()
        self.reader.random.shuffle(lines)
        for k in range(0, len(lines), GROUP):
            if not self.wanted():
                return
            group = lines[k:k + GROUP]
            wrong = self.reader.run(group)[0] if alone else {line: ["no reply"] for line in group if self.ask(line) is None}
            self.commands += len(group)
            self.problems += ["'%s' at %s:%s: %s" % (line, frame.get("function"), frame.get("line"), w) for line in wrong for w in wrong[line]]
            if ["no reply"] in wrong.values():
                return

# SPDX-License-Identifier: BSD-3-Clause
"""The commands that texts name in quotes, and whether cdbg has them in that form, by its own tables.

    table = Table(d)                        # d: a Cdbg at any stop
    table.wrong("guard drop 5 in 0/0")      # None, or what is wrong with it
    named("see 'info guards'")              # ["info guards"]
"""
import ast
import re

__all__ = ["Table", "c_strings", "named", "python_strings"]

QUOTED = re.compile(r"(?<![\w'])'([^']+)'(?![\w'])")
BACKQUOTED = re.compile(r"`([^`]+)`")


def named(text, backquotes=False):
    """What a text has in quotes, line ends as spaces."""
    return [" ".join(q.split()) for q in QUOTED.findall(text) + (BACKQUOTED.findall(text) if backquotes else [])]


def c_strings(text):
    """The string literals of a C file, adjacent ones joined: (line, text)."""
    out, now, line, i = [], None, 1, 0
    while i < len(text):
        c, end = text[i], i + 1
        if text.startswith("/*", i):
            end = text.index("*/", i) + 2
        elif c in "'\"":
            while text[end] != c:
                end += 2 if text[end] == "\\" else 1
            end += 1
        literal = c == '"'
        if literal:
            part = ast.literal_eval('"%s"' % text[i + 1:end - 1].replace("\\e", "\\x1b"))
            now = (now[0], now[1] + part) if now else (line, part)
        elif now and not c.isspace() and not text.startswith("/*", i):
            out.append(now)
            now = None
        line += text.count("\n", i, end)
        i = end
    return out


def python_strings(text):
    return [(n.lineno, n.value) for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant) and isinstance(n.value, str)]


# ---- descriptions of arguments: src/cmd/usage.h ----

def tokens(usage):
    """Split at spaces outside of brackets."""
    out, depth, word = [], 0, ""
    for c in usage + " ":
        if c == " " and not depth:
            out += [word] if word else []
            word = ""
        else:
            depth += (c == "[") - (c == "]")
            word += c
    return out


def forms(usage):
    """The forms between " | "."""
    out, now = [], []
    for t in tokens(usage):
        if t == "|":
            out.append(now)
            now = []
        else:
            now.append(t)
    return out + [now]


def is_argument(word):
    return bool(re.search(r"[A-Z]", word))


def fits(form, words):
    """Do these words, placeholders among them, match the tokens?"""
    if not form:
        return not words
    token, rest = form[0], form[1:]
    if re.fullmatch(r"\[.*\](\.\.\.)?", token) and token.find("]") == token.rfind("]") or is_whole_group(token):
        inner = re.sub(r"\](\.\.\.)?$", "", token[1:])
        many = [form] if token.endswith("...") else []
        return fits(rest, words) or any(fits(f + (m[0:1] if m else []) + rest, words) for f in forms(inner) for m in many + [[]])
    alternatives = token.split("|")
    for a in alternatives:
        if not is_argument(a) and words and (words[0] == a or (a.endswith("=") and words[0].startswith(a))):
            if fits(rest, words[1:]):
                return True
    if any(is_argument(a) for a in alternatives):
        most = 1 if set(alternatives) <= {"N", "ENTRY", "GUARD"} else len(words)
        return any(fits(rest, words[n:]) for n in range(1, most + 1) if not any(re.match("-[a-z]", w) for w in words[:n]))
    return False


def is_whole_group(token):
    depth = 0
    body = token[:-3] if token.endswith("...") else token
    for i, c in enumerate(body):
        depth += (c == "[") - (c == "]")
        if not depth and i + 1 < len(body):
            return False
    return body.startswith("[")


class Table:
    """Commands, their forms, views, options, stops and verbs of the screen, as help lists them."""

    def __init__(self, d):
        self.d = d
        self.names, self.usage, self.subs = {}, {}, {}
        for name, aliases in re.findall(r"^  ([\w-]+)(?: \(([^)]*)\))? ", d.text("help"), re.M):
            for alias in [name] + (aliases or "").split():
                self.names[alias] = name
        for name in set(self.names.values()):
            lines = d.text("help " + name).split("\n")
            self.usage[name] = lines[0][len(name):].strip()
            self.subs[name] = {m[1]: m[2].strip() for m in (re.match(r"  ([a-z][\w-]*)((?: .*)?)$", l) for l in lines)
                               if m} if self.usage[name].startswith("SUBCOMMAND") else {}
        self.views = self.listed("help view")
        self.options = self.listed("help option")
        self.kinds = set(re.findall(r"^  ([\w-]+)", d.text("help catch").split("\n", 2)[2], re.M))
        self.verbs = set(re.findall(r"\btui ([a-z][\w-]*)", " ".join(d.text("help tui").split())))
        self.asked = {}

    def listed(self, line):
        out = {}
        for name, aliases in re.findall(r"^  ([\w-]+)(?: \(([^)]*)\))? ", self.d.text(line), re.M):
            out.update((a, name) for a in [name] + (aliases or "").split())
        return out

    def view_usage(self, name):
        if name not in self.asked:
            self.asked[name] = self.d.text("help view " + name).split("\n")[0][len("info " + name):].strip()
        return self.asked[name]

    def is_command(self, line):
        """A line of cdbg, not of a shell."""
        if line.startswith("python -m "):
            return False
        return line.split()[0].lstrip("?!") in self.names if line.split() else False

    def wrong(self, line):
        """What is wrong with a command line, in which %s, N or FUNC stand for an argument; None: nothing."""
        first, *words = line.split()
        name = self.names.get(first)
        if not name:
            return "no command '%s'" % first
        place = [w for w in words if not w.startswith("%") and not is_argument(w)]
        if self.subs[name]:
            if not words:
                return None
            if words[0] not in self.subs[name] and not words[0].startswith("%") and not is_argument(words[0]):
                return "no subcommand '%s %s'" % (name, words[0])
            usage = self.subs[name].get(words[0])
            return self.form(usage, words[1:]) if usage is not None else None
        if name in ("info", "show", "set", "catch", "tcatch", "tui", "help") and place[:1] == words[:1] and words:
            return self.kind(name, words)
        return self.form(self.usage[name], words)

    def kind(self, name, words):
        if name == "info":
            if words[0] not in self.views:
                return "no view '%s'" % words[0]
            return self.form(self.view_usage(self.views[words[0]]), words[1:])
        if name == "tui":
            return None if words[0] in self.verbs | {"enable", "disable", "row", "tty"} else "no verb '%s'" % words[0]
        if name in ("catch", "tcatch"):
            return None if words[0] in self.kinds else "no kind of stop '%s'" % words[0]
        if name == "help":
            return None if words[0] in set(self.names) | {"view", "option", "catch"} else "no command '%s'" % words[0]
        if name == "set" and words[0] in ("var", "stack"):
            return None
        if name == "set" and words[0] in self.names and " ".join(words) != words[0]:
            return self.wrong(" ".join(words))
        return None if words[0] in self.options or words[0] in self.names or words[0] == "auto-load" else "no option '%s'" % words[0]

    def form(self, usage, words):
        """A bare name is always right: a text may name a command without its arguments."""
        words = [w for w in words if w not in ("...", "COMMAND...")]
        if not words or any(fits(f, words) for f in forms(usage)):
            return None
        return "usage: %s" % usage

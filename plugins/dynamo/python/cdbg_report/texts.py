# SPDX-License-Identifier: BSD-3-Clause
"""Texts of a report: what cannot be seen made visible, names of files, figures, Python in colours.  Knows neither data nor pages."""
import html
import re
import unicodedata
import urllib.parse

HIDDEN = r"\x7f-\x9f\u061c\u200b\u200e\u200f\ufeff\u2028-\u202e\u2060-\u2069\ud800-\udfff"
UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f%s]" % HIDDEN)
UNSAFE, ESCAPED = re.compile("[%s]" % HIDDEN), re.compile(r"\\[bfru]")      # in JSON: what is written as an escape, and what is one


def sign(m):
    c = ord(m[0])
    if c < 0x20 or c == 0x7f:
        return chr(0x2421 if c == 0x7f else 0x2400 + c)
    return "\ufffd" if 0xd800 <= c <= 0xdfff else "\\u%04x" % c     # what turns or hides the text around it


def visible(tree):
    """The same with each text as it can be shown."""
    if type(tree) is str:
        return UNSEEN.sub(sign, tree)
    if type(tree) is dict:
        return {k: visible(v) for k, v in tree.items()}
    return [visible(v) for v in tree] if type(tree) is list else tree


def one_line(text):
    """The same in one line of a file for tools."""
    def spell(m):
        c = ord(m[0])
        return {10: "\\n", 13: "\\r"}.get(c) or ("\\x%02x" if c < 0x100 else "\\u%04x") % c
    return re.sub(r"[\x00-\x08\x0a-\x1f%s]" % HIDDEN, spell, text)


def base(path):
    """The last part of a path, without the folders of this machine."""
    name = path[path.rfind("/") + 1:]
    return name or path


def first_line(text):
    return text.partition("\n")[0]


def counted(n, one, many=None):
    """ "1 node", "2 nodes"."""
    return "%d %s" % (n, one if n == 1 else many or one + "s")


# ---- names of files ------------------------------------------------------------------------------------------------------

DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|\Z)", re.I)    # Windows opens these whatever follows the dot


def file_name(text):
    """A file's name for a text, on Windows too: at most 61 letters, digits and "._-"; no hidden file, no parent."""
    name = ""
    for c in text:
        if len(name) == 60:
            break
        if c == "." and name:
            name += "_" if name[-1] == "." else "."
        elif c != ".":
            name += c if c.isascii() and (c.isalnum() or c == "_" or c == "-" and name) else "_"
        else:
            name += "_"
    name = name.rstrip(".") or "_"
    return "_" + name if DEVICE.match(name) else name


def anchor(entry):
    """An entry's name in URLs and files: "0/0" and "0/0#2" stay apart."""
    return file_name(entry.replace("/", "-").replace("#", "."))


class Names:
    """Names of files that differ: "forward", "forward-2".  The same texts in the same order give the same names."""
    def __init__(self, *taken):
        self.last = {name: 1 for name in taken}     # in lower case: some file systems do not tell the cases apart

    def unique(self, text):
        plain = name = file_name(text)
        first = plain.lower()
        while name.lower() in self.last:
            self.last[first] += 1
            name = "%s-%d" % (plain, self.last[first])
        self.last[name.lower()] = 1
        return name


def url(path):
    """A folder as a relative URL."""
    return urllib.parse.quote(path, safe="/._-")


# ---- for pages -----------------------------------------------------------------------------------------------------------

UNITS = (1, "s"), (1e-3, "ms"), (1e-6, "\u00b5s"), (1e-9, "ns")


def seconds(s):
    """ "3.62 s", "740 ms", "1.20 \u00b5s"."""
    unit, name = next((u for u in UNITS if s >= u[0]), UNITS[-1])
    s /= unit
    return ("%.2f %s" if s < 10 else "%.1f %s" if s < 100 else "%.0f %s") % (s, name)


def percent(share):
    return 0 if share <= 0 else 100 if share >= 1 else int(share * 100 + 0.5)


def width(text):
    """Columns of a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def fit(text, columns):
    """As much of the beginning as these columns hold."""
    if text.isascii():
        return text[:columns]
    n = 0
    for i, c in enumerate(text):
        n += width(c)
        if n > columns:
            return text[:i]
    return text


def cut(text, columns):
    return text if width(text) <= columns else fit(text, columns - 1) + "\u2026"


def cut_name(text, columns):
    """The same with the ellipsis in the middle."""
    whole, head = width(text), (columns - 1) // 2
    if whole <= columns:
        return text
    return fit(text, head) + "\u2026" + text[len(fit(text, whole - (columns - 1 - head))):]


KEYWORDS = frozenset("and as assert async await break class continue def del elif else except finally for from global if import in is "
                     "lambda nonlocal not or pass raise return try while with yield None True False".split())
TOKEN = re.compile(r"""(?P<c>\#.*) | (?P<s>'(?:\\.|[^'\\])*(?:'|\\?\Z) | "(?:\\.|[^"\\])*(?:"|\\?\Z)) |
                   (?P<k>[A-Za-z_\x80-\U0010ffff][A-Za-z0-9_\x80-\U0010ffff]*) | (?P<n>[0-9][0-9A-Za-z.]*)""", re.S | re.X)
LONGEST_LINE = 2000                             # bytes: a browser gets slow


def python(line):
    """Markup of a line: words of the language, strings, numbers and comments in spans.  Of a line that is too long, its beginning."""
    raw = line.encode("utf-8", "replace") if len(line) > LONGEST_LINE // 4 else b""
    if len(raw) > LONGEST_LINE:
        line = raw[:LONGEST_LINE].decode("utf-8", "ignore")
    out, at = [], 0
    for m in TOKEN.finditer(line):
        kind = m.lastgroup
        if kind != "k" or m[0] in KEYWORDS:
            out += html.escape(line[at:m.start()]), '<span class="%s">' % kind, html.escape(m[0]), "</span>"
            at = m.end()
    out.append(html.escape(line[at:]))
    if len(raw) > LONGEST_LINE:
        out.append('<small class="cut"> \u2026 and %d more bytes</small>' % (len(raw) - len(line.encode())))
    return "".join(out)

# SPDX-License-Identifier: BSD-3-Clause
"""Texts of values, so that those of two processes can be compared: without addresses of objects, which are in names that Dynamo made,
too, with the elements of sets in order, and with devices as strings.  Knows no report."""
import re

TOKEN = re.compile(r"""'(?:\\.|[^'\\])*'? | "(?:\\.|[^"\\])*"? | [ ]at[ ]0x[0-9a-fA-F]+ |
                   device\(type='(?P<type>[a-z]*)'(?:,[ ]index=(?P<index>[0-9]+))?\) | (?P<word>[A-Za-z0-9_]+) | .""", re.S | re.X)
WORD = re.compile(r"[A-Za-z0-9_]+")
ADDRESS = re.compile(r"_[0-9]{9,}(?=_)")        # in a name of an object: __optimizer_140673377457360_c10


def stable_word(word):
    return ADDRESS.sub("", word) if word.startswith("__") else word


def stable_token(m):
    text = m[0]
    if m["word"]:
        return stable_word(text)
    if m["type"] is not None:                   # the same in a graph that came from inductor's cache and in one that did not
        return "'%s'" % (m["type"] + (":" + m["index"] if m["index"] else ""))
    if text[0] in "'\"":
        return WORD.sub(lambda w: stable_word(w[0]), text)
    return "" if text.startswith(" at 0x") else text


class Level:
    """What is within one pair of brackets."""
    def __init__(self, opens):
        self.opens, self.elements, self.parts, self.pairs = opens, [], [], False

    def end_element(self):
        self.elements.append("".join(self.parts))
        self.parts = []

    def text(self, closes):
        self.end_element()
        raw = ",".join(self.elements)
        if self.opens == "{" and closes == "}" and not self.pairs and raw:
            if not self.elements[-1].strip(" "):
                self.elements.pop()
            raw = ", ".join(sorted(e.lstrip(" ") for e in self.elements))
        return self.opens + raw + closes


def stable(text):
    levels = [Level("")]
    for m in TOKEN.finditer(text):
        token, here = m[0], levels[-1]
        if token in "([{":
            levels.append(Level(token))
        elif token in ")]}" and len(levels) > 1:
            levels.pop()
            levels[-1].parts.append(here.text(token))
        elif token == ",":
            here.end_element()
        else:
            here.pairs = here.pairs or token == ":"
            here.parts.append(stable_token(m))
    while len(levels) > 1:                      # the text is cut
        here = levels.pop()
        levels[-1].parts.append(here.text(""))
    return levels[0].text("")


def same(a, b):
    return a == b or stable(a) == stable(b)

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Comments, messages, help and documents use plain English and one standard term for each thing.
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from cdbgtest import *

os.chdir(top)

# A phrase, as a regular expression with word boundaries, and what to write instead.  A phrase is listed because it hides
# the verb or the noun of a sentence, puts the object first, or is a second word for a thing that has a standard term.
PHRASES = [
    # Inverted or old-fashioned sentences.
    (r"(?<!there )(?<!here )(?:is|are) no (?!longer\b|more than\b|matter\b)\w+", "is not a ...; invalid ...: expected ..."),
    (r"(?<!there )(?<!here )(?:is|are) (?-i:none)\b(?! of\b)", "is not a ...; does not exist"),
    (r"(?<!two )(?<!some )(?<!each )(?<!all )(?<!most )(?<!one )(?<!none )(?<!neither )\bof which\b", "that ...; whose ..."),
    (r"does more than to|is so already|are so already", "changes ...; is already ..."),
    (r"what is no\b|what are no\b|what it is on\b", "anything that is not a ..."),
    (r"whose (?:it is|they are|that is|it was|is it|an?\b|the\b)", "the ... that owns it; the ... of ..."),
    (r"of (?:the )?(?:user|Dynamo|torch|program|plugin|inductor|python|engine|caller|core|ledger)'s(?! \w)", "of the user; the user's ..."),
    (r"of (?:ours|theirs|mine)\b", "our ..., their ..."),
    (r"(?:alas|lest|ere|thereof|whereof|whence|thence|hereof|wherein|therein|betimes|withal)\b", "plain English"),
    (r"anew\b", "again"),
    (r"for ever\b", "forever; without end"),
    (r"parted (?:by|from)\b", "separated by"),
    (r"save for\b", "except"),
    (r"to be had\b", "available"),
    (r"from \d on\b", "... or more"),
    (r"may be said|can be said|is said|are said|was said|what is said|also said|said (?:once|twice|so|behind|as)\b", "is reported; is written; can be typed"),
    (r"says? so\b|unsaid\b", "reports it; names it"),
    (r"(?:is|are|was|were|be|been) told\b", "is reported; is known"),
    (r"tells? (?:of|whose|nothing)\b", "reports; names; records"),
    (r"hangs? on\b", "belongs to; depends on; is attached to"),
    (r"the way there\b", "the call path to it"),

    (r"(?:is|are|was) worth\b(?! \w+ing\b)", "the value is ..."),
    # Words for places and order.
    (r"behind(?! (?:a|an|all|this|the|these|compiled|its|his|their|one) (?:\w+ )?wrappers?\b)(?! wrappers?\b)(?! (?:this|a|the) value\b)",
     "after"),
    (r"(?:is|are) at hand\b|at hand\b", "is current; belongs to the current instruction"),
    (r"stands?\b(?!-)(?! for\b)(?! alone\b)(?! in for\b)|stood\b|standing\b", "is; is written; is stopped"),
    (r"lies(?! about)\b|lie in\b|lay in\b", "is in"),
    # A second word for a thing that has a standard term.
    (r"goes? on\b|going on\b|went on\b|gone on\b", "continue, resume"),
    (r"hands\b(?! written\b)|hand (?:it|them|over|back|out)\b|handed\b|handing\b", "pass, return; key"),
    (r"at stake|stakes\b", "what the guard protects; impact"),
    (r"deeds?\b", "action"),
    (r"set aside|put aside|puts? .{0,12} aside", "take out of the cache; save; stash"),
    (r"takes? back\b|taken back\b|took back\b|takes? it back\b|takes? them back\b", "undo, revert"),
    (r"takes? .{0,12}\baway\b|taken away\b|took away\b", "remove, delete"),
    (r"lets? (?:\w+ )?go\b|letting go\b", "release"),
    (r"mend(?:s|ed)?\b", "fix"),
    (r"not on this torch|in this torch|on this torch|of this torch", "this version of torch ..."),
    (r"is wanted|are wanted|(?:wants?|wanted) (?!to\b)", "expects; needs; requires"),
    (r"blanks\b|a blank\b", "spaces; a space"),
    (r"likewise\b", "the same for"),
    (r"is over\b|are over\b|was over\b", "has exited; has ended"),
    (r"is through\b|are through\b", "has finished"),
    (r"come to (?:by|from)\b|(?:is|are) (?:not )?come to\b|come upon", "reach"),
    (r"as it is written|as (?:they are )?written\b(?! (?:in|by|to|down)\b)", "in eager mode; uncompiled"),
    (r"put into force|in force no more|is no more\b", "apply; no longer active"),
    (r"cares? for\b", "use, handle"),
    (r"puts? (?:it |them )?back\b|putting back\b", "restore"),
    (r"once more\b", "again"),
    (r"(?:it|they) (?:came|comes?) to\b|(?:what|whatever) came of\b", "its result"),
    (r"go(?:es)? away\b|went away\b", "is freed, is deleted, closes, hangs up"),
    (r"(?:no|some)body's\b", "the owner; does not belong to ..."),
    (r"before (?:we|cdbg) came\b", "before cdbg was loaded"),
    (r"takes? on trust|taken on trust", "uses without a check"),
    (r"whose files are whose", "which files belong to the program"),
    (r"what became of", "the state of; the result of"),
]

# Folders (with a slash) and files that are not rewritten yet.  Only ever shorten this list.
LEFT_OVER = """

""".split()

SKIP = re.compile(r"^(?:COPYING|tests/words\.t|tests/screens/|tests/fuzz/seeds/|tests/soak/programs/|doc/screens/|build-aux/)")
TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"(?:\s*(?:PRI\w+\s*)?\"(?:\\.|[^\"\\\n])*\")*|'(?:\\.|[^'\\\n])*'", re.S)
PY_STRING = re.compile(r"(?<!\w)[bfr]{0,2}\"((?:\\.|[^\"\\\n])*)\"")


def tree():
    """Files that git knows or would add; in an unpacked archive all of them."""
    git = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True)
    if git.returncode == 0 and git.stdout:
        return [p for p in git.stdout.decode().split("\0") if p and os.path.isfile(p)]
    found = []
    for folder, folders, files in os.walk("."):
        folders[:] = [d for d in folders if not d.startswith((".", "build", "_build", "autom4te", "__pycache__", "m4"))]
        found += [os.path.join(folder, f)[2:] for f in files]
    return found


def c_texts(text):
    """(line, text) of each comment and each string literal; adjacent literals are one text."""
    for m in TOKEN.finditer(text):
        s = m.group()
        if s[0] == "'":
            continue
        line = text.count("\n", 0, m.start()) + 1
        if s[0] == "/":
            yield line, re.sub(r"\s*\n\s*\*?\s*", " ", s)
        elif " " in s:
            yield line, re.sub(r"\"\s*\"", "", s).replace("\\n", " ").replace("\\t", " ")


def py_texts(text):
    """(line, text) of comments, and of strings of at least three words."""
    for k, line in enumerate(text.split("\n"), 1):
        m = re.match(r"\s*#(.*)", line)
        if m:
            yield k, m.group(1)
            continue
        for m in PY_STRING.finditer(line):
            if m.group(1).count(" ") > 1:
                yield k, m.group(1)


def lines(text):
    """(line, paragraph): a phrase may go over the end of a line."""
    start, held = 1, []
    for k, line in enumerate(text.split("\n") + [""], 1):
        if not line.strip() or line[0] in ".|" or line.lstrip()[:2] in ("* ", "- "):
            if held:
                yield start, " ".join(held)
            start, held = k, []
        if line.strip():
            held.append(line.strip())


def texts(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        text = f.read()
    if path.endswith((".c", ".h")):
        return c_texts(text)
    if path.endswith(".py") or path.endswith(".t") and text.startswith("#!/usr/bin/env python"):
        return py_texts(text)
    if path.endswith((".md", ".1", ".yml", ".in")) or os.path.basename(path) == "NEWS":
        return lines(text)
    return []


patterns = [(re.compile(r"(?<![\w-])(?:%s)" % p, re.I), say) for p, say in PHRASES]
hits = {}
read = 0
for path in tree():
    if SKIP.match(path):
        continue
    for line, text in texts(path):
        read += 1
        for pattern, say in patterns:
            for m in pattern.finditer(text):
                found = text[max(0, m.start() - 30):m.end() + 30].strip()
                hits.setdefault(path, []).append("%s:%d: '%s' in '%s'; say: %s" % (path, line, m.group(), found, say))

if os.environ.get("WORDS_COUNT"):
    # For whoever shortens the list: phrases by folder.
    folders = {}
    for path, found in hits.items():
        folder = os.path.dirname(path)
        folders[folder] = folders.get(folder, 0) + len(found)
    for folder in sorted(folders):
        print("# %-24s %d" % (folder or ".", folders[folder]))
    print("# all: %d phrases in %d files" % (sum(folders.values()), len(hits)))

ok(read > 10000, "comments, messages and documents are found", "%d" % read)


def left_over(path, entry):
    return path == entry or entry.endswith("/") and path.startswith(entry)


bad = [h for path in sorted(hits) if not any(left_over(path, e) for e in LEFT_OVER) for h in hits[path]]
ok(not bad, "no text uses a phrase of the list", "\n".join(bad))
done_already = [e for e in LEFT_OVER if not any(left_over(path, e) for path in hits)]
ok(not done_already, "files of the left-over list still need a rewrite", "remove from LEFT_OVER: " + " ".join(done_already))
done()

# SPDX-License-Identifier: BSD-3-Clause
"""The files of a report for other tools: generated code, guards, graphs and kernels as text.  Puts the names of folders and files into
the data."""
import ast

from .texts import Names, anchor, one_line

OWN = "index.html", "index.json", "assets"      # files of the report itself


def name_folders(root):
    names = Names(*OWN)
    for f in root.get("functions", ()):
        f["folder"] = names.unique(f.get("qualname", ""))


def is_python(text, mode="exec"):
    """Can Python read it?"""
    try:
        compile(text, "<report>", mode, ast.PyCF_ONLY_AST, dont_inherit=True)   # the compiler would warn of guards like "x is 0"
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return False
    return True


def comment(text):
    return "".join("# %s\n" % line for line in lines_of(text))


def lines_of(text):
    return text.split("\n")[:-1] if text.endswith("\n") else text.split("\n") if text else []


def python_file(e):
    text = "".join(row.get("text", "") + "\n" for row in e["python"])
    if not is_python(text):
        return comment("Parts of this code cannot be written as Python; they are instructions here.\n" + text)
    return enclosed(text, e.get("free_variables"))


def enclosed(text, names):
    """A function that assigns to variables of an outer one, within a function that has all those that it uses: by itself it is a
    syntax error for the compiler, though not for the parser."""
    if not names or "\n    nonlocal " not in text:
        return text
    return "def enclosing(%s):  # variables that the function shares\n" % ", ".join(names) + "".join(
        ("    " + line if line else "") + "\n" for line in lines_of(text))


def listing(e):
    out, region = [], ""
    for i, row in enumerate(e["code"]):
        if row.get("region", "") != region:
            region = row.get("region", "")
            out.append("%s# %s\n" % ("\n" if i else "", region))
        line = "%5d" % row["line"] if row.get("line") else ""
        start = "%-6s%6d  %s" % (line, row.get("offset", 0), row.get("opname", ""))
        out.append("%-44s %s\n" % (start, row.get("arg", "")))
    return "".join(out)


class GuardFiles:
    """Guards as a Python function.  Many guards of a program have the same text, which is parsed once."""
    def __init__(self):
        self.known = {}

    def is_expression(self, text):
        if text not in self.known:
            self.known[text] = "\n" not in text and is_python(text, "eval")
        return self.known[text]

    def file(self, e):
        out = ["# Guards of entry %s: L are the function's locals, G its globals.\n\n\ndef write_guards(L, G):\n    return (\n" % e.get("entry", "")]
        first = True
        for g in e["guards"]:
            text = one_line(g.get("text", ""))
            if g.get("line"):
                out.append("        # %s:%d\n" % (one_line(g.get("file", "")), g["line"]))
            if self.is_expression(text):
                out.append("        %s%s\n" % ("" if first else "and ", text))
                first = False
            else:
                out.append("        # not an expression: %s\n" % text)
        return "".join(out) + "        %sTrue\n    )\n" % ("" if first else "and ")


def graph_file(code):
    """A graph's function: lines that Python cannot read, like those with the repr of an object, become comments."""
    text = code or comment("This graph has no text.")
    if is_python(text):
        return text
    out = []
    for i, line in enumerate(lines_of(text)):
        good = is_python(("def graph():\n%s\n    pass\n" if i else "%s\n    pass\n") % line)
        out.append(("" if good else "    # not Python: ") + line + "\n")
    text = "".join(out) + "    pass\n"
    return text if is_python(text) else comment("Python cannot read this.\n" + text)


def graph_files(e, names):
    for g in e.get("graphs", ()):
        for s in g.get("stages", ()):
            s["file"] = names.unique("graph-%s.%s" % (g.get("graph", ""), s.get("stage", ""))) + ".py"
            yield s["file"], graph_file(s.get("code", ""))
            for k in s.get("kernels", ()):
                if k.get("source"):
                    k["file"] = names.unique("kernel-" + k.get("kernel", "")) + (".cpp" if k.get("language") == "c++" else ".py")
                    yield k["file"], k["source"]


def function_files(f, guards):
    """(name in the function's folder, text) of each file."""
    names = Names()
    for e in f.get("entry", ()):
        own = "entry-" + anchor(e.get("entry", ""))
        if e.get("python"):
            yield own + ".py", python_file(e)
        if e.get("code"):
            yield own + ".dis", listing(e)
        if e.get("guards"):
            yield own + ".guards.py", guards.file(e)
        yield from graph_files(e, names)

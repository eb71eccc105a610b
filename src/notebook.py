# SPDX-License-Identifier: BSD-3-Clause
"""cdbg in IPython and in notebooks: `%load_ext cdbg`, and what explain() shows there.

    %cdbg                      look at the frames of the last uncaught exception, as %debug does
    %cdbg COMMAND              the answer of a command that needs no stop: %cdbg info entries
    %%cdbg [COMMAND; ...]      run the cell and stop before its first line; the commands are given there first:
                               %%cdbg catch recompile; continue
    %cdbg_report FOLDER        write a report of what was compiled so far

Asks the session through the functions of the package only.
"""
import html
import sys

from . import _cdbg
import cdbg

__builtins__ = _cdbg.builtins

GUARD_COLUMNS = ("entry", "guard", "source", "kind", "expected", "line")
MOST_GRAPHS = 20        # in one page


def ipython():
    """The shell of IPython or of a kernel in which this process runs; None outside of both."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return shell() if shell else None


class Explanation:
    """What cdbg.explain() found.  text: for a terminal; _repr_html_(): for a notebook, with guards and graphs as they are at that time."""

    def __init__(self, text, function):
        self.text = text
        self._function = function
        self._shown = False
        self._cell = None       # the number of the cell that showed it last

    def __str__(self):
        return self.text

    def __repr__(self):
        return "<explanation shown above; str() has its text>" if self._shown else self.text.rstrip("\n")

    def show(self):
        """Display it in IPython, print it elsewhere; a plain prompt shows the value by itself."""
        shell = ipython()
        if shell is not None:
            from IPython.display import publish_display_data
            publish_display_data(self._repr_mimebundle_())
            self._cell = shell.execution_count
        elif hasattr(sys, "ps1"):
            return
        else:
            print(self.text)
        self._shown = True

    def _ipython_display_(self):
        """The value of a cell's last line, which explain() in that cell has shown."""
        if self._cell != ipython().execution_count:
            self.show()

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": self.text, "text/html": self._repr_html_()}

    def _repr_html_(self):
        """The text, its guards as a table, and its captured graphs, folded."""
        parts = [_pre(self.text)]
        rows = _rows("info guards", self._function)
        if rows:
            parts.append(_folded("%d guards" % len(rows), _table(GUARD_COLUMNS, rows)))
        graphs = [r["graph"] for r in _rows("info graphs", self._function) if r["stage"] == "captured"]
        for name in graphs[:MOST_GRAPHS]:
            parts.append(_folded("graph %s" % name, _pre(_answer("graph show %s" % name)[0])))
        if len(graphs) > MOST_GRAPHS:
            parts.append("<p>%d more graphs: cdbg.explain() of one function has its own</p>" % (len(graphs) - MOST_GRAPHS))
        return "<div class=\"cdbg\">%s</div>" % "".join(parts)


def _answer(line, function=None):
    """(text, rows or None) of a command; what it refuses is the text."""
    try:
        return _cdbg.ask(line, function)
    except RuntimeError as e:
        return "%s\n" % e, None


def _rows(line, function):
    return _answer(line, function)[1] or []


def _pre(text):
    return "<pre style=\"line-height: 1.3\">%s</pre>" % html.escape(text)


def _folded(title, inside):
    return "<details><summary>%s</summary>%s</details>" % (html.escape(title), inside)


def _table(columns, rows):
    def cells(tag, values):
        return "<tr>%s</tr>" % "".join("<%s style=\"text-align: left\">%s</%s>" % (tag, html.escape(v), tag) for v in values)
    body = [cells("td", ["" if row[c] is None else str(row[c]) for c in columns]) for row in rows]
    return "<table>%s%s</table>" % (cells("th", columns), "".join(body))


def _cdbg_line(line):
    """%cdbg [COMMAND]"""
    if not line.strip():
        cdbg.pm()
        return
    cdbg._begin(later=True)
    text, _ = _answer(line.strip())
    print(text, end="" if text.endswith("\n") else "\n")


def _cdbg_cell(line, cell):
    """%%cdbg [COMMAND; ...]"""
    shell = ipython()
    cdbg._begin()
    for command in line.split(";"):
        if command.strip():
            _cdbg.queue(command.strip())
    _cdbg.stop_at(_file_of(shell, cell))
    try:
        shell.run_cell(cell)
    finally:
        _cdbg.stop_at(None)


def _file_of(shell, cell):
    """The file name that IPython (7.20 and later) gives to the code of this cell."""
    changed = shell.transform_cell(cell)
    if hasattr(shell.compile, "get_code_name"):
        return shell.compile.get_code_name(cell, changed, shell.execution_count)
    from IPython.core.compilerop import code_name
    return code_name(changed, shell.execution_count)


def _cdbg_report(line):
    """%cdbg_report FOLDER"""
    if not line.strip():
        print("usage: %cdbg_report FOLDER")
        return
    _cdbg_line("report " + line.strip())


def load(shell):
    """Add the magic commands to a shell of IPython."""
    def cdbg_magic(line, cell=None):
        """Debug with cdbg: %cdbg [COMMAND], or %%cdbg [COMMAND; ...] before the lines of a cell."""
        if cell is None:
            _cdbg_line(line)
        else:
            _cdbg_cell(line, cell)
    shell.register_magic_function(cdbg_magic, "line_cell", "cdbg")
    shell.register_magic_function(_cdbg_report, "line", "cdbg_report")

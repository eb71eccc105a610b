# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest, `pytest -p cdbg.pytest`: what torch.compile does in a test is part of what the test checks.

    @pytest.mark.no_graph_break             no graph breaks while the test runs
    @pytest.mark.no_recompile               no function is compiled again
    @pytest.mark.no_recompile(after=1)      ... more than once, each by itself: after its first dynamic shape, for one
    @pytest.mark.max_recompiles(3)          all functions together are compiled again at most 3 times

A test that passes otherwise fails with the line, the guard and the remedy.  Functions that several tests call share their cache entries:
a fixture that calls torch.compiler.reset() makes a test independent of those before it.
"""
import pytest

from . import _begin
from .watching import CompileError, watch

MARKERS = ("no_graph_break: the test fails where Dynamo breaks a graph while it runs",
           "no_recompile(after=0): the test fails where a function is compiled again more often than `after` times",
           "max_recompiles(n): the test fails where functions are compiled again more often than n times, all together")


def pytest_configure(config):
    for text in MARKERS:
        config.addinivalue_line("markers", text)
    _begin(later=True)


def _number(mark, name, default):
    """The one number that a marker takes, by position or by name; default None: it must be there."""
    given = list(mark.args) + [value for key, value in mark.kwargs.items() if key == name]
    if len(given) != len(mark.args) + len(mark.kwargs) or len(given) > 1 or (not given and default is None):
        pytest.fail("marker %s takes %s=NUMBER" % (mark.name, name), pytrace=False)
    value = given[0] if given else default
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        pytest.fail("marker %s: %s must be a whole number that is not negative, not %r" % (mark.name, name, value), pytrace=False)
    return value


def _limits(item):
    """(name, most) of the markers of a test."""
    found = []
    for name, parameter, default in (("no_graph_break", None, 0), ("no_recompile", "after", 0), ("max_recompiles", "n", None)):
        mark = item.get_closest_marker(name)
        if mark is not None and parameter is None and (mark.args or mark.kwargs):
            pytest.fail("marker %s takes no arguments" % name, pytrace=False)
        if mark is not None:
            found.append((name, _number(mark, parameter, default) if parameter else 0))
    return found


def _check(watched, name, most):
    if name == "no_graph_break":
        watched.assert_no_break()
    elif name == "max_recompiles":
        watched.assert_no_recompile(most)
    else:
        watched.assert_no_recompile(most, each=True)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    _limits(item)               # a wrong marker fails the test before it runs


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    limits = _limits(item)
    if not limits:
        yield
        return
    with watch() as watched:
        outcome = yield
    if outcome.excinfo is not None:
        return
    failed = []
    for name, most in limits:
        try:
            _check(watched, name, most)
        except CompileError as e:
            failed.append("%s: %s" % (name, e))
    if failed:
        outcome.force_exception(pytest.fail.Exception("\n".join(failed), pytrace=False))

# SPDX-License-Identifier: BSD-3-Clause
"""A saved graph is a program that computes what the graph computes, on the inputs that it had."""
import math
import os
import runpy
import sys

import pytest
import torch

from cdbg_graphs.errors import Refused
from cdbg_graphs.save import graph_save


def write_beside(path, fill):
    """As cdbg's own: the file gets its name when it is complete."""
    beside = str(path) + ".part"
    fd = os.open(beside, os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        failed = fill(fd)
    finally:
        os.close(fd)
    if failed is not None:
        os.unlink(beside)
        return os.strerror(failed)
    os.rename(beside, path)
    return None


def saved(graph, inputs, path, backend=None, backward=False, allowed=None, writer=write_beside):
    return graph_save(graph, inputs, str(path), backend, "graph 'g' of f", backward, allowed, writer)


def results(path):
    names = runpy.run_path(str(path))
    return names["Graph"]()(*names["inputs"]()), names


def function(x):
    a = torch.sin(x)
    return torch.exp(a * 2) + 1, a.sum()


def test_the_program_computes_the_same(kept, tmp_path):
    torch.manual_seed(0)
    x, path = torch.randn(5, 3), tmp_path / "g.py"
    r = saved(kept(function, x), [x], path)
    made, names = results(path)
    assert r == {"bytes": path.stat().st_size, "inputs": None, "notes": r["notes"]}
    assert torch.equal(names["inputs"]()[0], x)
    assert all(map(torch.equal, made, function(x)))
    assert path.read_text().splitlines()[1].strip('"') == "Graph 'g' of f."


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.bool, torch.complex64])
def test_inputs_keep_their_type_and_each_bit(kept, tmp_path, dtype):
    x = torch.tensor([0.0, -0.0, 1.5, -2.25]).to(dtype)
    saved(kept(lambda x: x + x, x), [x], tmp_path / "g.py")
    made = results(tmp_path / "g.py")[1]["inputs"]()[0]
    assert made.dtype == dtype and bytes(made.view(torch.uint8)) == bytes(x.view(torch.uint8))


def test_inputs_keep_strides_nan_and_inf(kept, tmp_path):
    x = torch.tensor([[math.nan, math.inf, 1.0], [-math.inf, 2.0, -0.0]]).t()
    saved(kept(lambda x: x * 2, x), [x], tmp_path / "g.py")
    made = results(tmp_path / "g.py")[1]["inputs"]()[0]
    assert made.stride() == x.stride()
    assert torch.equal(made.nan_to_num(7), x.nan_to_num(7)) and made.isnan().sum() == 1


def test_a_large_input_goes_into_a_file_of_its_own(kept, tmp_path):
    x = torch.linspace(0, 1, 1 << 19)           # two megabytes
    r = saved(kept(lambda x: x * 2, x), [x], tmp_path / "g.py")
    assert r["inputs"] == str(tmp_path / "g.py.inputs.pt") and os.path.exists(r["inputs"])
    assert r["bytes"] < 20000
    assert torch.equal(results(tmp_path / "g.py")[0][0], x * 2)


def test_a_write_that_fails_leaves_nothing(kept, tmp_path):
    x = torch.ones(3)

    def full(path, fill):
        return "%s: No space left on device" % path
    with pytest.raises(Refused, match="^the graph cannot be saved: .*No space left on device$"):
        saved(kept(lambda x: x * 2, x), [x], tmp_path / "g.py", writer=full)
    assert os.listdir(tmp_path) == []


def test_gradients_are_required_where_they_are_asked_for(kept, tmp_path):
    x = torch.ones(3, requires_grad=True)
    graph = kept(lambda x: x * 2, x)
    saved(graph, [x], tmp_path / "without.py")
    saved(graph, [x], tmp_path / "with.py", backward=True)
    assert [results(tmp_path / name)[1]["inputs"]()[0].requires_grad for name in ("without.py", "with.py")] == [False, True]


def run(path, monkeypatch, capsys):
    """(exit status, output) of the program."""
    monkeypatch.setattr(sys, "argv", [str(path)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(path), run_name="__main__")
    return ended.value.code or 0, capsys.readouterr().out


def test_the_program_passes_with_a_right_backend(kept, tmp_path, monkeypatch, capsys):
    x = torch.linspace(-1, 1, 8)
    saved(kept(function, x), [x], tmp_path / "g.py", backend="eager")
    status, out = run(tmp_path / "g.py", monkeypatch, capsys)
    assert status == 0 and "WRONG" not in out


def test_the_program_fails_with_a_wrong_backend(kept, tmp_path, monkeypatch, capsys):
    def changed(module, given):
        for n in module.graph.nodes:
            if n.target in (torch.sin, "sin"):
                n.target = torch.cos if n.op == "call_function" else "cos"
        module.recompile()
        return module.forward
    x, compile_right = torch.linspace(-1, 1, 8), torch.compile
    saved(kept(function, x), [x], tmp_path / "g.py", backend="eager")
    monkeypatch.setattr(torch, "compile", lambda *args, backend=None, **more: compile_right(*args, backend=changed, **more))
    status, out = run(tmp_path / "g.py", monkeypatch, capsys)
    assert status == 1 and out.count("WRONG") == 2

# SPDX-License-Identifier: BSD-3-Clause
"""Which node of one graph stands for a node of another: names the right one where there is one, and none where there is none."""
import torch

from cdbg_graphs.recompile import Again
from cdbg_graphs.match import Captured
from cdbg_graphs.match import stand_ins
from cdbg_graphs.passes import paired
from cdbg_graphs.run import Kept


def function(x, w):
    a = torch.sin(x)
    b = torch.nn.functional.layer_norm(a @ w, (4,))
    return torch.relu(b) + 1


def inputs(grad=False):
    torch.manual_seed(0)
    return [torch.randn(4, 4, requires_grad=grad), torch.randn(4, 4, requires_grad=grad)]


def changed(graph, change):
    """Another copy of a graph, after change(module)."""
    module = graph.module()
    change(module)
    module.recompile()
    return Kept.of(module)


def named(graph, name):
    return next(n for n in graph.graph.nodes if n.name == name)


def names(found):
    return {n.name: name for n, name in found.items()}


# ---- a graph that a backend changed

def test_an_unchanged_graph_stands_for_itself(kept):
    graph = kept(function, *inputs())
    found = names(stand_ins(graph, changed(graph, lambda m: None)))
    assert found == {n.name: n.name for n in graph.graph.nodes}


def test_a_new_node_before_one_that_is_the_same_takes_the_place_of_its_input(kept):
    graph = kept(function, *inputs())

    def double(m):
        n = next(n for n in m.graph.nodes if n.name == "a")
        with m.graph.inserting_after(n):
            new = m.graph.call_function(torch.cos, (n.args[0],))
        n.replace_all_uses_with(new)
        m.graph.erase_node(n)
    other = changed(graph, double)
    found = names(stand_ins(graph, other))
    assert "cos" in [n.name for n in other.graph.nodes]
    assert found["cos"] == "a"


def test_a_node_of_the_same_name_that_computes_something_else_does_not_stand_for_it(kept):
    graph = kept(function, *inputs())

    def other_input(m):
        n = next(n for n in m.graph.nodes if n.name == "a")
        user = next(iter(n.users))
        with m.graph.inserting_after(n):
            new = m.graph.call_function(torch.neg, (n,))
        user.replace_input_with(n, new)
        n.target = torch.tanh                   # its name says what it was
    found = names(stand_ins(graph, changed(graph, other_input)))
    assert found.get("a") != "a"
    assert found["neg"] == "a"                  # it is in the place of what the next node read


# ---- the stages of a compile

def stages_of(graph, given, backward=False):
    from torch._dynamo.backends.debugging import aot_eager
    again = Again(graph, aot_eager, given, backward)
    again.run()
    return again


def test_nodes_of_aot_are_named_by_captured_ones(kept):
    given = inputs()
    graph = kept(function, *given)
    again = stages_of(graph, given)
    stage = again.made.stages["inference"]
    captured = Captured(graph, stage, again.made.graphs)
    found = {str(n.target): captured.name(n) for n in stage.graph.nodes if n.op == "call_function"}
    layer_norm = next(n.name for n in graph.graph.nodes if "layer_norm" in str(n.target))
    assert found["aten.sin.default"] == "a"
    assert found["aten.native_layer_norm.default"] == layer_norm
    assert found["aten.mm.default"] == "matmul"
    assert found["aten.relu.default"] == "relu"
    assert found["aten.add.Tensor"] == "add"


def test_nodes_of_backward_are_named_by_the_captured_node_whose_gradient_they_compute(kept):
    given = inputs(True)
    graph = kept(function, *given)
    again = stages_of(graph, given, True)
    captured = Captured(graph, again.made.stages["forward"], again.made.graphs)
    found = {str(n.target): captured.name(n) for n in again.made.stages["backward"].graph.nodes if n.op == "call_function"}
    assert found["aten.cos.default"] == "a"
    assert found["aten.threshold_backward.default"] == "relu"
    assert found["aten.native_layer_norm_backward.default"] == next(n.name for n in graph.graph.nodes if "layer_norm" in str(n.target))


def test_the_line_of_a_stages_node_is_that_of_the_program(kept):
    given = inputs()
    graph = kept(function, *given)
    again = stages_of(graph, given)
    stage = again.made.stages["inference"]
    captured = Captured(graph, stage, again.made.graphs)
    sin = next(n for n in stage.graph.nodes if str(n.target) == "aten.sin.default")
    file, line, name = captured.place(sin)
    assert file == __file__ and name == "function"
    assert line == function.__code__.co_firstlineno + 1


# ---- before and after a pass

def with_vals(graph, given):
    """The graph with the shapes of its values noted as torch notes them for stages."""
    values = {}
    for n, v in zip([n for n in graph.graph.nodes if n.op == "placeholder"], given):
        values[n] = v
    for n in graph.graph.nodes:
        if n.op == "call_function":
            values[n] = n.target(*torch.fx.map_arg(n.args, values.get), **torch.fx.map_arg(n.kwargs, values.get))
        if n in values:
            n.meta["val"] = values[n]
    return graph


def test_pairs_are_nodes_of_one_name_and_the_results(kept):
    given = inputs()
    graph = with_vals(kept(function, *given), given)

    def last_by_another_name(m):
        last = list(m.graph.nodes)[-1].all_input_nodes[0]
        with m.graph.inserting_after(last):
            new = m.graph.call_function(torch.sub, (last.args[0], -1))
        last.replace_all_uses_with(new)
        m.graph.erase_node(last)
    pairs = {n.name: m.name for n, m in paired(graph, with_vals(changed(graph, last_by_another_name), given)).items()}
    assert pairs.pop("add") == "sub"
    assert pairs == {n.name: n.name for n in graph.graph.nodes if n.op == "call_function" and n.name != "add"}


def test_nodes_of_one_name_and_another_shape_are_no_pair(kept):
    given = inputs()
    graph = with_vals(kept(function, *given), given)
    other = with_vals(changed(graph, lambda m: None), given)
    named(other, "a").meta["val"] = torch.ones(3)
    assert "a" not in [n.name for n in paired(graph, other)]

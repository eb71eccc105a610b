# SPDX-License-Identifier: BSD-3-Clause
"""The judge accepts what rounding explains and refuses what it does not, and a comparison names the node that is wrong."""
import math

import pytest
import torch

from cdbg_graphs.compare import graph_compare
from cdbg_graphs.judge import Walk, judge, judge_floats, tolerating, unlike_results
from cdbg_graphs.window import Made


def judged(value, eager, **more):
    return judge(value, eager, eager.double() if eager.is_floating_point() else eager, **more)


def around(size=1000, dtype=torch.float32):
    return torch.linspace(-3, 3, size).to(dtype)


# ---- one tensor

@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_the_same_value_is_right(dtype):
    v = around(dtype=dtype)
    verdict = judged(v.clone(), v)
    assert not verdict.wrong and verdict.difference == 0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_one_unit_of_the_last_place_is_right(dtype):
    v = around(dtype=dtype)
    assert not judged(v * (1 + torch.finfo(dtype).eps), v).wrong


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_one_element_far_off_is_wrong(dtype):
    v = around(dtype=dtype)
    other = v.clone()
    other[500] += 1
    verdict = judged(other, v)
    assert verdict.wrong and verdict.difference == pytest.approx(1, rel=0.1)
    assert "units of the last place" in verdict.what


def test_a_sum_in_another_order_is_right_and_one_without_a_value_is_wrong():
    torch.manual_seed(0)
    v = torch.randn(4096)
    exact, eager = v.double().sum(), v.sum()
    assert not judge(v.flip(0).cumsum(0)[-1], eager, exact, least=v.abs().sum().item()).wrong
    assert judge(v[1:].sum(), eager, exact, least=v.abs().sum().item()).wrong


def test_elements_in_another_order_are_wrong():
    v = around()
    assert judged(v.flip(0), v).wrong


def test_nan_is_wrong_where_eager_is_finite_and_right_where_it_is_not():
    v = around()
    with_nan = v.clone()
    with_nan[3] = math.nan
    verdict = judged(with_nan, v)
    assert verdict.wrong and verdict.what == "one of the two has NaN in 1, Inf in 0 of 1000 elements"
    assert judged(v, with_nan).what == verdict.what
    assert not judged(with_nan.clone(), with_nan).wrong


def test_inf_of_the_other_sign_is_wrong():
    v = around()
    v[0] = math.inf
    other = v.clone()
    other[0] = -math.inf
    assert judged(other, v).wrong


def test_integers_are_exact():
    v = torch.arange(100)
    other = v.clone()
    other[7] += 5
    assert not judged(v.clone(), v).wrong
    verdict = judged(other, v)
    assert verdict.wrong and verdict.difference == 5 and verdict.what == "1 of 100 elements differ"


def test_booleans_are_exact():
    v = torch.arange(8) > 3
    assert judged(~v, v).wrong and not judged(v.clone(), v).wrong


def test_the_imaginary_part_counts():
    v = torch.complex(around(), around().flip(0))
    assert not judge(v.clone(), v, v.to(torch.complex128)).wrong
    assert judge(v.conj().resolve_conj(), v, v.to(torch.complex128)).wrong


def test_many_elements_off_are_wrong_in_an_elementwise_operation_only():
    v = torch.cat([around(1 << 12) / 16, torch.tensor([3.0])])
    other = torch.where(v.abs() < 1, v * (1 + 400 * torch.finfo(torch.float32).eps), v)     # far off for its own size only
    assert not judged(other, v).wrong
    assert judged(other, v, pointwise=True).wrong


def test_another_shape_and_no_elements_are_not_judged():
    assert judged(around(10), around(20)) is None
    assert judged(torch.empty(0), torch.empty(0)) is None


def test_what_the_user_allows_takes_the_place_of_rounding():
    v = around()
    other = v + 0.001
    assert judged(other, v).wrong
    with tolerating((0.0, 0.01)):
        verdict = judged(other, v)
        assert not verdict.wrong and verdict.share == pytest.approx(0.1, rel=0.01)
    with tolerating((0.0, 0.0001)):
        assert judged(other, v).wrong
    assert judged(other, v).wrong               # and no longer than the block


def test_a_freed_storage_is_wrong():
    v = around()
    other = v.clone()
    other.untyped_storage().resize_(0)
    assert judge(other, v, v.double()).wrong


def test_eagers_own_error_widens_what_is_allowed():
    v, exact = around(), around().double()
    assert not judge_floats(v + 1e-3, v + 2e-4, exact, False, 0.0, 0.0).wrong
    assert judge_floats(v + 1e-3, v, exact, False, 0.0, 0.0).wrong


# ---- results

def test_results_of_another_kind_are_named():
    eager = [torch.ones(3), torch.ones(2)]
    assert not unlike_results([torch.zeros(3), torch.zeros(2)], eager).parts
    unlike = unlike_results([torch.ones(3).double(), torch.ones(2)], eager)
    assert unlike.parts == {0} and unlike.notes == ["result 0 is float64 [3], eager's is float32 [3]"]
    assert unlike_results([torch.ones(3), torch.ones(4)], eager).parts == {1}
    assert unlike_results([torch.ones(3)], eager).parts == {1}


# ---- a graph

def function(x):
    a = torch.sin(x)
    b = a * 2
    return torch.exp(b) + 1


def made_by(kept, x, wrong=None):
    """What a backend makes of the graph, by node: eager's values, one of which is wrong."""
    values, made = {}, Made()
    for n in kept.graph.nodes:
        if n.op == "placeholder":
            values[n] = x
        elif n.op == "call_function":
            values[n] = n.target(*torch.fx.map_arg(n.args, values.get))
            if n.name == wrong:
                values[n] = values[n] + 0.01
            made[n.name] = values[n]
    return made


def test_a_walk_finds_no_wrong_node_in_right_values(kept):
    x = torch.linspace(-1, 1, 16)
    graph = kept(function, x)
    walk = Walk(graph, [x], made_by(graph, x))
    assert walk.first is None and len(walk.judged) == 4


def test_a_walk_names_the_wrong_node_and_not_those_after_it(kept):
    x = torch.linspace(-1, 1, 16)
    graph = kept(function, x)
    for wrong in [n.name for n in graph.graph.nodes if n.op == "call_function"]:
        walk = Walk(graph, [x], made_by(graph, x, wrong))
        assert walk.first.name == wrong
        assert [n.name for n, verdict in walk.judged if verdict.wrong] == [wrong]


# ---- a comparison

def backend_with(**replaced):
    """A backend that computes with another function for the nodes of this name."""
    def backend(module, given):
        for n in module.graph.nodes:
            if n.name in replaced:
                n.target = replaced[n.name]
        module.recompile()
        return module.forward
    return backend


def compared(graph, backend, inputs, backward=False, allowed=None):
    return graph_compare(graph, backend, inputs, backward, False, allowed, None)


def test_a_right_backend_has_no_wrong_row(kept):
    x = torch.linspace(-1, 1, 16)
    r = compared(kept(function, x), backend_with(), [x])
    assert r["first"] is None
    assert r["rows"] and all([row["ok"] for row in r["rows"]])


def test_a_wrong_backend_is_caught_with_its_node(kept):
    x = torch.linspace(-1, 1, 16)
    r = compared(kept(function, x), backend_with(a=torch.cos), [x])
    assert r["first"]["node"] == "a" and r["first"]["difference"] > 0.1
    assert [row["node"] for row in r["rows"] if row["ok"] is False] == ["add (result 0)", "a"]


def test_a_wrong_last_node_is_not_taken_for_the_ones_before(kept):
    x = torch.linspace(-1, 1, 16)
    r = compared(kept(function, x), backend_with(exp=torch.expm1), [x])
    assert r["first"]["node"] == "exp"


def test_a_difference_within_the_users_tolerance_is_right(kept):
    x = torch.linspace(-1, 1, 16)
    graph, backend = kept(function, x), backend_with(exp=lambda b: torch.exp(b) * 1.001)
    assert compared(graph, backend, [x])["first"] is not None
    assert compared(graph, backend, [x], allowed=(0.01, 0.0))["first"] is None


def test_gradients_are_judged_where_they_are_asked_for(kept):
    x = torch.linspace(-1, 1, 16, requires_grad=True)
    graph = kept(function, x)

    def detached(b):
        return torch.exp(b.detach()) + 0 * b    # the right value, another gradient
    r = compared(graph, backend_with(exp=detached), [x], backward=True)
    assert [(row["node"], row["ok"]) for row in r["rows"] if row["stage"] == "gradient"] == [("l_x_ (gradient)", False)]
    r = compared(graph, backend_with(), [x], backward=True)
    assert [(row["node"], row["ok"]) for row in r["rows"] if row["stage"] == "gradient"] == [("l_x_ (gradient)", True)]
    assert not [row for row in compared(graph, backend_with(exp=detached), [x])["rows"] if row["stage"] == "gradient"]

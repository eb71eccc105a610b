# SPDX-License-Identifier: BSD-3-Clause
"""Equal elements, as the graph commands and entry diff take them, and what entry diff reports of those that differ."""
import math

import pytest
import torch

from cdbg_graphs.equal import equal_elements, same_elements
from cdbg_graphs.outcome import Comparison


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64, torch.complex64])
def test_nan_is_equal_to_nan_only(dtype):
    a, b = torch.tensor([math.nan, math.nan, 1.0], dtype=dtype), torch.tensor([math.nan, 1.0, 1.0], dtype=dtype)
    assert equal_elements(a, b).tolist() == [True, False, True]
    assert same_elements(a, a.clone()) and not same_elements(a, b)


def test_integers_and_booleans_are_compared_exactly():
    a = torch.arange(4)
    assert same_elements(a, a.clone()) and not same_elements(a, a + 1)
    assert not same_elements(a > 1, a > 2)


def compared(a, b):
    c = Comparison()
    c.tensors(a, b, "result")
    return c


def test_rounding_is_within_tolerance_and_more_is_not():
    a = torch.linspace(1, 2, 10)
    within, beyond = compared(a * (1 + 1e-6), a), compared(a * 1.001, a)
    assert not within.differs and list(within.within) == ["float32"]
    assert beyond.differs == [("result", "10 of 10 elements differ, by at most %g" % beyond.worst)] and beyond.worst > 1e-3


def test_a_nan_in_one_of_two_differs_and_in_both_does_not():
    a = torch.tensor([1.0, math.nan])
    assert not compared(a, a.clone()).differs
    assert compared(a, torch.ones(2)).differs and compared(torch.ones(2), a).differs


def test_another_type_or_shape_differs():
    a = torch.ones(3)
    assert compared(a, a.double()).differs == [("result", "torch.float32 [3], eager torch.float64 [3]")]
    assert compared(a, torch.ones(4)).differs == [("result", "torch.float32 [3], eager torch.float32 [4]")]

# SPDX-License-Identifier: BSD-3-Clause
"""Looks for a wrong node in the sub-graphs that a higher-order operator of inductor's graph calls, torch.cond for one.  Runs in the
same namespace as graph_again.py.  Knows no kernel."""
MOST_CALLS = 3                                  # of one sub-graph, a loop's body for example


def operator_of(n):
    """The higher-order operator that a node is, or is a result of; None: it is neither."""
    while n.target is operator.getitem:
        n = n.args[0]
    return n if isinstance(n.target, torch._ops.HigherOrderOperator) else None


def calls_of(kept, n, values, most):
    """[(a sub-graph, its inputs)]: the first calls of each sub-graph that a higher-order operator makes when eager runs it on these
    values, in order, as far as the copies of the inputs take no more than `most` bytes."""
    calls, left = [], [most]

    def recording(sub):
        module, program = sub.module(), Program(sub)

        def forward(*args):
            size = sum([size_of(v) or 0 for v in args])
            if size <= left[0] and [s for s, _ in calls].count(sub) < MOST_CALLS:
                left[0] -= size
                calls.append((sub, copies_of(args, False)))
            return perform(program, args)
        module.forward = forward
        return module

    def value_of(a):
        sub = kept.named.get(a.target) if a.op == "get_attr" else None
        return recording(sub) if isinstance(sub, Kept) else values[a]
    called = BY_INTERPRETER.get(str(n.target), n.target)
    called(*torch.fx.map_arg(n.args, value_of), **torch.fx.map_arg(n.kwargs, value_of))
    return calls


def wrong_in_call(sub, inputs, collected, most):
    """(node, Verdict, [(input, value)]) of the first wrong node of a sub-graph compiled alone; None: none is wrong."""
    nodes = [n for n in sub.graph.nodes if n.op == "call_function"]
    results, part, given, copies = tapped(sub, nodes, dict(zip(placeholders(sub), inputs)), collected)
    alone = Walk(Kept.of(part), given, Made(results))
    if alone.first is None:
        return None
    n = {copies[x].name: x for x in copies}[alone.first.name]
    made = Made({x.name: results[copies[x].name] for x in nodes if copies[x].name in results})
    eager = Walk(sub, inputs, made, keep=needed_for(slice_of(n, made) + [n]), until=n).eager
    return wrong_inside(sub, n, eager, collected, most) or (n, alone.judged[-1][1], inputs_read(n, eager))


def wrong_inside(kept, bad, values, collected, most):
    """As wrong_in_call(), for the sub-graphs of the higher-order operator that `bad`, which is wrong, comes from; None: it comes from
    none, or none of its sub-graphs is wrong.  values: those of the operator's inputs."""
    called = operator_of(bad)
    try:
        calls = calls_of(kept, called, values, most) if called else ()
        return next(filter(None, (wrong_in_call(*call, collected, most) for call in calls)), None)
    except Exception:                           # it does not run, or is not compiled, by itself: the operator is named
        return None

# SPDX-License-Identifier: BSD-3-Clause
"""The code that the program itself runs for a graph, on copies of the inputs.  The graph compiled again is other code where a cache had
wrong code, or where a backend depends on more than the graph.  Runs in the same namespace as graph_compare.py."""


def is_as_traced(n, v):
    """Was the code compiled for values of this type, and of this size where it is fixed?  With others it would read other memory."""
    t = traced(n)
    if not isinstance(v, torch.Tensor) or not isinstance(t, torch.Tensor):
        return isinstance(v, torch.Tensor) == isinstance(t, torch.Tensor)
    return (plain(v) and (v.dtype, v.device) == (t.dtype, t.device) and has_size(t, v) and
            all([type(a) is not int or a == b for a, b in zip(t.stride(), v.stride())]))


def is_the_graph(function):
    """Is it the graph's module itself, as backend eager returns it?  Its results are those of the graph then."""
    function = getattr(function, "_torchdynamo_orig_callable", function)
    return isinstance(getattr(function, "__self__", function), torch.fx.GraphModule)


def names_objects(kept):
    """Does the graph name objects besides sub-graphs?  The program's own code has the program's tensors then, not copies, and may write
    them."""
    return bool(kept.given) or any([not isinstance(v, Kept) or names_objects(v) for v in kept.named.values()])


def run_own(again, function, found):
    """What the program's own code returns, see results_in(); None: the same as the graph compiled again, or it cannot be run here."""
    starts = placeholders(again.kept)
    if function is None or is_the_graph(function) or names_objects(again.kept):
        return None
    if len(starts) != len(again.inputs) or not all(map(is_as_traced, starts, again.inputs)):
        return None
    given = backend_inputs(again.kept, again.inputs, again.wants)
    torch.set_rng_state(again.seed)
    try:
        with torch.set_grad_enabled(again.wants):
            results = [t.detach() for t in results_in(function(*given))]
    except Exception as e:
        found.notes.append("the code that the program runs was not compared: it raised %s" % raised_text(e))
        return None
    same = len(results) == len(again.result) and all([
        plain(a) and plain(b) and a.dtype == b.dtype and torch.equal(a, b) for a, b in zip(results, again.result)])
    return None if same else results


def judge_own(own, results, ends, wrong, roundings, found):
    """Judges what run_own() returned where the graph compiled again is right.  results: [(that one's, eager's, float64's)]."""
    bad = []
    for i, (mine, (_, eager, exact)) in enumerate(zip(parts_in(own), results)):
        verdict = judge_end(roundings, i, mine, eager, exact) if i not in wrong else None
        if verdict and verdict.wrong and not is_unset(ends[i]):
            found.row("%s (result %d)" % (ends[i].name, i), "program", ends[i], place_of(ends[i]), None, verdict, False)
            bad.append(str(i))
    if bad:
        found.notes.append("results %s of the code that the program runs are wrong; the graph compiled again is right, so look for a cache "
                           "with wrong code, or for what the backend depends on besides the graph" % ", ".join(bad))

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What cdbg does with graphs on a GPU; run.sh starts this.

    checks.py SECONDS [CHECK...]

Each check is a function: it returns its details, raises Trouble or AssertionError if it fails, and Skip where the machine
lacks something.  Programs of checks see DEVICE and compile small models; each is a process of its own."""
import os
import re
import subprocess
import sys
import tempfile
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "lib"))
from cdbgtest import Cdbg, Trouble, bare, environment, interpreter  # noqa: E402

DEVICE = os.environ.get("CDBG_GPU_DEVICE", "cuda")
GPU = DEVICE != "cpu"
CACHE = tempfile.mkdtemp(prefix="cdbg-gpu-")

HEAD = "import torch, torch.nn.functional as F\nDEVICE = %r\ntorch.manual_seed(0)\n" % DEVICE
SMALL = HEAD + """
def model(x, w):
    h = torch.relu(x @ w)
    y = torch.tanh(h) + x
    return (y * 2).sum()
f = torch.compile(model, backend="BACKEND")
x, w = torch.randn(64, 64, device=DEVICE), torch.randn(64, 64, device=DEVICE)
for i in range(3):
    print("%.4f" % f(x, w).item())
"""
GPT = HEAD + """
torch.backends.cuda.matmul.allow_tf32 = False
class Block(torch.nn.Module):
    def __init__(self, n, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = torch.nn.LayerNorm(n), torch.nn.LayerNorm(n)
        self.qkv, self.out = torch.nn.Linear(n, 3 * n), torch.nn.Linear(n, n)
        self.up, self.down = torch.nn.Linear(n, 4 * n), torch.nn.Linear(4 * n, n)
    def forward(self, x):
        b, t, n = x.shape
        q, k, v = (p.view(b, t, self.heads, n // self.heads).transpose(1, 2) for p in self.qkv(self.norm1(x)).chunk(3, -1))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(a.transpose(1, 2).reshape(b, t, n))
        h = self.up(self.norm2(x))
        return x + self.down(0.5 * h * (1 + torch.tanh(0.7978845608 * (h + 0.044715 * h ** 3))))
class GPT(torch.nn.Module):
    def __init__(self, layers=12, n=768, heads=12, words=50257, length=1024):
        super().__init__()
        self.words, self.places = torch.nn.Embedding(words, n), torch.nn.Embedding(length, n)
        self.blocks = torch.nn.ModuleList(Block(n, heads) for _ in range(layers))
        self.norm = torch.nn.LayerNorm(n)
    def forward(self, i):
        x = self.words(i) + self.places(torch.arange(i.shape[1], device=i.device))
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.words.weight.t()
net = GPT(LAYERS).to(DEVICE, torch.DTYPE)
c = torch.compile(net)
i = torch.randint(0, 50257, (1, 64), device=DEVICE)
with torch.no_grad():
    for turn in range(2):
        print(tuple(c(i).shape))
"""


class Skip(Exception):
    """The machine lacks what a check needs."""


def debug(text, **more):
    env = {"TORCHINDUCTOR_CACHE_DIR": CACHE, "TRITON_CACHE_DIR": os.path.join(CACHE, "triton")}
    return Cdbg(text, env=dict(env, **more.pop("env", {})), options=("-q",), **more)


def check(holds, what, seen=""):
    if not holds:
        raise AssertionError("%s: %s" % (what, str(seen)[-1500:]))


def at_graph(d, function="model"):
    """Stops at the second call of the compiled function, so that all that compiles lazily is there."""
    d.do("break %s" % function)
    d.go()
    check(d.reason == "breakpoint", "stops at the compiled function", d.stop)
    d.go()


# ---- stepping ----

def step(backend):
    with debug(SMALL.replace("BACKEND", backend)) as d:
        at_graph(d)
        seen = []
        d.go("stepg")
        for _ in range(12):
            if d.exited or d.reason not in ("step", "breakpoint"):
                break
            frame = d.frame
            if frame.get("region") not in (None, "graph call") and not frame.get("node"):
                break
            seen.append((frame.get("line"), frame.get("node") or frame.get("name")))
            d.go("step")
        check(len(seen) >= (2 if backend == "inductor" else 3), "the graph is stepped", seen)
        d.do("delete")
        d.do("detach")
        while not d.exited:
            d.wait()
        status, out, _ = bare(d.path, env={"TORCHINDUCTOR_CACHE_DIR": CACHE})
        check(d.out == out and status == 0, "the program prints the same", (d.out, out))
        return "%d stops in the graph" % len(seen)


def check_step_eager():
    return step("eager")


def check_step_aot_eager():
    return step("aot_eager")


def check_step_inductor():
    return step("inductor")


# ---- kernels ----

def check_kernel_source():
    with debug(SMALL.replace("BACKEND", "inductor")) as d:
        at_graph(d)
        d.go("stepg")
        text = d.text("info kernel") or str(d.rows("info kernel"))
        word = "tl\\.|triton" if GPU else "cpp_fused"
        check(re.search(word, text), "info kernel shows the source of the kernel", text)
        nodes = re.findall(r"\b(relu|tanh|add|sum|mul)\b", text)
        check(nodes, "it names the nodes that the kernel computes", text)
        return "nodes: " + " ".join(sorted(set(nodes)))


def check_kernel_lines():
    """Each kernel that is stepped has lines of the program."""
    with debug(SMALL.replace("BACKEND", "inductor")) as d:
        at_graph(d)
        d.go("stepg")
        lines = []
        while d.reason == "step" and len(lines) < 10 and d.frame.get("kind") in ("graph", "inlined", None):
            lines.append(d.frame.get("line"))
            d.go("step")
        check([n for n in lines if n], "kernels have lines", lines)
        return "lines " + " ".join(map(str, lines))


def check_user_triton_kernel():
    if not GPU:
        raise Skip("needs a GPU")
    with debug(HEAD + """
import triton, triton.language as tl
@triton.jit
def double(i, o, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + at, tl.load(i + at, mask=at < n) * 2, mask=at < n)
def model(x):
    o = torch.empty_like(x)
    double[(triton.cdiv(x.numel(), 64),)](x, o, x.numel(), BLOCK=64)
    return torch.sin(o).sum()
f = torch.compile(model)
x = torch.ones(1000, device=DEVICE)
for i in range(3):
    print("%.3f" % f(x).item())
""") as d:
        at_graph(d)
        rows = d.rows("info graph")
        check(any("triton" in str(r) for r in rows), "the graph shows the kernel as a node", rows)
        d.go("stepg")
        names = []
        while d.reason == "step" and len(names) < 10:
            names.append(str(d.frame))
            d.go("step")
        check(any("double" in n for n in names), "it is stepped by its name", names)
        return "%d steps" % len(names)


# ---- values ----

def check_catch_nan():
    text = SMALL.replace("BACKEND", "inductor").replace("torch.tanh(h) + x", "torch.log(h - 100) + x  # nan")
    with debug(text) as d:
        d.do("catch nan")
        d.go()
        check(d.reason == "catch" or "nan" in str(d.stop).lower(), "catch nan stops", d.stop)
        check(str(d.line_of("# nan")) in str(d.stop), "the stop names the line", d.stop)
        return "line %d" % d.line_of("# nan")


def compared(text, function, wrong_line=None):
    with debug(text, limit=240) as d:
        at_graph(d, function)
        began = time.monotonic()
        answer = d.text("graph compare") or str(d.do("graph compare"))
        took = time.monotonic() - began
        first = answer.strip().splitlines()[0]
        if wrong_line is None:
            check("no wrong node" in answer, "a right model has no wrong node", answer)
        else:
            check("wrong node" in answer and "no wrong node" not in answer, "the wrong node is found", answer)
            check(re.search(r":%d\b" % d.line_of(wrong_line), answer), "its line is named", answer)
        return "%s (%.1f s)" % (first[:100], took)


def check_run():
    with debug(SMALL.replace("BACKEND", "inductor")) as d:
        at_graph(d)
        rows = d.rows("graph run")
        check(len(rows) >= 5 and all(r.get("mean") is not None or r.get("dtype") or r.get("shape") for r in rows[:1]), "rows of values", rows)
        return "%d rows" % len(rows)


def check_compare_right():
    return compared(SMALL.replace("BACKEND", "inductor"), "model")


def check_compare_planted():
    wrong = """
from torch._inductor.lowering import lowerings, make_pointwise
from torch._inductor import ops_handler
from torch._inductor.virtualized import ops
def wrong_tanh(x):
    return ops.add(ops.tanh(x), ops.constant(1e-2, torch.float32))
lowerings[torch.ops.aten.tanh.default] = make_pointwise(wrong_tanh)
"""
    text = SMALL.replace("BACKEND", "inductor").replace("\ndef model", wrong + "\ndef model").replace("torch.tanh(h) + x", "torch.tanh(h) + x  # here")
    return compared(text, "model", "# here")


def check_compare_gpt2_float32():
    return compared(GPT.replace("LAYERS", "12" if GPU else "1").replace("DTYPE", "float32"), "GPT.forward")


def check_compare_gpt2_bfloat16():
    return compared(GPT.replace("LAYERS", "12" if GPU else "1").replace("DTYPE", "bfloat16"), "GPT.forward")


def check_memory():
    with debug(SMALL.replace("BACKEND", "aot_eager")) as d:
        at_graph(d)
        answer = d.do("graph memory")
        check(re.search(r"\d+(\.\d+)? ?(B|kB|KB|KiB|MB|MiB)", str(answer)), "graph memory gives sizes", answer)
        return str(answer.get("text") or "")[:80].replace("\n", " ")


# ---- CUDA graphs ----

def check_cuda_graphs():
    if not GPU:
        raise Skip("needs a GPU")
    text = SMALL.replace('backend="BACKEND"', 'mode="reduce-overhead"').replace("range(3)", "range(6)")
    with debug(text) as d:
        d.do("break model")
        for _ in range(4):
            d.go()
        told = []
        for command in ("info graph", "info kernel", "graph run", "graph compare"):
            reply = d.cmd(command)
            told.append("%s: %s" % (command, "works" if reply.get("ok") else reply.get("error")))
        d.go("stepg")
        told.append("stepg: %s" % (d.frame.get("node") or d.frame.get("name") or d.reason))
        d.do("delete")
        d.run_out()
        status, out, _ = bare(d.path, env={"TORCHINDUCTOR_CACHE_DIR": CACHE})
        check(d.out == out, "the program prints the same", (d.out, out))
        return "; ".join(told)


# ---- what a stop costs ----

def check_views_do_not_synchronize():
    """Views at a stop wait for no kernel: while one runs for seconds they answer at once."""
    if not GPU:
        raise Skip("needs a GPU")
    with debug(HEAD + """
def model(x):
    return torch.sin(x) + 1
f = torch.compile(model)
x = torch.ones(1000, device=DEVICE)
f(x); f(x)
torch.cuda.synchronize()
torch.cuda._sleep(int(20e9))
f(x)
torch.cuda.synchronize()
print("done")
""") as d:
        d.do("break model")
        d.go()
        d.go()
        d.go()
        slow = []
        for view in ("bt", "info locals", "info stack", "info graph", "info entries", "info guards", "info kernel", "info graphs"):
            began = time.monotonic()
            d.cmd(view)
            if time.monotonic() - began > 2:
                slow.append("%s %.1f s" % (view, time.monotonic() - began))
        still = d.text("print __import__('torch').cuda.current_stream().query()")
        check(not slow, "views answer while the device is busy", slow)
        check("False" in still, "the device is still busy after all views", still)
        return "8 views"


def check_idle_cost():
    program = HEAD + """
import time
def model(x):
    return torch.sin(x) + 1
f = torch.compile(model)
x = torch.ones(1000, device=DEVICE)
for i in range(200):
    f(x)
best = 1e9
for turn in range(20):
    began = time.perf_counter()
    for i in range(500):
        f(x)
    if DEVICE != "cpu":
        torch.cuda.synchronize()
    best = min(best, (time.perf_counter() - began) / 500)
print(best * 1e6)
"""
    from cdbgtest import run, script
    path = script(program)
    env = {"TORCHINDUCTOR_CACHE_DIR": CACHE}
    without, within = [], []
    for _ in range(3):
        without.append(float(bare(path, env=env)[1].split()[-1]))
        within.append(float(run(path, options=("--plain", "-q", "-batch", "-ex", "continue"), env=env)[1].split()[-1]))
    ratio = min(within) / min(without)
    check(ratio < 1.05, "an idle compiled call costs at most 5 % more", (without, within))
    return "%.3f (%.1f us a call)" % (ratio, min(without))


def main(seconds, wanted):
    end = time.monotonic() + seconds
    if GPU and subprocess.run([interpreter(), "-c", "import torch, sys; sys.exit(not torch.cuda.is_available())"], env=environment()).returncode:
        print("no GPU that torch can use")
        return 2
    count = {"ok": 0, "not ok": 0, "skipped": 0}
    for name, function in list(globals().items()):
        name = name.removeprefix("check_")
        if not callable(function) or "check_" + name not in globals() or wanted and not name.startswith(tuple(wanted)):
            continue
        began = time.monotonic()
        try:
            if began > end:
                raise Skip("no time left")
            verdict, detail = "ok", function()
        except Skip as e:
            verdict, detail = "skipped", str(e)
        except (AssertionError, Trouble, ValueError, KeyError, IndexError, OSError) as e:
            verdict, detail = "not ok", "%s: %s" % (type(e).__name__, e)
        count[verdict] += 1
        print("%-8s %-28s %5.1f s  %s" % (verdict, name, time.monotonic() - began, detail), flush=True)
    print("%d passed, %d failed, %d skipped" % (count["ok"], count["not ok"], count["skipped"]))
    return 1 if count["not ok"] else 0 if count["ok"] else 2


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Texts of code changed at random: each is refused with its line, or makes code that runs without a crash, whatever it
does.  CDBG_THOROUGH makes more of them, CDBG_SEED others."""
import asyncio
import gc
import opcode
import os
import random
import re
import signal
import sys
import types
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from cdbgtest import *  # noqa: E402,F403
from probe import probe  # noqa: E402

COUNT = 20000 if os.environ.get("CDBG_THOROUGH") else 1500
SEED = int(os.environ.get("CDBG_SEED") or 7)


# ---- what is changed

class Ends:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, tb):
        return kind is ValueError

    async def __aenter__(self):
        return 1

    async def __aexit__(self, *how):
        return False


def loops(n, *rest, k=3, **kw):
    t = []
    for i in range(n):
        if i > 2:
            t.append((i * k, *rest))
            continue
        while n > i:
            n -= 1
    return t, {**kw, "a": n}, [*rest, 1], max(*[1, n], **{}), f"{n!r:>5}{k}"


def tries(f, n):
    try:
        try:
            return f(n)
        except (ValueError, KeyError) as e:
            return str(e), n
        finally:
            n += 1
    except TypeError:
        raise RuntimeError("x") from None


def groups(f, n):
    try:
        return f(n)
    except* ValueError as e:
        n = e
    except* TypeError:
        pass
    return n


def withs(f, n):
    with Ends() as a, Ends():
        for i in range(n):
            with Ends():
                if i == 2:
                    break
                f(i)
    return a is None, i


def closures(x, y=2):
    z = [x]

    def inner(q, *, w=x, v: int = 3):
        nonlocal y
        y = y + q
        return x + y + w, [x + k for k in z], {k: y for k in z}, (a for a in z)
    return inner(3), inner


def generator(n):
    for i in range(n):
        try:
            a = yield i
        finally:
            n -= 1
    yield from [1, 2]
    return n, a


async def coroutine(n):
    async with Ends():
        pass
    async for q in numbers(n):
        n += q
    return n, [x async for x in numbers(2)]


async def numbers(n):
    for i in range(n):
        yield i


def matches(x, n):
    match x:
        case [1, *r]:
            return r
        case {"a": q, **w}:
            return q, w
        case (int() | str()) as s if s != n:
            return s
    return x[1:n], {a for a in (1, 2)}, not x, x is n, n in (1, 2), n < 3 < 5


def objects(d, n):
    class Kind(Ends, metaclass=type):
        def me(self):
            return super().__enter__(), __class__, n
    d["k"] = n
    d["k"] += 1
    o = Kind()
    o.a = n
    del o.a, d["k"]
    a, (b, *c) = n, (1, 2, 3)
    return o.me(), n and d or o, sorted([3, 1, n], key=lambda v: -v), a, b, c, n if n else print(n, end="")


def raiser(n):
    if n:
        raise [ValueError("v"), TypeError("t"), KeyError("k")][n % 3]
    return n


def sent(f):
    g, out = f(3), []
    out.append(next(g))
    try:
        for k in range(6):
            out.append(g.send(k))
    except StopIteration as e:
        out.append(e.value)
    return out


SUBJECTS = [
    (loops, lambda f: (f(4, 7, z=1), f(2))),
    (tries, lambda f: (f(raiser, 0), f(raiser, 3), f(raiser, 4))),
    (groups, lambda f: (f(raiser, 0), f(raiser, 3), f(raiser, 4), f(raiser, 2))),
    (withs, lambda f: (f(str, 4), f(raiser, 4))),
    (closures, lambda f: f(3)[1](2)),
    (generator, sent),
    (coroutine, lambda f: asyncio.run(f(3))),
    (matches, lambda f: (f([1, 2], 2), f({"a": 1, "c": 1}, 1), f("ss", 4), f((3, 4, 5), 2))),
    (objects, lambda f: f({}, 5)),
]
TEXTS = [probe.assembly(f.__code__).split("\n") for f, use in SUBJECTS]
LINES = [line for text in TEXTS for line in text if line.startswith("    ")]
NUMBERS = (0, 1, 2, 3, 4, 7, 15, 16, 63, 255, 256, 300, 70000, 1 << 24, 1 << 31, 1 << 33)


def changed(text, pick):
    """The text with one to five changes."""
    text = list(text)
    for _ in range(pick.choice((1, 1, 1, 2, 2, 3, 5))):
        i, k = pick.randrange(len(text)), pick.randrange(len(text))
        labels = sorted(set(re.findall(r"^L\d+(?=:)", "\n".join(text), re.M))) or ["L1"]
        what = pick.randrange(11)
        if what == 0:
            del text[i]
        elif what == 1:
            text[i:i] = text[k:k + pick.randrange(1, 5)]
        elif what == 2:
            text[i], text[k] = text[k], text[i]
        elif what == 3:
            text[i] = re.sub(r"\d+", lambda m: str(pick.choice(NUMBERS + (int(m[0]) + 1,))), text[i], count=1)
        elif what == 4:
            text.insert(i, pick.choice(LINES))
        elif what == 5:
            text[i] = pick.choice(LINES)
        elif what == 6:
            text[i] = re.sub(r"^( +)\S+", r"\1" + pick.choice(list(opcode.opmap)), text[i])
        elif what == 7:
            text.insert(i, "    %s%s" % (pick.choice(list(opcode.opmap)), pick.choice(("", " =3", " 1", " 2", " L2"))))
        elif what == 8:
            text.insert(i, "    " + pick.choice(("POP_TOP", "PUSH_NULL", "COPY 1", "COPY 3", "SWAP 2", "SWAP 4", "NOP",
                                                 "LOAD_CONST None", "POP_EXCEPT", "PUSH_EXC_INFO", "RERAISE 1")))
        elif what == 9:
            text[i] = re.sub(r"\bL\d+\b", lambda m: pick.choice(labels), text[i])
        else:
            text.append(".try %s %s %s depth %d%s" % (pick.choice(labels), pick.choice(labels), pick.choice(labels),
                                                      pick.randrange(4), pick.choice(("", " lasti"))))
    return "\n".join(text)


# ---- what comes of it

def use(job):
    f, how = SUBJECTS[job[0]]
    made = types.FunctionType(probe.assemble(f.__code__, job[1]), globals(), "f", f.__defaults__, f.__closure__)
    made.__kwdefaults__ = f.__kwdefaults__
    how(made)


def late(number, frame):
    raise TimeoutError


def use_all(jobs, told):
    """In a process of its own; says what it begins with."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(nothing, fd)
    signal.signal(signal.SIGVTALRM, late)
    sys.setrecursionlimit(300)
    for i, job in enumerate(jobs):
        os.write(told, b"%d " % i)
        try:
            # twice: what CPython specialises counts, too
            signal.setitimer(signal.ITIMER_PROF, 5)
            signal.setitimer(signal.ITIMER_VIRTUAL, .2, .2)
            use(job)
            use(job)
        except BaseException:
            pass
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    gc.collect()
    os.write(told, b"end")
    os._exit(0)


def crashes(jobs):
    """Those that end a process; an endless loop that hears no signal is ended and not one of them."""
    found = []
    while jobs:
        heard, told = os.pipe()
        child = os.fork()
        if not child:
            use_all(jobs, told)
        os.close(told)
        with os.fdopen(heard, "rb") as f:
            last = f.read().split()[-1]
        status = os.waitpid(child, 0)[1]
        if last == b"end":
            break
        if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGPROF:
            found.append((status, jobs[int(last)]))
        jobs = jobs[int(last) + 1:]
    return found


def main():
    pick = random.Random(SEED)
    jobs, silent, refused = [], [], 0
    for _ in range(COUNT):
        k = pick.randrange(len(SUBJECTS))
        text = changed(TEXTS[k], pick)
        try:
            made = probe.assemble(SUBJECTS[k][0].__code__, text)
        except RuntimeError as e:
            refused += 1
            if not re.match(r"line \d+: ", str(e)):
                silent.append(str(e))
            continue
        if made.co_code != SUBJECTS[k][0].__code__.co_code or made.co_consts != SUBJECTS[k][0].__code__.co_consts:
            jobs.append((k, text))
    note("%d refused, %d run of %d" % (refused, len(jobs), COUNT))
    is_(silent, [], "what is refused is refused with its line")
    ok(len(jobs) > COUNT // 40, "a part of it is code that is not refused")
    found = crashes(jobs)
    ok(not found, "and none of that crashes", lambda: "status %d: %s\n%s" % (
        found[0][0], SUBJECTS[found[0][1][0]][0].__name__, found[0][1][1]))


main()
done()

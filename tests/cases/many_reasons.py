# needs: torch
# More than a person reads: functions that break for equal and for different reasons, and compile again for equal guards.
import torch

TEXT = """
def fn_%(i)d(x, n):
    y = x + n
    torch._dynamo.graph_break(msg="reason %(reason)d")
    return y * %(i)d
"""


def main():
    total = 0.0
    for i in range(24):
        space = {"torch": torch}
        exec(compile(TEXT % {"i": i, "reason": i if i % 2 else 0}, __file__, "exec"), space)
        compiled = torch.compile(space["fn_%d" % i], backend="eager", dynamic=False)
        for n in range(3):
            total += float(compiled(torch.ones(2 + (n == 2)), n).sum())
    print(total)


main()

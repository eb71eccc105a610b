# Values that are changed in place, each deep inside: a watchpoint on each name in f must stop at the line with its name.
import array, collections, dataclasses, enum
class A:
    x = 1
class Slots:
    __slots__ = ("a", "b")
class Loud:
    def __init__(self):
        object.__setattr__(self, "n", 0)
    def __eq__(self, other):
        raise RuntimeError("compared")
    __hash__ = __repr__ = __iter__ = __len__ = __getattribute__ = __eq__
@dataclasses.dataclass
class Data:
    items: list
class Own(list):
    pass
def f():
    l = list(range(1000)); d = dict.fromkeys(range(500), 0); a = A(); b = bytearray(1000); s = set(range(300))
    slots = Slots(); loud = Loud(); data = Data([[0] * 50 for _ in range(50)]); own = Own([1]); dq = collections.deque(range(300))
    arr = array.array("d", [0.0] * 1000); big = [10 ** 30]; text = ["x" * 1000]; nested = {"k": ([{"deep": [1, 2, [3]]}],)}
    cycle = [1]; cycle.append(cycle); od = collections.OrderedDict.fromkeys(range(300)); slots.a = 1; last = 0
    l[999] = -5            # l
    d[499] = -5            # d
    a.x = 2                # a
    b[999] = 1             # b
    s.discard(299)         # s
    slots.b = 5            # slots
    object.__setattr__(loud, "n", 5)     # loud
    data.items[49][49] = 1 # data
    own.extra = 1          # own
    dq[250] = None         # dq
    arr[999] = 1.5         # arr
    big[0] += 2 ** 61 - 1  # big
    text[0] = "x" * 999 + "y"            # text
    nested["k"][0][0]["deep"][2][0] = 4  # nested
    cycle[0] = 2           # cycle
    od[299] = 1            # od
    last = 1
    return last
f()
print("end")

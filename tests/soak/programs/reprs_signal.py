# SPDX-License-Identifier: BSD-3-Clause
# Reprs that send signals, start timers, fork, sleep, raise what nobody catches, and count how often they ran.
import os, signal, sys

caught = []
def handler(number, frame):
    caught.append(number)
signal.signal(signal.SIGUSR1, handler)
signal.signal(signal.SIGALRM, handler)

class Sends:
    runs = 0
    def __repr__(self):
        Sends.runs += 1
        signal.raise_signal(signal.SIGUSR1)
        return "Sends"
class Raises:
    def __repr__(self):
        raise GeneratorExit("from a repr")
class Forks:
    def __repr__(self):
        pid = os.fork()
        if not pid:
            os._exit(7)
        return "Forks %d" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
class Timer:
    def __repr__(self):
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        signal.pause()
        return "Timer"
class Exits:
    def __repr__(self):
        sys.exit(3)
class Recurses:
    def __repr__(self):
        return "%r" % [self, self.__dict__, [self]]
class Str(str):
    def __len__(self):
        return -5
    def __getitem__(self, k):
        raise IndexError
class Odd:
    def __repr__(self):
        return Str("odd")
class Int(int):
    def __repr__(self):
        return 5
    def __index__(self):
        raise OverflowError

def work(a, b, c, d, e, f, g, h):
    local = [a, b, c]
    try:
        repr(h)
    except TypeError as err:
        return str(err)
    return local

before = len(caught)
got = work(Sends(), Raises(), Forks(), Timer(), Exits(), Recurses(), Odd(), Int(3))
print(got)
runs = Sends.runs
print(repr(Sends()), Sends.runs - runs)
print(repr(Forks()))
print(repr(Timer()), signal.SIGALRM in caught)
try:
    repr(Recurses())
except RecursionError:
    print("RecursionError")
try:
    print([Raises()])
except GeneratorExit as e:
    print("GeneratorExit", e)
print(repr(Odd()) == "odd", signal.getsignal(signal.SIGUSR1) is handler, signal.getitimer(signal.ITIMER_REAL)[0] == 0)

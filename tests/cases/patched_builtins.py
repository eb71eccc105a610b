# The program replaces builtins that Python code needs and ends by an exception: its own traceback is printed.
import builtins

real = builtins.isinstance, builtins.len, builtins.str


def nothing(*args):
    raise KeyError("no such builtin")


builtins.isinstance = builtins.len = builtins.str = builtins.getattr = nothing
raise LookupError("the program's own")

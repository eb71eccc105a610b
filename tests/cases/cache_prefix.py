# The name of a module of the program begins with the name of inductor's cache folder: its frames are the program's, not inductor's.
# needs: torch
import os
import sys
import tempfile

SOURCE = """
def inner(n):
    return n * 3


def call(n):
    result = inner(n)
    return result + 1
"""
with tempfile.TemporaryDirectory() as folder:
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(folder, "store")
    import torch._dynamo  # noqa: F401

    with open(os.path.join(folder, "store_of_program.py"), "w") as f:
        f.write(SOURCE)
    sys.path.insert(0, folder)
    import store_of_program

    print(store_of_program.call(4))

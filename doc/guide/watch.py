"""Counts the graph breaks and recompiles of a block, as a test or a script without a debugger does."""
import cdbg

with cdbg.watch() as w:
    import guard                # noqa: F401
print(w)

# SPDX-License-Identifier: BSD-3-Clause
"""The Python of the graph and entry commands.  cdbg loads it by itself, see edit_python.c: it is on no path of the program."""

# SPDX-License-Identifier: BSD-3-Clause
# Reads its standard input to the end in three ways.
import os, sys

print(repr(input("? ")))
print(repr(sys.stdin.readline()))
print(sys.stdin.read().count("\n"), os.isatty(0), os.isatty(1))

# SPDX-License-Identifier: BSD-3-Clause
import ctypes, os

os.write(1, b"out\n")
os.write(2, b"err\n")
ctypes.string_at(8)

# SPDX-License-Identifier: BSD-3-Clause
import os

os.write(2, b"last words\n")
os.abort()

# SPDX-License-Identifier: BSD-3-Clause
# A file that does not compile.
def f():
    return (1,

print("never")

# SPDX-License-Identifier: BSD-3-Clause
# What the functions of one_line_changes.py read from another module.
SCALES = {"low": 2}


def shift(x):
    return x + 1


def lift(x):
    return x + 3


class Setting:
    level = 3

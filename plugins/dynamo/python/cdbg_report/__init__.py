# SPDX-License-Identifier: BSD-3-Clause
"""The pages and files of a report, and the comparison of two, made from index.json alone.  Imports neither torch nor cdbg: `report` in
cdbg and `python -m cdbg.report` on any machine call the same functions."""

/* SPDX-License-Identifier: BSD-3-Clause */
/* The node that makes the first NaN or Inf, as made.py reports it, in words and as data. */
#ifndef DYNAMO_CMD_MADE_NODE_H
#define DYNAMO_CMD_MADE_NODE_H
#include "torch/cdbg_host.h"

struct source_line;

struct made_node {
	const char *name; /* borrowed from the row */
	long long nan, inf, elements;
	bool first_nan, first_inf; /* what no node before made */
	PyObject *inputs;	   /* borrowed: a list of dicts, see about_input() in made.py */
	const char *file;	   /* where the program wrote it; NULL: it is not known */
	int line;
};

/* What about_made() of made.py returned, without a place; it borrows from row.  false: it is another row. */
bool made_node_read(PyObject *row, struct made_node *out);
/* NULL: its line is not known. */
void made_node_place(struct made_node *m, const struct source_line *spot);
/* " makes the first NaN: 58 of 64 values at net.py:5, 'c = torch.log(b)', of b with min -3, ..." */
void made_node_first(const struct made_node *m, struct buf *out);
/* " at net.py:5, 'c = torch.log(b)'"; nothing without a place. */
void made_node_place_text(const char *file, int line, struct buf *out);
/* The same as data: node, nan, inf, elements, file, line, text, inputs. */
void made_node_put(const struct made_node *m, struct val *map);

#endif

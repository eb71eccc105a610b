/* SPDX-License-Identifier: BSD-3-Clause */
/* Which node of a line of a graph's code makes the NaN or Inf that the line wrote, and where the program wrote it.
   Knows no stop. */
#ifndef DYNAMO_EVENT_NAN_MADE_H
#define DYNAMO_EVENT_NAN_MADE_H
#include "cmd/made_node.h"
#include "code/graph_codes.h"

/* What a kernel may overwrite: kept before it runs. */
struct nan_held {
	int local;	 /* the variable that it writes */
	char *node;	 /* whose value this held before: the variable's name, or an input's; owned */
	PyObject *bytes; /* owned */
};

struct nan_holding {
	struct nan_held *at;
	int n;
	size_t cap;
};

/* The frame is about to run this line: keeps what a kernel may overwrite in place, up to 64 MiB.  Runs no Python. */
void nan_holding_note(struct nan_holding *h, struct py_frame *f, const struct graph_lines *l,
		      const struct graph_line *row);
void nan_holding_release(struct nan_holding *h);

struct nan_made {
	PyObject *rows; /* owned: what made_in_kernel() returned; NULL: the kernel's nodes are not known */
	struct made_node node, other; /* of it, the node that was asked for, and the one that makes the first Inf or
					 NaN beside it; without a name: none */
	const char *captured;	      /* the captured graph's node for the former, the model's; or NULL */
	const char *file; /* where it was written, or all nodes that may be it; NULL: not known, or not the same */
	int line;
	struct val *candidates; /* owned: a list of maps node, file, line; NULL: none */
	char *command;		/* owned: it finds the node; or NULL */
};

/* The line of the frame has run and made a NaN, else an Inf.  Inside a stop: runs the nodes of a kernel on what it
   read. */
void nan_made_find(struct py_frame *f, struct graph_lines *l, const struct graph_line *row,
		   const struct nan_holding *held, bool nan, struct nan_made *out);
void nan_made_release(struct nan_made *m);
/* " at net.py:5, 'c = torch.log(b)'" of a line that is a node; nothing of a kernel. */
void nan_made_place(const struct nan_made *m, struct buf *out);
/* What is known of a kernel's nodes, to be added to a sentence; and all that is, to a stop's detail. */
void nan_made_text(const struct nan_made *m, struct buf *out);
void nan_made_put(const struct nan_made *m, struct val *map);

#endif

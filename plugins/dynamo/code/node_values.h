/* SPDX-License-Identifier: BSD-3-Clause */
/* What the nodes of running graphs computed: shape, figures and time, recorded line by line while a graph is
   stepped.  Runs none of torch's operations.  Knows no view. */
#ifndef DYNAMO_CODE_NODE_VALUES_H
#define DYNAMO_CODE_NODE_VALUES_H
#include "code/graph_codes.h"
#include "torch/tensor_numbers.h"

struct node_value {
	bool known;		 /* it was looked at when it was computed */
	struct tensor_numbers n; /* of a list of tensors: those of all elements */
	char *text;		 /* owned: of a value that is not a plain tensor, or NULL */
};

struct line_value {
	bool done;	       /* the line has run */
	double seconds;	       /* -1: not known */
	struct node_value *of; /* for each variable that the line writes */
};

/* The frame is about to run this line: what the line before wrote is noted. */
void node_values_line(struct py_frame *f, const struct graph_lines *l, const struct graph_line *row);
/* A stop has ended: its time belongs to no node. */
void node_values_resumed(void);
/* Of a line of this activation, or NULL: nothing was noted. */
const struct line_value *node_values_of(struct py_frame *f, const struct graph_lines *l, const struct graph_line *row);
/* The same of a variable's value now; the caller releases text. */
void node_value_now(PyObject *v, struct node_value *out);
void node_values_release(void);
/* These lines are about to be freed. */
void node_values_forget(const struct graph_lines *l);

#endif

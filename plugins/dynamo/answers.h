/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers the core's questions about code, frames and places. Each answer keeps a pending exception: hooks
   ask while the program handles one.  Contracts: struct plug_ops.  Knows no command and no view. */
#ifndef DYNAMO_ANSWERS_H
#define DYNAMO_ANSWERS_H
#include "torch/cdbg_host.h"

void answers_begin(void); /* before it, and after answers_end(), nothing is known about any code */
void answers_end(void);

int answer_code(struct py_code *co, struct code_info *out);
int answer_regions(struct code *c, const struct region **out, int *n);
int answer_lines(struct code *c, const char *file, int first, int n, struct line_mark *out);
const char *answer_class_of(struct code *c, const char *object);
const char *answer_kept(struct code *c, int index);
int answer_line(struct code *c, int index, int *out);
int answer_line_places(const char *file, int at, struct places *out);
int answer_function_places(struct py_code *original, struct places *out);
int answer_inlined_places(struct py_code *original, struct places *out);
int answer_inside(struct py_code *original);
int answer_unwrap(struct py_obj *v, void (*add)(void *arg, struct py_code *co), void *arg);
int answer_body(struct py_code *co);
int answer_node_places(const char *pattern, struct places *out);
int answer_node_names(void (*add)(void *arg, const char *name), void *arg);
int answer_node(struct code *c, int line, struct graph_node *out);
int answer_names(void (*add)(void *arg, const char *name), void *arg);
int answer_raised_at(struct py_obj *exc, const char **file, const char **function, int *line);
int answer_traced(struct code *c);
bool answer_graph_line(struct py_frame *f, struct code *c, int index);
int answer_entry(const char *id, struct py_code **generated, struct err *err);

#endif

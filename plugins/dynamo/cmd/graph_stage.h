/* SPDX-License-Identifier: BSD-3-Clause */
/* The stage of a graph that a command is to run. */
#ifndef DYNAMO_CMD_GRAPH_STAGE_H
#define DYNAMO_CMD_GRAPH_STAGE_H
#include "torch/cdbg_host.h"

struct graph_args;
struct graph_subject;

/* Takes the stage from the end of a->name, "0/0 joint": owned by the caller, NULL for the captured graph. */
char *graph_stage_take(struct graph_args *a);
/* Makes the stage of s the one that is run, with its inputs; it is compiled again.  -1 with err. */
int graph_stage_find(struct graph_subject *s, const char *stage, struct err *err);
/* The backend of its entry, a new reference; NULL with err. */
PyObject *graph_backend(const struct graph_subject *s, struct err *err);
/* Notes stages that were made again, see stages_made() in stages.py, and adds their names to out, which may be
   NULL. */
void graph_put_stages(const struct graph_subject *s, PyObject *list, struct buf *out);

#endif

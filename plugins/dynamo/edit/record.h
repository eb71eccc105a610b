/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls by which Dynamo built an entry's guards, noted while it compiles, so that replay.c can
   build the same guards again.  Tensors are noted by stand-ins without elements.  Knows no command. */
#ifndef DYNAMO_EDIT_RECORD_H
#define DYNAMO_EDIT_RECORD_H
#include "torch/cdbg_host.h"

struct guard;

/* The number of the node it is called on (-1: a function), its name, arguments, named ones or None, the number of the
   node that it makes (-1: none), the source of a guard's node (None: it makes no guard). */
enum { ROW_NODE, ROW_METHOD, ROW_ARGS, ROW_NAMED, ROW_RESULT, ROW_SOURCE };

void record_switch(struct session *s); /* the option changed, or the plugin woke */
void record_stop(void);
void record_pause(bool on);   /* this thread's calls are not noted meanwhile; nests */
PyObject *record_begin(void); /* a list for the calls of one compile; NULL: none */
/* What is needed to build the guards of this manager again: a new reference or NULL.  Holds no tensor. */
PyObject *record_finish(PyObject *calls, PyObject *manager);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Records the calls by which Dynamo builds an entry's guards while it compiles, so that replay.c can build the same
   guards again.  Tensors are replaced by stand-ins without elements.  Knows no command. */
#ifndef DYNAMO_EDIT_RECORD_H
#define DYNAMO_EDIT_RECORD_H
#include "torch/cdbg_host.h"
#include "guards/guard_recorded.h"

struct guard;

void record_switch(struct session *s); /* after the option changed, or the plugin started */
void record_stop(void);
void record_pause(bool on);   /* while on, calls of this thread are not recorded; nests */
PyObject *record_begin(void); /* begins a record: a list for the calls of one compile; NULL: nothing is recorded */
/* Ends it: returns what is needed to build the guards of this manager again, a new reference, or NULL. Keeps no
   tensor alive. */
PyObject *record_finish(PyObject *calls, PyObject *manager);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamo's symbolic values as text.  Realizes no value, so Dynamo adds no guard.  Knows no event. */
#ifndef DYNAMO_OBSERVE_SYMBOLIC_H
#define DYNAMO_OBSERVE_SYMBOLIC_H
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

extern const struct watcher watch_step;
#define SYMBOLIC_BEFORE "_cdbg_stack" /* a translator's stack before its current instruction */
struct val *symbolic_locals(PyObject *tx);
struct val *symbolic_stack(PyObject *tx);
/* The values of a list, as text: "%add f32[2] cpu, 3". */
void symbolic_items(PyObject *list, struct buf *out);

/* The function to call for each instruction that Dynamo's translator is about to handle. */
enum { STEPS_BREAKS = 1, STEPS_TRACE = 2 };

void symbolic_steps(unsigned who, bool on);

#endif

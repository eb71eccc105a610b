/* SPDX-License-Identifier: BSD-3-Clause */
/* `set trace on`: each instruction of generated code is printed before it runs, for the case where the next one
   crashes.  Knows the session, no step plan. */
#ifndef CDBG_TRACE_H
#define CDBG_TRACE_H
#include "py/frame/frame.h"

struct session;

bool trace_on(const struct session *s);
void trace_changed(struct session *s);			      /* the option's value changed: arm or disarm */
unsigned trace_want(const struct session *s, struct code *c); /* enum hook_want for new frames of this code */
void trace_instr(struct session *s, struct py_frame *f, struct code *c, int index);

#endif

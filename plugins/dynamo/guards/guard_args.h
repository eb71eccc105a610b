/* SPDX-License-Identifier: BSD-3-Clause */
/* The values that guards are checked with: the arguments of a frame as they were at the call.  A variable that the
   frame has assigned or deleted since is left out, so that no other value is used instead.  Knows no guard. */
#ifndef DYNAMO_GUARDS_GUARD_ARGS_H
#define DYNAMO_GUARDS_GUARD_ARGS_H
#include "torch/cdbg_host.h"

struct func;

struct entry;

struct scene {
	PyObject *locals;	  /* owned dict: the L of guards; NULL: the frame runs another function */
	bool whole;		  /* it has every argument, as at the entry */
	const struct entry *runs; /* the entry whose code the frame runs, or NULL */
};

/* From a frame that Dynamo was given. */
void scene_compiling(PyObject *frame, struct scene *out);
/* From the selected frame, if it runs this function. */
void scene_selected(struct func *f, struct scene *out);
void scene_release(struct scene *s);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The values that guards are asked about: the arguments of a frame as they were when it was called.  What it has
   rebound or deleted since is left out, so that another value never stands for it.  Knows no guard. */
#ifndef DYNAMO_GUARDS_GUARD_ARGS_H
#define DYNAMO_GUARDS_GUARD_ARGS_H
#include "torch/cdbg_host.h"

struct func;

struct entry;

struct scene {
	PyObject *locals;	  /* owned dict: what L is; NULL: a frame of another function */
	bool whole;		  /* it has every argument, as at the entry */
	const struct entry *runs; /* whose code the frame runs: its guards held at the call; or NULL */
};

/* From a frame that Dynamo was given. */
void scene_compiling(PyObject *frame, struct scene *out);
/* From the selected frame, if it runs this function. */
void scene_selected(struct func *f, struct scene *out);
void scene_release(struct scene *s);

#endif

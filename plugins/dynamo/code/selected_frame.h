/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame that is selected at a stop, with the references that the host gives. */
#ifndef DYNAMO_CODE_SELECTED_FRAME_H
#define DYNAMO_CODE_SELECTED_FRAME_H
#include "torch/cdbg_host.h"

/* Each may be NULL: a frame that is being compiled has no Python frame, one of C has no code.  index: -1 if unknown. */
struct selected_frame {
	struct py_frame *frame; /* owned */
	struct code *code;	/* its code object's reference is owned */
	int index;
};

/* -1 with err (which may be NULL): the program is not stopped.  selected_frame_release() is needed, and harmless, then,
   too. */
int selected_frame_get(struct selected_frame *s, struct err *err);
void selected_frame_release(struct selected_frame *s);

#endif

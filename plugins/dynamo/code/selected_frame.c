/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame that is selected at a stop: see dynamo_code.h.  Knows no entry and no graph. */
#include "code/dynamo_code.h"

int selected_frame_get(struct selected_frame *s, struct err *err)
{
	*s = (struct selected_frame){ .index = -1 };
	return host->frames.selected(&s->frame, &s->code, &s->index, err);
}

void selected_frame_release(struct selected_frame *s)
{
	if (s->code)
		Py_DECREF((PyObject *)s->code->co);
	Py_XDECREF((PyObject *)s->frame);
	*s = (struct selected_frame){ .index = -1 };
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the line that called the function being compiled, also in generated code, by its regions. */
#include "code/dynamo_code.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/source_line.h"
#include "torch/py_text.h"

/* The line that a frame is at, in the user's function where it runs generated code. */
static struct source_line caller_line(PyFrameObject *frame)
{
	PyCodeObject *co = PyFrame_GetCode(frame);
	struct entry *e = model_entry(co);
	const struct region *r = NULL;
	struct source_line s = { .file = py_text_utf8_kept(co->co_filename),
				 .function = py_text_utf8_kept(co->co_name) };
	struct code *c;

	if (e && (c = host->code.get((struct py_code *)co))) {
		host->code.decode(c);
		r = regions_at(e, host->code.index(c, PyFrame_GetLasti(frame)));
		s.function = py_text_keep(model_root(e->func)->name);
	}
	s.line = r && r->line ? r->line : PyFrame_GetLineNumber(frame);
	Py_DECREF(co);
	return s;
}

const struct source_line *caller_spot(struct compiling *c)
{
	PyFrameObject *frame, *back;
	struct source_line s;

	if (!c || c->guard.called_known)
		return c && c->guard.called.file ? &c->guard.called : NULL;
	c->guard.called_known = true;
	for (frame = (PyFrameObject *)Py_XNewRef(c->caller); frame; frame = back) {
		s = caller_line(frame);
		if (source_line_shown(&s) && s.line > 0) {
			c->guard.called = s;
			Py_DECREF(frame);
			break;
		}
		back = PyFrame_GetBack(frame);
		Py_DECREF(frame);
	}
	PyErr_Clear();
	return c->guard.called.file ? &c->guard.called : NULL;
}

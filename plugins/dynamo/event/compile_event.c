/* SPDX-License-Identifier: BSD-3-Clause */
/* Stops that show a function being compiled as their innermost frame.  Knows no particular event. */
#include "code/select.h"
#include "event/dynamo_event.h"
#include "guards/guard_args.h"
#include "model/compiling.h"
#include "model/func.h"

bool compiling_matches(const struct event *ev, const char *words)
{
	(void)ev;
	return compiling_top() && compiling_top()->func && select_names(compiling_top()->func, words);
}

void compiling_event(const struct event_kind *kind, struct compiling *c, int line, const char *entry,
		     struct val *detail, const struct val *locals, const struct val *stack)
{
	PyObject *globals = c->frame ? PyObject_GetAttrString(c->frame, "f_globals") : NULL;
	struct scene scene;
	struct fake_frame fake = {
		.function = c->func->name,
		.file = c->func->file,
		.line = line ? line : c->func->line,
		.entry = entry,
		.code = (struct py_code *)c->func->co,
		.globals = (struct py_obj *)globals,
		.symbolic = locals,
		.stack = stack,
	};
	struct event ev = {
		.kind = kind,
		.frame = (struct py_frame *)c->caller,
		.index = -1,
		.top = &fake,
		.detail = detail,
	};

	PyErr_Clear();
	scene_compiling(c->frame, &scene);
	fake.locals = (struct py_obj *)scene.locals;
	host->stops.event(&ev);
	scene_release(&scene);
	Py_XDECREF(globals);
	val_free(detail);
}

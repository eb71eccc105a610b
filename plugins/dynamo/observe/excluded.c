/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that Dynamo does not compile because of a rule: those in files of torch and of other libraries, and
   those that the program disabled.  They are not in the model, which holds functions that may be compiled. */
#include "observe/dynamo_observe.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "torch/wrapper.h"
#include <stdlib.h>

struct excluded {
	const char *name, *file, *reason; /* the model's texts */
	int line;
};

static struct excluded *all;
static size_t n, cap;

void excluded_note(PyCodeObject *co, const char *reason)
{
	struct excluded l = {
		.name = py_text_utf8_kept(co->co_name),
		.file = py_text_utf8_kept(co->co_filename),
		.line = co->co_firstlineno,
		.reason = py_text_keep(reason),
	};
	size_t i;

	for (i = 0; i < n; i++)
		if (all[i].name == l.name && all[i].file == l.file && all[i].line == l.line)
			break;
	if (i == n) {
		all = mem_grow(all, &cap, n + 1, sizeof(*all));
		n++;
	}
	all[i] = l;
}

/* DisableContext.__call__(self, fn) */
static void disabled(struct call *call)
{
	PyObject *fn = call_arg(call, 1, "fn"), *code, *msg;
	const char *why;
	char *reason;

	if (!call->result || !fn || !PyFunction_Check(fn))
		return;
	code = PyFunction_GET_CODE(fn);
	msg = attr(call->result, "_torchdynamo_disable_msg");
	why = msg && PyUnicode_Check(msg) ? py_text_utf8_kept(msg) : NULL;
	reason = mem_fmt("disabled by torch.compiler.disable%s%s", why ? ": " : "", why ? why : "");
	if (host->files.is_user(py_text_utf8_kept(((PyCodeObject *)code)->co_filename)))
		excluded_note((PyCodeObject *)code, reason);
	free(reason);
	Py_XDECREF(msg);
}

const struct watcher watch_disable = { .after = disabled };

bool excluded_row(size_t i, const char **name, const char **file, int *line, const char **reason)
{
	if (i >= n)
		return false;
	*name = all[i].name;
	*file = all[i].file;
	*line = all[i].line;
	*reason = all[i].reason;
	return true;
}

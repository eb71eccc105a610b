/* SPDX-License-Identifier: BSD-3-Clause */
/* Does this thread run a graph only because torch traces it: see dynamo_torch.h. */
#include "torch/attrs.h"
#include "torch/dynamo_torch.h"
#include "torch/py_text.h"

/* torch._C._get_dispatch_mode(key), which is written in C. */
static bool has_mode(enum attr_id key_id)
{
	PyObject *get = attrs_get(ATTR_DISPATCH_MODE), *key = get ? attrs_get(key_id) : NULL;
	PyObject *mode = key ? PyObject_CallOneArg(get, key) : NULL;
	bool yes = mode && mode != Py_None;

	PyErr_Clear();
	Py_XDECREF(mode);
	Py_XDECREF(key);
	Py_XDECREF(get);
	return yes;
}

/* Does a caller trace, or compile? */
static bool below_tracer(void)
{
	static const struct {
		const char *function, *file;
	} tracers[] = {
		{ "trace", "fx/_symbolic_trace.py" },
		{ "run", "fx/interpreter.py" },
		{ "compile_fx_inner", "_inductor/compile_fx.py" },
		{ "_compile", "_dynamo/convert_frame.py" },
	};
	PyFrameObject *f = (PyFrameObject *)Py_XNewRef(PyEval_GetFrame()), *back;
	PyCodeObject *co;
	const char *file, *name;
	bool yes = false;
	size_t i;

	for (; f; f = back) {
		co = PyFrame_GetCode(f);
		name = py_text_utf8(co->co_name);
		for (i = 0; name && i < sizeof(tracers) / sizeof(*tracers) && !yes; i++) {
			file = strcmp(name, tracers[i].function) ? NULL : py_text_utf8(co->co_filename);
			yes = file && py_text_ends_with(file, tracers[i].file);
		}
		Py_DECREF(co);
		back = yes ? NULL : PyFrame_GetBack(f);
		Py_DECREF(f);
	}
	return yes;
}

/* An operator within a traced sub-graph takes the mode that traces away while it runs its own sub-graphs, on fake
   tensors; inductor runs them on such while backward() compiles.  A program may run graphs on fake tensors, too: then
   nothing traces them. */
bool traced_now(void)
{
	PyObject *type, *value, *tb;
	bool yes;

	PyErr_Fetch(&type, &value, &tb);
	yes = has_mode(ATTR_PROXY_KEY) || (has_mode(ATTR_FAKE_KEY) && below_tracer());
	PyErr_Restore(type, value, tb);
	return yes;
}

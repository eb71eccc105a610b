/* SPDX-License-Identifier: BSD-3-Clause */
/* A Python condition over the arguments of a function, which the user adds to the guards of an entry. */
#include "edit/dynamo_edit.h"
#include "edit/overrides.h"
#include "model/entry.h"
#include "model/func.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

static bool trying;

void condition_trying(bool on)
{
	trying = on;
}

bool condition_tried(void)
{
	return trying;
}

struct condition {
	PyObject *fn, *names; /* owned: a Python function that takes these locals */
	char *text;
	bool raised; /* the exception was reported once */
};

static void condition_free(PyObject *capsule)
{
	struct condition *c = PyCapsule_GetPointer(capsule, "cdbg.condition");

	Py_XDECREF(c->fn);
	Py_XDECREF(c->names);
	free(c->text);
	free(c);
}

static void say_raised(struct condition *c)
{
	PyObject *type, *value, *tb, *text;
	struct buf what = { 0 };
	char *note;

	PyErr_Fetch(&type, &value, &tb);
	text = value ? PyObject_Str(value) : NULL;
	PyErr_Clear();
	if (text)
		host->values.text((struct py_obj *)text, &what, 200);
	note = mem_fmt("the added guard '%s' raised %s: %s (it counts as failed; reported once)", c->text,
		       type && PyType_Check(type) ? ((PyTypeObject *)type)->tp_name : "an exception",
		       what.len ? what.s : "");
	buf_release(&what);
	if (!c->raised)
		host->talk.say(note);
	c->raised = true;
	free(note);
	Py_XDECREF(text);
	Py_XDECREF(tb);
	Py_XDECREF(value);
	Py_XDECREF(type);
}

/* Does it pass? -1: it raised, and the exception is set. */
static int passes(struct condition *c, PyObject *locals)
{
	PyObject *args[64], *v, *r;
	Py_ssize_t i, n = PyTuple_GET_SIZE(c->names);
	int yes;

	for (i = 0; i < n; i++) {
		v = PyDict_GetItemWithError(locals, PyTuple_GET_ITEM(c->names, i));
		args[i] = v ? v : Py_None;
	}
	r = PyObject_Vectorcall(c->fn, args, (size_t)n, NULL);
	yes = r ? PyObject_IsTrue(r) : -1;
	Py_XDECREF(r);
	return yes;
}

static PyObject *condition_holds(PyObject *self, PyObject *locals)
{
	struct condition *c = PyCapsule_GetPointer(self, "cdbg.condition");
	int yes = passes(c, locals);

	if (yes < 0 && !trying)
		say_raised(c);
	PyErr_Clear();
	return PyBool_FromLong(yes > 0);
}

int condition_passes(const struct override *o, PyObject *locals)
{
	int yes = passes(PyCapsule_GetPointer(PyCFunction_GET_SELF(o->kept.check), "cdbg.condition"), locals);

	PyErr_Clear();
	return yes;
}

static PyMethodDef condition_def = { "cdbg_condition", condition_holds, METH_O, NULL };

/* Names of arguments and free variables that the condition uses; those that are not Python names (".0") are skipped. */
static PyObject *names_in(PyCodeObject *co, const char *text)
{
	PyObject *vars = PyCode_GetVarnames(co), *frees = PyCode_GetFreevars(co), *list = PyList_New(0);
	PyObject *all, *name, *out;
	Py_ssize_t i, n = co->co_argcount + co->co_kwonlyargcount + !!(co->co_flags & CO_VARARGS) +
			  !!(co->co_flags & CO_VARKEYWORDS);

	all = vars && frees ? PySequence_Concat(vars, frees) : NULL;
	for (i = 0; all && list && i < PyTuple_GET_SIZE(all); i++) {
		name = PyTuple_GET_ITEM(all, i);
		if ((i < n || i >= PyTuple_GET_SIZE(vars)) && PyUnicode_IsIdentifier(name) &&
		    py_text_has_word(text, strlen(text), PyUnicode_AsUTF8(name)) && PyList_GET_SIZE(list) < 64)
			PyList_Append(list, name);
	}
	out = list ? PyList_AsTuple(list) : NULL;
	PyErr_Clear();
	Py_XDECREF(all);
	Py_XDECREF(list);
	Py_XDECREF(frees);
	Py_XDECREF(vars);
	return out;
}

/* "lambda NAMES: (TEXT)" in these globals: new, NULL with err. */
static PyObject *lambda_of(PyObject *names, const char *text, PyObject *globals, struct err *err)
{
	PyObject *comma = PyUnicode_FromString(", "), *joined = comma ? PyUnicode_Join(comma, names) : NULL;
	PyObject *code, *fn = NULL;
	char *source = mem_fmt("(lambda %s: (%s\n))", joined ? PyUnicode_AsUTF8(joined) : "", text);

	code = joined ? Py_CompileString(source, EDIT_CONDITION, Py_eval_input) : NULL;
	fn = code ? PyEval_EvalCode(code, globals, globals) : NULL;
	if (!fn)
		err_set(err, "'%s' is not a Python expression", text);
	PyErr_Clear();
	Py_XDECREF(code);
	Py_XDECREF(joined);
	Py_XDECREF(comma);
	free(source);
	return fn;
}

static PyObject *globals_of(PyObject *manager)
{
	PyObject *scope = attr(manager, "global_scope"), *g;

	g = scope && PyDict_Check(scope) ? PyDict_GetItemString(scope, "G") : NULL;
	Py_XINCREF(g);
	Py_XDECREF(scope);
	return g ? g : PyDict_New();
}

PyObject *condition_new(struct entry *e, PyObject *manager, const char *text, struct err *err)
{
	PyObject *globals = globals_of(manager), *names = names_in(e->func->co, text), *capsule, *fn = NULL, *held;
	struct condition *c;

	fn = globals && names ? lambda_of(names, text, globals, err) : NULL;
	Py_XDECREF(globals);
	if (!fn) {
		Py_XDECREF(names);
		return NULL;
	}
	c = mem_alloc(sizeof(*c));
	c->fn = fn;
	c->names = names;
	c->text = mem_str(text);
	capsule = PyCapsule_New(c, "cdbg.condition", condition_free);
	held = capsule ? PyCFunction_New(&condition_def, capsule) : NULL;
	Py_XDECREF(capsule);
	if (!held)
		err_set(err, "no memory for the condition");
	PyErr_Clear();
	return held;
}

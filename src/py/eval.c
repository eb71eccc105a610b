/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions and statements of the user's, run in a frame's names.  Knows no stop: its caller has the bracket. */
#include <Python.h>
#include <ctype.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/eval.h"
#include "py/value.h"

struct expr {
	char *text;
	PyObject *code;
	bool nested;                         /* has lambdas or comprehensions, which see globals only */
};

static PyObject *prompt_names;               /* dict: names made at the prompt that are nobody's local; owned */

/* ---- the text -------------------------------------------------------------------------------------------- */

/* `$3` is `__stack__[3]`, outside strings and comments. */
static char *rewrite(const char *text)
{
	struct buf out = { 0 };
	const char *p = text, *end;
	char quote;
	bool triple;

	while (*p) {
		if (*p == '#') {
			end = p + strcspn(p, "\n");
		} else if (*p == '\'' || *p == '"') {
			quote = *p;
			triple = p[1] == quote && p[2] == quote;
			end = p + (triple ? 3 : 1);
			while (*end && !(*end == quote && (!triple || (end[1] == quote && end[2] == quote))))
				end += *end == '\\' && end[1] ? 2 : 1;
			if (*end)
				end += triple ? 3 : 1;
		} else if (*p == '$' && isdigit((unsigned char)p[1])) {
			end = p + 1;
			while (isdigit((unsigned char)*end))
				end++;
			buf_addf(&out, "__stack__[%.*s]", (int)(end - p - 1), p + 1);
			p = end;
			continue;
		} else
			end = p + 1;
		buf_add(&out, p, (size_t)(end - p));
		p = end;
	}
	return buf_detach(&out);
}

static PyObject *compile(const char *text, int start)
{
	char *source = rewrite(text);
	PyObject *code = Py_CompileStringExFlags(source, "<cdbg>", start, NULL, -1);

	free(source);
	return code;
}

static bool has_nested(PyObject *code)
{
	PyObject *consts = ((PyCodeObject *)code)->co_consts;
	Py_ssize_t i;

	for (i = 0; i < PyTuple_GET_SIZE(consts); i++)
		if (PyCode_Check(PyTuple_GET_ITEM(consts, i)))
			return true;
	return false;
}

struct expr *expr_new(const char *text, struct err *err)
{
	struct expr *e;
	PyObject *code;

	while (isspace((unsigned char)*text))
		text++;
	if (!*text) {
		err_set(err, "an expression is missing");
		return NULL;
	}
	code = compile(text, Py_eval_input);
	if (!code) {
		err_from_python(err, NULL);
		return NULL;
	}
	e = mem_alloc(sizeof(*e));
	e->text = mem_str(text);
	e->code = code;
	e->nested = has_nested(code);
	return e;
}

void expr_free(struct expr *e)
{
	if (!e)
		return;
	Py_DECREF(e->code);
	free(e->text);
	free(e);
}

const char *expr_text(const struct expr *e)
{
	return e->text;
}

int eval_complete(const char *text)
{
	PyObject *module = PyImport_ImportModule("codeop");
	PyObject *r = module ? PyObject_CallMethod(module, "compile_command", "sss", text, "<cdbg>", "exec") : NULL;
	int answer = !r ? -1 : r == Py_None;

	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(module);
	return answer;
}

/* ---- the value stack as a list ------------------------------------------------------------------------------ */

static PyObject *null_repr(PyObject *self)
{
	(void)self;
	return PyUnicode_FromString("<NULL>");
}

static PyTypeObject null_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "cdbg.NULL",
	.tp_basicsize = sizeof(PyObject),
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_repr = null_repr,
	.tp_doc = "stands for an empty slot of the value stack",
};

static PyObject *slot_object(const struct slot *slot)
{
	if (slot->kind == SLOT_OBJECT)
		return Py_NewRef((PyObject *)slot->value);
	if (slot->kind == SLOT_INT)
		return PyLong_FromLong(slot->number);
	if (PyType_Ready(&null_type) < 0)
		return NULL;
	return (PyObject *)PyObject_New(PyObject, &null_type);
}

static PyObject *stack_list(const struct scope *sc)
{
	int depth = sc->frame ? frame_depth(sc->frame, sc->at_event) : 0, i;
	PyObject *list = PyList_New(depth > 0 ? depth : 0), *item;
	struct slot slot;

	for (i = 0; list && i < depth; i++) {
		frame_slot(sc->frame, i, &slot);
		item = slot_object(&slot);
		if (!item)
			Py_CLEAR(list);
		else
			PyList_SET_ITEM(list, i, item);
	}
	return list;
}

/* ---- names ---------------------------------------------------------------------------------------------------- */

static bool is_function(struct py_frame *f)
{
	return f && (((PyCodeObject *)frame_code(f)->co)->co_flags & CO_OPTIMIZED);
}

/* Index among the frame's locals, or -1. */
static int local_index(struct code *c, PyObject *name)
{
	PyObject *names = ((PyCodeObject *)c->co)->co_localsplusnames;
	Py_ssize_t i, n = PyTuple_GET_SIZE(names);

	for (i = 0; i < n; i++)
		if (PyTuple_GET_ITEM(names, i) == name)
			return (int)i;
	for (i = 0; i < n; i++)
		if (!PyUnicode_Compare(PyTuple_GET_ITEM(names, i), name))
			return (int)i;
	return -1;
}

static PyObject *globals_of(const struct scope *sc)
{
	PyObject *main;

	if (sc->globals)
		return (PyObject *)sc->globals;
	if (sc->frame)
		return (PyObject *)frame_globals(sc->frame);
	main = PyImport_AddModule("__main__");       /* borrowed */
	return main ? PyModule_GetDict(main) : NULL;
}

/* The locals of a module's or class's body are a real mapping: a new reference. */
static PyObject *body_locals(const struct scope *sc)
{
	PyObject *locals;

	if (sc->locals)
		return Py_NewRef((PyObject *)sc->locals);
	if (!sc->frame)
		return Py_XNewRef(globals_of(sc));
	locals = PyFrame_GetLocals((PyFrameObject *)sc->frame);
	return locals;
}

/* Put the name's value into dict, where a local, a prompt's name or the stack has it.  -1: exception. */
static int add_name(PyObject *dict, PyObject *name, const struct scope *sc)
{
	PyObject *value = NULL, *list;
	int i, r;

	if (sc->locals && PyDict_Check((PyObject *)sc->locals))
		value = PyDict_GetItemWithError((PyObject *)sc->locals, name);
	else if (is_function(sc->frame)) {
		i = local_index(frame_code(sc->frame), name);
		value = i >= 0 ? (PyObject *)frame_local(sc->frame, i) : NULL;
	}
	if (!value && prompt_names)
		value = PyDict_GetItemWithError(prompt_names, name);
	if (value)
		return PyDict_SetItem(dict, name, value);
	if (PyErr_Occurred())
		return -1;
	if (PyUnicode_CompareWithASCIIString(name, "__stack__"))
		return 0;
	list = stack_list(sc);
	r = list ? PyDict_SetItem(dict, name, list) : -1;
	Py_XDECREF(list);
	return r;
}

/* Names that the code (and code inside it) uses, as a new dict of those that are locals. */
static int used_names(PyObject *dict, PyCodeObject *code, const struct scope *sc)
{
	PyObject *names = code->co_names, *item;
	Py_ssize_t i;

	for (i = 0; i < PyTuple_GET_SIZE(names); i++)
		if (add_name(dict, PyTuple_GET_ITEM(names, i), sc) < 0)
			return -1;
	for (i = 0; i < PyTuple_GET_SIZE(code->co_consts); i++) {
		item = PyTuple_GET_ITEM(code->co_consts, i);
		if (PyCode_Check(item) && used_names(dict, (PyCodeObject *)item, sc) < 0)
			return -1;
	}
	return 0;
}

/* ---- expressions ------------------------------------------------------------------------------------------------ */

/* Inner functions look names up in globals alone, so they get globals that hold the locals too. */
static PyObject *merged(PyObject *globals, PyObject *names)
{
	PyObject *all = PyDict_Copy(globals);

	if (all && PyDict_Update(all, names) < 0)
		Py_CLEAR(all);
	return all;
}

static PyObject *run_expression(PyObject *code, bool nested, const struct scope *sc)
{
	/* owned */
	PyObject *names = PyDict_New(), *all = NULL, *value = NULL;
	/* borrowed */
	PyObject *globals = globals_of(sc);

	if (!names || !globals || used_names(names, (PyCodeObject *)code, sc) < 0)
		goto out;
	if (sc->frame && !sc->locals && !is_function(sc->frame)) {
		/* a class body's own names; a module's are its globals */
		PyObject *body = body_locals(sc);

		if (body && body != globals && PyDict_Check(body))
			PyDict_Merge(names, body, 0);
		Py_XDECREF(body);
	}
	if (nested) {
		all = merged(globals, names);
		if (!all)
			goto out;
	}
	value = PyEval_EvalCode(code, all ? all : globals, names);
out:
	Py_XDECREF(all);
	Py_XDECREF(names);
	return value;
}

struct py_obj *expr_eval(struct expr *e, const struct scope *sc, struct err *err)
{
	PyObject *value = run_expression(e->code, e->nested, sc);

	if (!value)
		err_from_python(err, NULL);
	return (struct py_obj *)value;
}

int expr_true(struct expr *e, const struct scope *sc, struct err *err)
{
	PyObject *value = (PyObject *)expr_eval(e, sc, err);
	int r = -1;

	if (!value)
		return -1;
	r = PyObject_IsTrue(value);
	Py_DECREF(value);
	if (r < 0)
		err_from_python(err, NULL);
	return r;
}

struct py_obj *eval_text(const char *text, const struct scope *sc, struct err *err)
{
	struct expr *e = expr_new(text, err);
	struct py_obj *value = e ? expr_eval(e, sc, err) : NULL;

	expr_free(e);
	return value;
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

/* What a statement changed goes where it belongs: the frame's local, else the names of the prompt. */
static int write_back(PyObject *before, PyObject *after, const struct scope *sc, struct err *err)
{
	PyObject *name, *value, *old;
	Py_ssize_t pos = 0;
	const char *text;

	while (PyDict_Next(after, &pos, &name, &value)) {
		old = PyDict_GetItemWithError(before, name);
		if (old == value || !PyUnicode_Check(name))
			continue;
		text = PyUnicode_AsUTF8(name);
		if (!text || !strcmp(text, "__builtins__") || !strcmp(text, "__stack__"))
			continue;
		if (!sc->locals && local_index(frame_code(sc->frame), name) >= 0) {
			if (frame_set_local(sc->frame, text, (struct py_obj *)value, err) < 0)
				return -1;
			continue;
		}
		if (!prompt_names && !(prompt_names = PyDict_New()))
			return err_from_python(err, NULL);
		if (PyDict_SetItem(prompt_names, name, value) < 0)
			return err_from_python(err, NULL);
	}
	return 0;
}

/* Globals that code ran with a copy of: what it changed there goes into the real ones. */
static void write_globals(PyObject *copy, PyObject *globals, PyObject *locals)
{
	PyObject *name, *value;
	Py_ssize_t pos = 0;

	while (PyDict_Next(copy, &pos, &name, &value))
		if (!PyDict_Contains(locals, name) && PyDict_GetItemWithError(globals, name) != value)
			PyDict_SetItem(globals, name, value);
	PyErr_Clear();
}

static int run_in_function(PyObject *code, const struct scope *sc, struct err *err)
{
	/* owned */
	PyObject *locals = NULL, *before = NULL, *all = NULL, *stack = NULL, *value = NULL;
	/* borrowed */
	PyObject *globals = globals_of(sc);
	int ret = -1;

	locals = prompt_names ? PyDict_Copy(prompt_names) : PyDict_New();
	before = sc->locals ? Py_NewRef((PyObject *)sc->locals) : (PyObject *)frame_locals_dict(sc->frame);
	stack = stack_list(sc);
	if (!globals || !locals || !before || !stack || PyDict_Update(locals, before) < 0 ||
	    PyDict_SetItemString(locals, "__stack__", stack) < 0)
		goto out;
	Py_SETREF(before, PyDict_Copy(locals));
	if (!before)
		goto out;
	if (has_nested(code)) {
		all = merged(globals, locals);
		if (!all)
			goto out;
	}
	value = PyEval_EvalCode(code, all ? all : globals, locals);
	if (all)
		write_globals(all, globals, locals);
	/* what was assigned before an exception is kept, as in a function */
	if (!value)
		err_from_python(err, NULL);
	ret = write_back(before, locals, sc, value ? err : NULL);
	if (!value)
		ret = -1;
out:
	if (PyErr_Occurred())
		ret = err_from_python(err, NULL);
	Py_XDECREF(value);
	Py_XDECREF(stack);
	Py_XDECREF(all);
	Py_XDECREF(before);
	Py_XDECREF(locals);
	return ret;
}

static int run_in_body(PyObject *code, const struct scope *sc, struct err *err)
{
	PyObject *locals = body_locals(sc);
	PyObject *globals = globals_of(sc);
	PyObject *value = locals && globals ? PyEval_EvalCode(code, globals, locals) : NULL;

	Py_XDECREF(locals);
	if (!value)
		return err_from_python(err, NULL);
	Py_DECREF(value);
	return 0;
}

int eval_exec(const char *text, const struct scope *sc, struct py_obj **value, struct err *err)
{
	PyObject *code;
	int ret;

	*value = NULL;
	while (*text == ' ' || *text == '\t')
		text++;
	code = compile(text, Py_eval_input);
	if (code) {
		*value = (struct py_obj *)run_expression(code, has_nested(code), sc);
		Py_DECREF(code);
		if (!*value)
			return err_from_python(err, NULL);
		if ((PyObject *)*value == Py_None) {
			py_unref(*value);
			*value = NULL;
		}
		return 0;
	}
	PyErr_Clear();
	code = compile(text, Py_file_input);
	if (!code)
		return err_from_python(err, NULL);
	if (sc->locals || is_function(sc->frame))
		ret = run_in_function(code, sc, err);
	else
		ret = run_in_body(code, sc, err);
	Py_DECREF(code);
	return ret;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiles expressions that the user typed, and evaluates them with the names of a frame. Knows no stop: the caller
   saves and restores the program's state. */
#include <Python.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/interp/eval_impl.h"
#include "py/value/value.h"

struct expr {
	int users;
	char *text;
	PyObject *code;
	bool nested; /* it has lambdas or comprehensions, which see globals only */
	bool all;    /* it calls locals() or similar: it gets all names, not only those that it uses */
};

/* ---- the text -------------------------------------------------------------------------------------------- */

char *eval_rewrite(const char *text)
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

PyObject *eval_compile(const char *text, int start)
{
	char *source = eval_rewrite(text);
	PyObject *code = Py_CompileStringExFlags(source, "<cdbg>", start, NULL, -1);

	free(source);
	return code;
}

static long attr_number(PyObject *o, const char *name)
{
	PyObject *v = (PyObject *)value_attr((struct py_obj *)o, name);
	long n = v && PyLong_Check(v) ? PyLong_AsLong(v) : -1;

	PyErr_Clear();
	Py_XDECREF(v);
	return n;
}

/* Describes a syntax error with its position in the text that the user typed, and any other exception by its own
   text. */
int eval_syntax(struct err *err, const char *text)
{
	/* owned */
	PyObject *type, *value, *tb, *msg;
	struct buf what = { 0 };
	long line, column;

	if (!PyErr_ExceptionMatches(PyExc_SyntaxError))
		return err_from_python(err, NULL);
	PyErr_Fetch(&type, &value, &tb);
	PyErr_NormalizeException(&type, &value, &tb);
	msg = (PyObject *)value_attr((struct py_obj *)value, "msg");
	if (msg && PyUnicode_Check(msg))
		value_text((struct py_obj *)msg, &what, sizeof(err->text));
	else
		buf_adds(&what, "invalid syntax");
	line = attr_number(value, "lineno");
	column = attr_number(value, "offset");
	if (strchr(text, '\n'))
		err_set(err, "SyntaxError: %s, at line %ld", buf_str(&what), line);
	else if (column > 0 && !strchr(text, '$'))
		err_set(err, "SyntaxError: %s, at column %ld of '%s'", buf_str(&what), column, text);
	else
		err_set(err, "SyntaxError: %s, in '%s'", buf_str(&what), text);
	PyErr_Clear();
	buf_release(&what);
	Py_XDECREF(msg);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(tb);
	return -1;
}

static bool eval_has_nested(PyObject *code)
{
	PyObject *consts = ((PyCodeObject *)code)->co_consts;
	Py_ssize_t i;

	for (i = 0; i < PyTuple_GET_SIZE(consts); i++)
		if (PyCode_Check(PyTuple_GET_ITEM(consts, i)))
			return true;
	return false;
}

bool eval_uses(PyObject *code, const char *name)
{
	PyObject *names = ((PyCodeObject *)code)->co_names;
	PyObject *consts = ((PyCodeObject *)code)->co_consts;
	Py_ssize_t i;

	for (i = 0; i < PyTuple_GET_SIZE(names); i++)
		if (!PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), name))
			return true;
	for (i = 0; i < PyTuple_GET_SIZE(consts); i++)
		if (PyCode_Check(PyTuple_GET_ITEM(consts, i)) && eval_uses(PyTuple_GET_ITEM(consts, i), name))
			return true;
	return false;
}

struct expr *expr_new(const char *text, struct err *err)
{
	/* owned; a pending exception stays pending */
	PyObject *type, *value, *tb, *code;
	struct expr *e = NULL;

	while (isspace((unsigned char)*text))
		text++;
	if (!*text) {
		err_set(err, "an expression is missing");
		return NULL;
	}
	PyErr_Fetch(&type, &value, &tb);
	code = eval_compile(text, Py_eval_input);
	if (code) {
		e = mem_alloc(sizeof(*e));
		e->users = 1;
		e->text = mem_str(text);
		e->code = code;
		e->nested = eval_has_nested(code);
		e->all = eval_uses(code, "locals") || eval_uses(code, "vars") || eval_uses(code, "dir") ||
			 eval_uses(code, "eval") || eval_uses(code, "exec");
	} else
		eval_syntax(err, text);
	PyErr_Restore(type, value, tb);
	return e;
}

struct expr *expr_ref(struct expr *e)
{
	if (e)
		e->users++;
	return e;
}

void expr_unref(struct expr *e)
{
	if (!e || --e->users)
		return;
	py_unref_later(e->code);
	free(e->text);
	free(e);
}

const char *expr_text(const struct expr *e)
{
	return e->text;
}

/* ---- the value stack as a list ------------------------------------------------------------------------------ */

static PyObject *null_repr(PyObject *self)
{
	(void)self;
	return PyUnicode_FromString("<NULL>");
}

static PyTypeObject null_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "cdbg.NULL",
	.tp_basicsize = sizeof(PyObject),
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_repr = null_repr,
	.tp_doc = "stands for an empty slot of the value stack",
};

static PyObject *slot_object(const struct stack_slot *slot)
{
	if (slot->kind == SLOT_OBJECT)
		return Py_NewRef((PyObject *)slot->value);
	if (slot->kind == SLOT_INT)
		return PyLong_FromLong(slot->number);
	if (PyType_Ready(&null_type) < 0)
		return NULL;
	return (PyObject *)PyObject_New(PyObject, &null_type);
}

PyObject *eval_stack(const struct scope *sc)
{
	int depth = sc->frame ? frame_depth(sc->frame, sc->at_event) : 0, i;
	PyObject *list = PyList_New(depth > 0 ? depth : 0), *item;
	struct stack_slot slot;

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

PyObject *eval_prompt_names;

bool eval_in_function(const struct scope *sc)
{
	return sc->frame && (((PyCodeObject *)frame_code(sc->frame)->co)->co_flags & CO_OPTIMIZED);
}

PyObject *eval_globals(const struct scope *sc)
{
	PyObject *main;

	if (sc->globals)
		return (PyObject *)sc->globals;
	if (sc->frame)
		return (PyObject *)frame_globals(sc->frame);
	main = PyImport_AddModule("__main__"); /* borrowed */
	return main ? PyModule_GetDict(main) : NULL;
}

/* Names in code and names of variables are interned: equal names are the same object. */
static PyObject *local_value(struct py_frame *f, PyObject *name)
{
	PyObject *names = ((PyCodeObject *)frame_code(f)->co)->co_localsplusnames;
	Py_ssize_t i, n = PyTuple_GET_SIZE(names);

	for (i = 0; i < n; i++)
		if (PyTuple_GET_ITEM(names, i) == name)
			return (PyObject *)frame_local(f, (int)i);
	return NULL;
}

/* The value of the name in the scope without its globals: a new reference, or NULL with or without an exception. */
static PyObject *scope_value(const struct scope *sc, PyObject *name)
{
	PyObject *names = NULL, *value;

	if (sc->locals && PyDict_Check((PyObject *)sc->locals))
		return Py_XNewRef(PyDict_GetItemWithError((PyObject *)sc->locals, name));
	if (!sc->frame)
		return NULL;
	value = local_value(sc->frame, name);
	if (!value && sc->kept)
		value = PyDict_GetItemWithError((PyObject *)sc->kept, name);
	if (value)
		return Py_NewRef(value);
	if (!eval_in_function(sc))
		names = (PyObject *)py_frame_names(sc->frame);
	if (!names || names == (PyObject *)frame_globals(sc->frame))
		return NULL;
	value = PyObject_GetItem(names, name);
	if (!value && PyErr_ExceptionMatches(PyExc_KeyError))
		PyErr_Clear();
	return value;
}

/* Stores the value of the name in dict: that of a local, else, unless there is a global, that of the prompt or of
   the stack. */
static int scope_add_name(PyObject *dict, PyObject *name, PyObject *globals, const struct scope *sc)
{
	PyObject *value = scope_value(sc, name);
	int r = 0;

	if (!value && !PyErr_Occurred() && !PyDict_GetItemWithError(globals, name)) {
		if (eval_prompt_names)
			value = Py_XNewRef(PyDict_GetItemWithError(eval_prompt_names, name));
		if (!value && !PyErr_Occurred() && !PyUnicode_CompareWithASCIIString(name, "__stack__"))
			value = eval_stack(sc);
	}
	if (value)
		r = PyDict_SetItem(dict, name, value);
	Py_XDECREF(value);
	return PyErr_Occurred() ? -1 : r;
}

/* The names that the code and the code inside it use. */
static int add_used(PyObject *dict, PyCodeObject *code, PyObject *globals, const struct scope *sc)
{
	PyObject *names = code->co_names, *item;
	Py_ssize_t i;

	for (i = 0; i < PyTuple_GET_SIZE(names); i++)
		if (scope_add_name(dict, PyTuple_GET_ITEM(names, i), globals, sc) < 0)
			return -1;
	for (i = 0; i < PyTuple_GET_SIZE(code->co_consts); i++) {
		item = PyTuple_GET_ITEM(code->co_consts, i);
		if (PyCode_Check(item) && add_used(dict, (PyCodeObject *)item, globals, sc) < 0)
			return -1;
	}
	return 0;
}

PyObject *eval_locals(const struct scope *sc)
{
	PyObject *all;

	if (sc->locals)
		return PyDict_Check((PyObject *)sc->locals) ? PyDict_Copy((PyObject *)sc->locals) : PyDict_New();
	if (!sc->frame)
		return PyDict_New();
	all = (PyObject *)frame_locals_dict(sc->frame);
	return all || PyErr_Occurred() ? all : PyErr_NoMemory();
}

/* ---- expressions ------------------------------------------------------------------------------------------------ */

static PyObject *expr_run(struct expr *e, const struct scope *sc)
{
	/* owned */
	PyObject *names = e->all ? eval_locals(sc) : PyDict_New();
	PyObject *all = NULL, *value = NULL;
	/* borrowed */
	PyObject *globals = eval_globals(sc);

	if (!names || !globals || add_used(names, (PyCodeObject *)e->code, globals, sc) < 0)
		goto out;
	/* inner functions look names up in globals alone, so they get globals that hold the locals too */
	if (e->nested && PyDict_GET_SIZE(names)) {
		all = PyDict_Copy(globals);
		if (!all || PyDict_Update(all, names) < 0)
			goto out;
	}
	value = PyEval_EvalCode(e->code, all ? all : globals, names);
out:
	Py_XDECREF(all);
	Py_XDECREF(names);
	return value;
}

struct py_obj *expr_eval(struct expr *e, const struct scope *sc, struct err *err)
{
	PyObject *type, *pending, *tb, *value;

	PyErr_Fetch(&type, &pending, &tb);
	value = expr_run(e, sc);
	if (!value)
		err_from_python(err, NULL);
	PyErr_Restore(type, pending, tb);
	return (struct py_obj *)value;
}

int expr_true(struct expr *e, const struct scope *sc, struct err *err)
{
	PyObject *type, *pending, *tb, *value;
	int r = -1;

	PyErr_Fetch(&type, &pending, &tb);
	value = expr_run(e, sc);
	if (value)
		r = PyObject_IsTrue(value);
	if (r < 0)
		err_from_python(err, NULL);
	Py_XDECREF(value);
	PyErr_Restore(type, pending, tb);
	return r;
}

struct py_obj *eval_text(const char *text, const struct scope *sc, struct err *err)
{
	struct expr *e = expr_new(text, err);
	struct py_obj *value = e ? expr_eval(e, sc, err) : NULL;

	expr_unref(e);
	return value;
}

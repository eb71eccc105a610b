/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements typed by the user, run in a frame's names; stores what they assign into the frame or its globals. */
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/interp/eval_impl.h"
#include "py/value/value.h"

/* ---- is it whole? ------------------------------------------------------------------------------- */

static PyObject *complete_compile(const char *text, int start, int flags)
{
	PyCompilerFlags cf = _PyCompilerFlags_INIT;

	cf.cf_flags = flags;
	return Py_CompileStringExFlags(text, "<cdbg>", start, &cf, -1);
}

enum complete { COMPLETE, COMPLETE_MORE, COMPLETE_WRONG };

static enum complete complete_try(const char *text, int start)
{
	/* owned */
	PyObject *code = complete_compile(text, start, PyCF_DONT_IMPLY_DEDENT | PyCF_ALLOW_INCOMPLETE_INPUT);
	PyObject *type, *value, *tb, *msg;
	const char *s;
	bool more;

	if (code) {
		Py_DECREF(code);
		return COMPLETE;
	}
	PyErr_Fetch(&type, &value, &tb);
	PyErr_NormalizeException(&type, &value, &tb);
	msg = value ? PyObject_Str(value) : NULL;
	s = msg ? PyUnicode_AsUTF8(msg) : NULL;
	more = s && strstr(s, "incomplete input");
	PyErr_Clear();
	Py_XDECREF(msg);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(tb);
	return more ? COMPLETE_MORE : COMPLETE_WRONG;
}

/* Mirrors Lib/codeop.py: if one more newline changes whether it is complete, more lines are needed. */
static enum complete complete_text(const char *text)
{
	char *line = mem_fmt("%s\n", text);
	enum complete how = complete_try(text, Py_single_input);

	if (how != COMPLETE)
		how = complete_try(line, Py_single_input) == COMPLETE_WRONG ? COMPLETE_WRONG : COMPLETE_MORE;
	if (how == COMPLETE_WRONG) /* several statements */
		how = complete_try(line, Py_file_input);
	free(line);
	return how;
}

int eval_complete(const char *text)
{
	/* owned; a pending exception stays pending */
	PyObject *type, *value, *tb;
	const char *p = text;
	char *source;
	enum complete how;

	while (*(p += strspn(p, " \t\n")) == '#')
		p += strcspn(p, "\n");
	if (!*p)
		return 0; /* nothing, or comments */
	source = eval_rewrite(text);
	PyErr_Fetch(&type, &value, &tb);
	how = complete_text(source);
	PyErr_Restore(type, value, tb);
	free(source);
	return how == COMPLETE ? 0 : how == COMPLETE_MORE ? 1 : -1;
}

/* ---- what was assigned -------------------------------------------------------------------------- */

/* The names that the statements declare global. */
static bool exec_says_global(PyObject *code, PyObject *name)
{
	struct code *c = code_get((struct py_code *)code);
	int i;

	code_decode(c);
	for (i = 0; i < c->n; i++)
		if (!strcmp(py_op_name(c->instr[i].op), "STORE_GLOBAL") && (PyObject *)code_arg_object(c, i) == name)
			return true;
	return false;
}

static bool exec_is_local(const struct scope *sc, const char *name)
{
	struct code *c = frame_code(sc->frame);
	int i;

	for (i = 0; i < code_nlocals(c); i++)
		if (!strcmp(code_local_name(c, i), name))
			return true;
	return false;
}

/* True if the name is in scope.kept and no bound local hides it. */
static bool exec_is_kept(const struct scope *sc, PyObject *name)
{
	PyObject *locals = sc->kept && PyDict_GetItemWithError((PyObject *)sc->kept, name) ? eval_locals(sc) : NULL;
	bool yes = locals && !PyDict_GetItemWithError(locals, name);

	Py_XDECREF(locals);
	return yes;
}

/* Assigns to the variable that an expression would find: the local, the global, else a name of the prompt. */
static int exec_assign(PyObject *code, PyObject *name, PyObject *value, const struct scope *sc, struct err *err)
{
	PyObject *globals = eval_globals(sc), *locals = (PyObject *)sc->locals;
	const char *text = PyUnicode_AsUTF8(name);

	if (!text)
		return err_from_python(err, NULL);
	if (!strcmp(text, "__builtins__") || !strcmp(text, "__stack__"))
		return 0;
	if (!exec_says_global(code, name)) {
		if (locals && PyDict_Check(locals) && PyDict_GetItemWithError(locals, name))
			return PyDict_SetItem(locals, name, value) < 0 ? err_from_python(err, NULL) : 0;
		if (exec_is_kept(sc, name))
			return err_set(err,
				       "cannot assign '%s': it is in a list, kept for the function that continues this "
				       "one; 'set var %s = ...' writes it",
				       text, text);
		if (!locals && exec_is_local(sc, text))
			return frame_set_local(sc->frame, text, (struct py_obj *)value, err);
		if (!PyDict_GetItemWithError(globals, name)) {
			if (!eval_prompt_names)
				eval_prompt_names = PyDict_New();
			globals = eval_prompt_names;
		}
	}
	if (!globals || PyDict_SetItem(globals, name, value) < 0)
		return err_from_python(err, NULL);
	return 0;
}

static int exec_delete(PyObject *name, const struct scope *sc, struct err *err)
{
	PyObject *globals = eval_globals(sc);
	const char *text = PyUnicode_AsUTF8(name);

	if (!text)
		return err_from_python(err, NULL);
	if (sc->locals || exec_is_local(sc, text))
		return err_set(err, "'%s' was not deleted: a local can be set, not deleted", text);
	if (eval_prompt_names && PyDict_GetItemWithError(eval_prompt_names, name))
		globals = eval_prompt_names;
	return PyDict_DelItem(globals, name) < 0 ? err_from_python(err, NULL) : 0;
}

/* The names whose values differ from those in `before`: name, value, name, value; a deleted name has itself as its
   value. */
static PyObject *exec_changes(PyObject *before, PyObject *after, PyObject *gone)
{
	PyObject *list = PyList_New(0), *name, *value;
	Py_ssize_t pos = 0;

	while (list && PyDict_Next(after, &pos, &name, &value))
		if (PyUnicode_CheckExact(name) && PyDict_GetItemWithError(before, name) != value &&
		    (PyList_Append(list, name) < 0 || PyList_Append(list, value) < 0))
			Py_CLEAR(list);
	for (pos = 0; list && PyDict_Next(before, &pos, &name, &value);)
		if (PyUnicode_CheckExact(name) && !PyDict_GetItemWithError(after, name) &&
		    PyList_Append(gone, name) < 0)
			Py_CLEAR(list);
	return list;
}

static int exec_write_back(PyObject *code, PyObject *before, PyObject *after, const struct scope *sc, struct err *err)
{
	/* owned */
	PyObject *gone = PyList_New(0);
	PyObject *changed = gone ? exec_changes(before, after, gone) : NULL;
	Py_ssize_t i;
	int ret = 0;

	if (!changed) {
		Py_XDECREF(gone);
		return err_from_python(err, NULL);
	}
	for (i = 0; i + 1 < PyList_GET_SIZE(changed); i += 2)
		if (exec_assign(code, PyList_GET_ITEM(changed, i), PyList_GET_ITEM(changed, i + 1), sc, err) < 0)
			ret = -1;
	for (i = 0; i < PyList_GET_SIZE(gone); i++)
		if (exec_delete(PyList_GET_ITEM(gone, i), sc, err) < 0)
			ret = -1;
	Py_DECREF(changed);
	Py_DECREF(gone);
	return ret;
}

/* ---- running ------------------------------------------------------------------------------------ */

/*
 * One dict holds all visible names, so that functions and comprehensions of the statements see locals too. It is a
 * copy: changed values are written to the frame afterwards, also if an exception ended the statements, as in a
 * function.
 */
static int exec_in_function(PyObject *code, const struct scope *sc, struct err *err)
{
	/* owned */
	PyObject *locals = eval_locals(sc), *all = NULL, *before = NULL, *stack = NULL, *value = NULL;
	/* borrowed */
	PyObject *globals = eval_globals(sc);
	int ret = -1;

	all = globals ? PyDict_Copy(globals) : NULL;
	if (!all || !locals || (eval_prompt_names && PyDict_Merge(all, eval_prompt_names, 0) < 0) ||
	    PyDict_Update(all, locals) < 0)
		goto out;
	if (eval_uses(code, "__stack__")) {
		stack = eval_stack(sc);
		if (!stack || PyDict_SetItemString(all, "__stack__", stack) < 0)
			goto out;
	}
	before = PyDict_Copy(all);
	if (!before)
		goto out;
	value = PyEval_EvalCode(code, all, all);
	if (!value)
		err_from_python(err, NULL);
	ret = exec_write_back(code, before, all, sc, value ? err : NULL);
	if (!value)
		ret = -1;
out:
	if (PyErr_Occurred())
		ret = err_from_python(err, NULL);
	Py_XDECREF(value);
	Py_XDECREF(stack);
	Py_XDECREF(before);
	Py_XDECREF(all);
	Py_XDECREF(locals);
	return ret;
}

/* In the body of a module or class, the statements use the mapping of its names directly. */
static int exec_in_body(PyObject *code, const struct scope *sc, struct err *err)
{
	/* owned */
	PyObject *stack = eval_uses(code, "__stack__") ? eval_stack(sc) : NULL, *value = NULL;
	/* borrowed */
	PyObject *globals = eval_globals(sc);
	PyObject *names = sc->frame ? (PyObject *)py_frame_names(sc->frame) : NULL;

	if (!names)
		names = globals;
	if (names && (!stack || PyMapping_SetItemString(names, "__stack__", stack) == 0))
		value = PyEval_EvalCode(code, globals, names);
	if (!value)
		err_from_python(err, NULL);
	if (stack && PyMapping_DelItemString(names, "__stack__") < 0)
		PyErr_Clear();
	Py_XDECREF(stack);
	Py_XDECREF(value);
	return value ? 0 : -1;
}

static int exec_run(const char *text, const struct scope *sc, struct py_obj **value, struct err *err)
{
	PyObject *code = eval_compile(text, Py_eval_input);
	int ret;

	if (code) {
		Py_DECREF(code);
		*value = eval_text(text, sc, err);
		if ((PyObject *)*value == Py_None) {
			Py_CLEAR(*(PyObject **)value);
			return 0;
		}
		return *value ? 0 : -1;
	}
	PyErr_Clear();
	code = eval_compile(text, Py_file_input);
	if (!code)
		return eval_syntax(err, text);
	ret = sc->locals || eval_in_function(sc) ? exec_in_function(code, sc, err) : exec_in_body(code, sc, err);
	Py_DECREF(code);
	return ret;
}

int eval_exec(const char *text, const struct scope *sc, struct py_obj **value, struct err *err)
{
	/* owned; a pending exception stays pending */
	PyObject *type, *pending, *tb;
	int ret;

	*value = NULL;
	while (*text == ' ' || *text == '\t')
		text++;
	PyErr_Fetch(&type, &pending, &tb);
	ret = exec_run(text, sc, value, err);
	PyErr_Restore(type, pending, tb);
	return ret;
}

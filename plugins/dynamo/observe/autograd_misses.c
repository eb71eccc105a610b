/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled autograd's reasons why it captures again: torch tells them to a logger, which is cdbg's here and passes them
   on to the one that the program set.  Does not depend on captures. */
#include "observe/dynamo_observe.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

static char *reasons;	 /* those that no capture has yet; under the GIL, as all of this file */
static PyObject *theirs; /* owned: the program's logger, or NULL */
static PyObject *ours;	 /* owned; torch may borrow it, so that it lives as long as the process */

/* torch calls debug(text); the program's logger gets each text, too. */
static PyObject *logger_debug(PyObject *self, PyObject *text)
{
	const char *said = py_text_utf8(text);
	char *before = reasons;

	(void)self;
	if (said && py_text_begins_with(said, "Cache miss")) {
		reasons = mem_fmt("%s%s%s", before ? before : "", before ? "\n" : "", said);
		free(before);
	}
	PyErr_Clear();
	if (theirs)
		return PyObject_CallMethod(theirs, "debug", "O", text);
	Py_RETURN_NONE;
}

/* What else a logger has is that of the program's. */
static PyObject *logger_getattr(PyObject *self, PyObject *name)
{
	bool own = !theirs || (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "debug") == 0);

	return own ? PyObject_GenericGetAttr(self, name) : PyObject_GetAttr(theirs, name);
}

static PyMethodDef methods[] = {
	{ "debug", logger_debug, METH_O, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyTypeObject type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "cdbg.logger",
	.tp_basicsize = sizeof(PyObject),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_getattro = logger_getattr,
	.tp_methods = methods,
};

static bool have_logger(void)
{
	if (!ours && PyType_Ready(&type) == 0)
		ours = PyObject_New(PyObject, &type);
	PyErr_Clear();
	return ours != NULL;
}

static void give(PyObject *logger)
{
	PyObject *set = attrs_original(ATTR_AUTOGRAD_LOGGER), *r = set ? PyObject_CallOneArg(set, logger) : NULL;

	PyErr_Clear();
	Py_XDECREF(r);
	Py_XDECREF(set);
}

/* set_verbose_logger(logger): None takes it away. */
static void logger_comes(struct call *call)
{
	PyObject *logger = call->n == 1 && !call->names ? call->arg[0] : NULL;

	if (!logger || !have_logger())
		return;
	Py_XSETREF(theirs, logger == Py_None ? NULL : Py_NewRef(logger));
	call->own = mem_alloc(sizeof(*call->own));
	call->own[0] = ours;
}

/* set_autograd_compiler(compiler, dynamic): compiled autograd is on from here; torch gives it a logger only if its logs
   are on. */
static void compiler_comes(struct call *call)
{
	if (call->result && call->n && call->arg[0] != Py_None && have_logger())
		give(ours);
}

const struct watcher watch_autograd_logger = { .before = logger_comes };
const struct watcher watch_autograd_compiler = { .after = compiler_comes };

char *autograd_misses_take(void)
{
	char *taken = reasons;

	reasons = NULL;
	return taken;
}

void autograd_misses_stop(void)
{
	if (ours)
		give(theirs ? theirs : Py_None);
	Py_CLEAR(theirs);
	free(autograd_misses_take());
}

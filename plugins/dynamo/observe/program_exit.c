/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of the program: torch changes its caches at exit, which the program did not do, so the states of entries
   are recorded before. */
#include "guards/guard_model.h"
#include "guards/guard_why.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "observe/dynamo_observe.h"
#include <stdlib.h>
#include <string.h>

static void freeze(void)
{
	struct entry *e;

	for (e = model_entries; e; e = e->next) {
		guards_count(e);
		guards_of(e);
		if (!strcmp(model_state(e), "invalidated"))
			free(why_gone(e)); /* it is kept */
		e->end = model_state(e);
	}
}

static PyObject *ended(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	freeze();
	Py_RETURN_NONE;
}

static PyMethodDef ended_def = { "cdbg_ended", ended, METH_NOARGS, NULL };
static PyObject *end; /* owned: registered with atexit, so that it runs before torch's functions */

static void at_exit(const char *verb)
{
	PyObject *m = PyImport_ImportModuleLevel("atexit", NULL, NULL, NULL, 0),
		 *done = m ? PyObject_CallMethod(m, verb, "O", end) : NULL;

	Py_XDECREF(done);
	Py_XDECREF(m);
	PyErr_Clear();
}

int program_exit_watch(void)
{
	if (!end)
		end = PyCFunction_New(&ended_def, NULL);
	PyErr_Clear();
	if (!end)
		return -1;
	at_exit("register");
	return 0;
}

void program_exit_forget(void)
{
	if (end)
		at_exit("unregister");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* How a program serves clients that come while it runs: see listen.h.  Knows no socket. */
#include <Python.h>
#include <stdio.h>
#include "base/err.h"
#include "listen.h"
#include "py/hook/hook.h"
#include "py/interp/main_thread.h"
#include "py/value/value.h"

/* In the main thread, with the GIL. */
static void begin(void)
{
	void *evaluator = hook_evaluator_off();
	PyObject *package = PyImport_ImportModuleLevel("cdbg", NULL, NULL, NULL, 0), *r;
	struct err err;

	r = package ? PyObject_CallMethod(package, "_serve", NULL) : NULL;
	hook_evaluator_on(evaluator);
	if (!r) {
		err_from_python(&err, "cannot begin a session for a client");
		dprintf(2, "cdbg: %s\n", err.text);
	}
	Py_XDECREF(r);
	Py_XDECREF(package);
}

void listen_prepare(void)
{
	main_thread_remember();
}

void listen_again(void)
{
	main_thread_post(begin);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Python handlers of the program's signals other than SIGINT: see handlers.c.  For signals.c only, in the main
   thread. */
#ifndef CDBG_HANDLERS_H
#define CDBG_HANDLERS_H
#include <Python.h>
#include <stdbool.h>

int handlers_start(struct err *err);
/* The program has just set this handler: replaces it by ours if it is Python code, or watched. had: the result of
   signal(), owned. Returns a new reference to the program's previous handler. */
PyObject *handler_kept(PyObject *number, PyObject *handler, PyObject *had);
PyObject *handler_of_program(int sig); /* borrowed; NULL: ours is not in */
/* Installs our handler in place of all handlers that are Python code, and removes it. */
void handlers_exchange(bool ours_go_in);
/* The sink decides first about this signal. Applies to a default action from the next handlers_apply_watch(). */
void handler_watch(int sig, bool watched);
bool handler_watched(int sig);
void handlers_apply_watch(void);

#endif

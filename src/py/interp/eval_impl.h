/* SPDX-License-Identifier: BSD-3-Clause */
/* What eval.c and exec.c share.  For src/py only, after <Python.h>. */
#ifndef CDBG_EVAL_IMPL_H
#define CDBG_EVAL_IMPL_H
#include "py/interp/eval.h"

extern PyObject
	*eval_prompt_names; /* dict: names assigned at the prompt that are neither locals nor globals; NULL: none */

/* `$3` is `__stack__[3]`, outside strings and comments: the caller owns the text. */
char *eval_rewrite(const char *text);
/* Code of the text, `$N` rewritten; start as Py_CompileString has it.  NULL with an exception. */
PyObject *eval_compile(const char *text, int start);
int eval_syntax(struct err *err, const char *text); /* the pending exception of eval_compile(); -1 */
bool eval_uses(PyObject *code, const char *name);

bool eval_in_function(const struct scope *sc);
PyObject *eval_globals(const struct scope *sc); /* borrowed */
PyObject *eval_locals(const struct scope *sc);	/* a new dict of all of them */
PyObject *eval_stack(const struct scope *sc);	/* a new list */

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.11: arguments of a call belong to the called frame alone, as they do without cdbg.  Knows no stop. */
#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE
#include <Python.h>
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_opcode.h>
#include <opcode.h>
#undef Py_BUILD_CORE
#include "py/hook/live_trace.h"

#if PY_VERSION_HEX >> 16 != 0x030B
#error "args_trace.c is for CPython 3.11 only"
#endif

/* KW_NAMES comes before PRECALL and CALL, with the names of the last arguments. */
static int keyword_count(const struct code *c, int index)
{
	const struct instr *in;
	PyObject *names;

	for (in = &c->instr[index - 1]; in > c->instr && (in->op == PRECALL || in->flags & INSTR_PREFIX); in--)
		;
	if (in->op != KW_NAMES)
		return 0;
	names = PyTuple_GET_ITEM(((PyCodeObject *)c->co)->co_consts, in->arg);
	return (int)PyTuple_GET_SIZE(names);
}

/*
 * While an eval-frame function is installed the instruction CALL does not inline calls of Python functions: it calls
 * them by vectorcall, and its operands stay on the caller's value stack until the call returns.  Then a function that
 * drops its last reference to an argument does not free it.  So the caller's references are exchanged for references
 * to None, which CALL releases at its end.
 */
static PyObject **call_operands(Frame *caller, int *n, int *keywords)
{
	_Py_CODEUNIT *at = caller->prev_instr, *code = _PyCode_CODE(caller->f_code);
	PyObject **base = _PyFrame_Stackbase(caller);
	struct code *c;
	int depth, arg, index;

	if (at <= code || _PyOpcode_Deopt[_Py_OPCODE(*at)] != CALL)
		return NULL;
	c = code_get((struct py_code *)caller->f_code);
	code_decode(c);
	index = c->unit_index[at - code];
	depth = c->instr[index].depth;
	arg = c->instr[index].arg;
	if (depth < arg + 2 || depth > caller->f_code->co_stacksize)
		return NULL;
	*keywords = keyword_count(c, index);
	/* NULL, function, arguments; or function, self, arguments */
	base += depth - arg - 2;
	*n = base[0] ? arg + 1 : arg;
	return base[0] ? base : base + 1;
}

/* True if the frame begins with the values on the stack: then this is the call, not a finalizer or a handler that
   the interpreter runs at the same instruction. */
static bool same_arguments(Frame *f, PyObject **args, int n)
{
	PyCodeObject *co = f->f_code;
	int i;

	for (i = 0; i < n && i < co->co_argcount; i++)
		if (args[i] && f->localsplus[i] != args[i])
			return false;
	return true;
}

/*
 * After the call, CALL releases its operands one by one: they are no longer references, and a finalizer may call the
 * same function with the same object.  That cannot be mistaken for the call if the call itself came through here, since
 * the slot then holds None.  sure: the hook has evaluated the caller since it began.
 */
static bool may_be_finalizer(PyObject **args, int n)
{
	return n == 1 && args[0] && (Py_TYPE(args[0])->tp_finalize || Py_TYPE(args[0])->tp_del);
}

void live_args_release(Frame *caller, Frame *f, bool sure)
{
	PyObject **slot, *old;
	int i, n, keywords;

	if (!caller || f->prev_instr != _PyCode_CODE(f->f_code) - 1)
		return; /* a generator continues */
	slot = call_operands(caller, &n, &keywords);
	if (!slot || slot[0] != (PyObject *)f->f_func || !same_arguments(f, slot + 1, n - keywords))
		return;
	if (!sure && may_be_finalizer(slot + 1, n))
		return;
	for (i = 1; i <= n; i++) {
		old = slot[i];
		if (!old || old == Py_None || Py_REFCNT(old) < 2)
			continue;
		slot[i] = Py_NewRef(Py_None);
		Py_DECREF(old);
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What CPython 3.13 and all after it have in common: see since311.h. */
#ifndef CDBG_SINCE313_H
#define CDBG_SINCE313_H
#include "py/version/since312.h"

static PyCodeObject *code_of(Frame *f);

/* A thread that released the GIL by request waits until another one has taken it. The one that it was requested for may
   wait for something else, and no other may come: then the first one continues. */
static void end_switch(struct _gil_runtime_state *gil)
{
	pthread_mutex_lock(&gil->switch_mutex);
	pthread_cond_signal(&gil->switch_cond);
	pthread_mutex_unlock(&gil->switch_mutex);
}

/* A thread that has the GIL releases it under this mutex: until then its state is valid. */
void py_gil_request(struct py_thread *wants)
{
	struct _gil_runtime_state *gil = _PyRuntime.interpreters.main->ceval.gil;
	PyThreadState *holder;

	pthread_mutex_lock(&gil->mutex);
	holder = gil->locked == 1 ? gil->last_holder : NULL;
	if (holder && (struct py_thread *)holder != wants)
		_Py_set_eval_breaker_bit(holder, _PY_GIL_DROP_REQUEST_BIT);
	pthread_mutex_unlock(&gil->mutex);
	if (!holder)
		end_switch(gil);
}

static uintptr_t raw_innermost(const PyThreadState *ts)
{
	return raw_word(&ts->current_frame);
}

uintptr_t py_raw_holder(void)
{
	uintptr_t gil = raw_word(&_PyRuntime.interpreters.main->ceval.gil);

	return gil ? raw_word(&((struct _gil_runtime_state *)gil)->last_holder) : 0;
}

bool py_op_has_arg(int op)
{
	return OPCODE_HAS_ARG(op);
}

int py_op_effect(int op, int arg, int jump)
{
	int n = PyCompile_OpcodeStackEffectWithJump(op, OPCODE_HAS_ARG(op) ? arg : 0, jump);

	return n == PY_INVALID_STACK_EFFECT ? INT32_MIN : n;
}

/* What only looks at its operands and leaves them takes none. */
int py_op_pops(int op, int arg)
{
	int n;

	switch (op) {
	case COPY:
	case SWAP:
	case GET_LEN:
	case GET_ANEXT:
	case IMPORT_FROM:
	case MATCH_KEYS:
	case MATCH_MAPPING:
	case MATCH_SEQUENCE:
	case WITH_EXCEPT_START:
		return 0;
	case LIST_APPEND:
	case LIST_EXTEND:
	case SET_ADD:
	case SET_UPDATE:
	case DICT_UPDATE:
	case DICT_MERGE:
	case RERAISE:
		return 1;
	case MAP_ADD:
		return 2;
	}
	n = _PyOpcode_num_popped(op, arg);
	return n < 0 ? 0 : n;
}

int py_op_operands_live(int op, int arg)
{
	switch (op) {
	case CALL:
		return arg + 2;
	case CALL_KW:
		return arg + 3;
	case CALL_FUNCTION_EX: /* the arguments may have been replaced by a tuple made of them */
		return 2;
	}
	return 0;
}

/* Arguments that are packed with other bits. */
static int unpack_arg(int op, int arg, struct op_words *words)
{
	*words = (struct op_words){ "", "", -1 };
	switch (op) {
	case LOAD_GLOBAL:
		words->after = arg & 1 ? " + NULL" : "";
		return arg >> 1;
	case LOAD_ATTR:
		words->after = arg & 1 ? " + NULL|self" : "";
		return arg >> 1;
	case LOAD_SUPER_ATTR:
		words->after = arg & 1 ? " + NULL|self" : "";
		return arg >> 2;
	case COMPARE_OP:
		if (arg & 16) {
			words->before = "bool(";
			words->after = ")";
		}
		return arg >> 5;
	case LOAD_FAST_LOAD_FAST:
	case STORE_FAST_LOAD_FAST:
	case STORE_FAST_STORE_FAST:
		words->second = arg & 15;
		return arg >> 4;
	}
	return arg;
}

static Frame *innermost(PyThreadState *ts)
{
	return ts->current_frame;
}

void py_frame_place(struct py_frame *pf, int unit)
{
	Frame *f = inner(pf);

	f->instr_ptr = _PyCode_CODE(code_of(f)) + unit;
}

/* Uses frame.f_locals, which keeps a value alive to which borrowed references may exist. */
int py_frame_set_local(struct py_frame *pf, int i, struct py_obj *value)
{
	PyObject *name = PyTuple_GET_ITEM(code_of(inner(pf))->co_localsplusnames, i);
	PyObject *locals = PyFrame_GetLocals((PyFrameObject *)pf);
	int ret = locals ? PyObject_SetItem(locals, name, (PyObject *)value) : -1;

	Py_XDECREF(locals);
	return ret;
}

void py_frames_hide(struct py_hidden *h)
{
	PyThreadState *ts = PyThreadState_Get();

	h->frame = ts->current_frame;
	h->depth = ts->py_recursion_limit - ts->py_recursion_remaining;
	ts->current_frame = NULL;
	ts->py_recursion_remaining += h->depth;
}

void py_frames_show(const struct py_hidden *h)
{
	PyThreadState *ts = PyThreadState_Get();

	ts->current_frame = h->frame;
	ts->py_recursion_remaining -= h->depth;
}

#endif

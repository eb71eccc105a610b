/* SPDX-License-Identifier: BSD-3-Clause */
/* Common to CPython 3.11 and 3.12, and absent in 3.13: see since311.h.  The file that includes it defines
   RECURSION_LIMIT(ts) and RECURSION_REMAINING(ts), lvalues, GIL(interpreter's _ceval_state), and IS_PYTHON(frame): it
   is no frame that the interpreter keeps on the C stack. */
#ifndef CDBG_UNTIL312_H
#define CDBG_UNTIL312_H
#include "py/version/since311.h"

bool py_op_has_arg(int op)
{
	return HAS_ARG(op);
}

int py_frame_depth_at(uintptr_t address)
{
	Frame *f = (Frame *)address;

	return f->stacktop < f->f_code->co_nlocalsplus ? -1 : f->stacktop - f->f_code->co_nlocalsplus;
}

int py_frame_set_local(struct py_frame *pf, int i, struct py_obj *value)
{
	Frame *f = inner(pf);
	PyObject *old = f->localsplus[i];

	Py_INCREF((PyObject *)value);
	f->localsplus[i] = (PyObject *)value;
	Py_XDECREF(old);
	return 0;
}

void py_frames_hide(struct py_hidden *h)
{
	PyThreadState *ts = PyThreadState_Get();

	h->frame = ts->cframe->current_frame;
	h->depth = RECURSION_LIMIT(ts) - RECURSION_REMAINING(ts);
	ts->cframe->current_frame = NULL;
	RECURSION_REMAINING(ts) += h->depth;
}

void py_frames_show(const struct py_hidden *h)
{
	PyThreadState *ts = PyThreadState_Get();

	ts->cframe->current_frame = h->frame;
	RECURSION_REMAINING(ts) -= h->depth;
}

static uintptr_t raw_innermost(const PyThreadState *ts)
{
	uintptr_t cframe = raw_word(&ts->cframe);

	return cframe ? raw_word(&((_PyCFrame *)cframe)->current_frame) : 0;
}

uintptr_t py_raw_holder(void)
{
	struct _ceval_state *ceval = &_PyRuntime.interpreters.main->ceval;
	const struct _gil_runtime_state *gil = GIL(ceval);

	return gil ? raw_word(&gil->last_holder) : 0;
}

bool py_raw_frame(uintptr_t frame, struct raw_frame *out)
{
	Frame f;

	if (!readable_copy(&f, frame, offsetof(Frame, localsplus)))
		return false;
	*out = (struct raw_frame){ .previous = (uintptr_t)f.previous,
				   .code = (uintptr_t)f.f_code,
				   .instr = (uintptr_t)f.prev_instr,
				   .slots = frame + offsetof(Frame, localsplus),
				   .saved = f.stacktop,
				   .python = IS_PYTHON(&f) };
	return true;
}

/* A thread that released the GIL by request waits until another one has taken it. The one that it was requested for may
   wait for something else, and no other may come: then the first one continues. */
static void end_switch(struct _gil_runtime_state *gil)
{
	pthread_mutex_lock(&gil->switch_mutex);
	pthread_cond_signal(&gil->switch_cond);
	pthread_mutex_unlock(&gil->switch_mutex);
}

/* Mirrors SET_GIL_DROP_REQUEST() of Python/ceval_gil.h (3.11), Python/ceval_gil.c (3.12). */
void py_gil_request(struct py_thread *wants)
{
	struct _ceval_state *ceval = &_PyRuntime.interpreters.main->ceval;
	struct _gil_runtime_state *gil = GIL(ceval);

	if (!_Py_atomic_load(&gil->locked)) {
		end_switch(gil);
	} else if (_Py_atomic_load(&gil->last_holder) != (uintptr_t)wants) {
		_Py_atomic_store(&ceval->gil_drop_request, 1);
		_Py_atomic_store(&ceval->eval_breaker, 1);
	}
}

#endif

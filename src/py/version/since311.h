/* SPDX-License-Identifier: BSD-3-Clause */
/* Common to CPython 3.11 and all later versions, for their py3NN.c only: functions of py.h, compiled with the
   internals of that version.  Knows no version. */
#ifndef CDBG_SINCE311_H
#define CDBG_SINCE311_H
#include "base/readable.h"
#include "py/py.h"
#include "py/version/facts.h"
#include "py/version/raw.h"

typedef struct _PyInterpreterFrame Frame;

int py_op_caches(int op)
{
	return _PyOpcode_Caches[op & 255];
}

/* It never continues with the next instruction. */
const struct py_remote py_remote; /* since314.h has another */

static bool op_leaves(int op)
{
	switch (op) {
	case RETURN_VALUE:
	case RAISE_VARARGS:
	case RERAISE:
	case JUMP_FORWARD:
	case JUMP_BACKWARD:
	case JUMP_BACKWARD_NO_INTERRUPT:
		return true;
	}
	return false;
}

/* As _PyCodeObjectExtra of codeobject.c, which no header has; CPython makes it larger for later users. */
bool py_code_put_alone(struct py_code *co, long index, void *data)
{
	struct {
		Py_ssize_t n;
		void *data[];
	} * room;

	if (((PyCodeObject *)co)->co_extra)
		return false;
	room = PyMem_Calloc(1, sizeof(*room) + (size_t)(index + 1) * sizeof(void *));
	if (!room)
		return false;
	room->n = index + 1;
	room->data[index] = data;
	((PyCodeObject *)co)->co_extra = room;
	return true;
}

/* ---- in a signal handler ------------------------------------------------------------------------ */

/* A word at an address that is not followed. */
static uintptr_t raw_word(const void *at)
{
	uintptr_t word = 0;

	return readable_copy(&word, (uintptr_t)at, sizeof(word)) ? word : 0;
}

static uintptr_t raw_innermost(const PyThreadState *ts);

uintptr_t py_raw_interpreter(uintptr_t after)
{
	return raw_word(after ? (const void *)&((PyInterpreterState *)after)->next :
				(const void *)&_PyRuntime.interpreters.head);
}

uintptr_t py_raw_threads(uintptr_t interpreter)
{
	return raw_word(&((PyInterpreterState *)interpreter)->threads.head);
}

bool py_raw_thread(uintptr_t thread, struct raw_thread *out)
{
	const PyThreadState *ts = (const PyThreadState *)thread;

	*out = (struct raw_thread){ .next = raw_word(&ts->next), .frame = raw_innermost(ts) };
	return readable_copy(&out->ident, (uintptr_t)&ts->thread_id, sizeof(out->ident)) &&
	       readable_copy(&out->native, (uintptr_t)&ts->native_thread_id, sizeof(out->native));
}

uintptr_t py_raw_extra(uintptr_t code, long index)
{
	uintptr_t room = raw_word(&((PyCodeObject *)code)->co_extra);
	Py_ssize_t n = room ? (Py_ssize_t)raw_word((const void *)room) : 0;

	return index >= 0 && index < n ? raw_word((const void *)(room + sizeof(n) + (size_t)index * sizeof(void *))) :
					 0;
}

/* ---- code --------------------------------------------------------------------------------------- */

struct py_obj *py_code_bytes(struct py_code *co)
{
	return (struct py_obj *)PyCode_GetCode((PyCodeObject *)co);
}

int py_code_local_kind(struct py_code *co, int i)
{
	return _PyLocals_GetKind(((PyCodeObject *)co)->co_localspluskinds, i);
}

struct py_obj *py_generator_name(struct py_obj *gen)
{
	return (struct py_obj *)((PyGenObject *)gen)->gi_name; /* a coroutine begins the same way */
}

static Frame *inner(struct py_frame *f)
{
	return ((PyFrameObject *)f)->f_frame;
}

struct py_obj *py_frame_names(struct py_frame *pf)
{
	return (struct py_obj *)inner(pf)->f_locals;
}

bool py_frame_alive(struct py_frame *pf)
{
	return inner(pf)->owner != FRAME_OWNED_BY_FRAME_OBJECT;
}

bool py_frame_is_generator(struct py_frame *pf)
{
	return inner(pf)->owner == FRAME_OWNED_BY_GENERATOR;
}

uintptr_t py_frame_address(struct py_frame *pf)
{
	return (uintptr_t)inner(pf);
}

const unsigned py_frame_words_from = offsetof(Frame, localsplus);

const uintptr_t *py_frame_words(struct py_frame *pf)
{
	return py_frame_words_at((uintptr_t)inner(pf));
}

int py_frame_saved_depth(struct py_frame *pf)
{
	return py_frame_depth_at((uintptr_t)inner(pf));
}

uintptr_t py_frame_outer_at(uintptr_t address)
{
	return (uintptr_t)((Frame *)address)->previous;
}

void *py_at_fork_child(void)
{
	return &PyInterpreterState_Get()->after_forkers_child;
}

#endif

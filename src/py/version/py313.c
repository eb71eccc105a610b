/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.13: what its opcodes do to the stack, where its frames keep things, and how they are made to jump. */
#define Py_BUILD_CORE
#define NEED_OPCODE_METADATA
#include <Python.h>
#if PY_VERSION_HEX >> 16 != 0x030D
#error "py313.c is for CPython 3.13 only"
#endif
#include <internal/pycore_ceval.h>
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_gil.h>
#include <internal/pycore_opcode_metadata.h>
#include <internal/pycore_runtime.h>
#undef Py_BUILD_CORE
#include "py/version/since313.h"
#include "py/version/until313.h"

const struct py_facts py_facts = {
	.null_above = true,
	.wants_bool = true,
	.yield_delegates = true,
	.keywords = KEYWORDS_FLAGGED,
	.for_skips = 2,
	.resume_args = 8,
	.function_parts = 8,
	.spare_slots = 2,
};
const bool py_saves_depth = false;
const int py_iterator_slots = 1;

/* ---- opcodes ------------------------------------------------------------------------------------ */

bool py_op_has_event(int op, int before)
{
	/* RESUME is PY_START or PY_RESUME, and FOR_ITER jumps over END_FOR and POP_TOP (Python/bytecodes.c). */
	return op != RESUME && op != END_FOR && before != END_FOR;
}

int py_op_target(int op, int arg, int pos, int next)
{
	(void)pos;
	if (!OPCODE_HAS_JUMP(op))
		return -1;
	return op == JUMP_BACKWARD || op == JUMP_BACKWARD_NO_INTERRUPT ? next - arg : next + arg;
}

int py_op_arg_index(int op, int arg, struct op_words *words)
{
	return unpack_arg(op, arg, words);
}

/* ---- frames ------------------------------------------------------------------------------------- */

static PyCodeObject *code_of(Frame *f)
{
	return (PyCodeObject *)f->f_executable;
}

bool py_raw_frame(uintptr_t frame, struct raw_frame *out)
{
	Frame f;

	if (!readable_copy(&f, frame, offsetof(Frame, localsplus)))
		return false;
	*out = (struct raw_frame){ .previous = (uintptr_t)f.previous,
				   .code = (uintptr_t)f.f_executable,
				   .instr = (uintptr_t)f.instr_ptr,
				   .slots = frame + offsetof(Frame, localsplus),
				   .saved = f.stacktop,
				   .python = f.owner != FRAME_OWNED_BY_CSTACK };
	return true;
}

int py_frame_depth_at(uintptr_t address)
{
	Frame *f = (Frame *)address;

	return f->stacktop < code_of(f)->co_nlocalsplus ? -1 : f->stacktop - code_of(f)->co_nlocalsplus;
}

void py_frame_save_depth(struct py_frame *pf, int depth)
{
	Frame *f = inner(pf);

	f->stacktop = depth < 0 ? -1 : code_of(f)->co_nlocalsplus + depth;
}

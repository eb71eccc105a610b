/* SPDX-License-Identifier: BSD-3-Clause */
/* CPython 3.14: what its opcodes do to the stack, where its frames keep things, and how they are made to jump. */
#define Py_BUILD_CORE
#define NEED_OPCODE_METADATA
#include <Python.h>
#if PY_VERSION_HEX >> 16 != 0x030E
#error "py314.c is for CPython 3.14 only"
#endif
#include <internal/pycore_ceval.h>
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_gil.h>
#include <internal/pycore_genobject.h>
#include <internal/pycore_instruments.h>
#include <internal/pycore_interpframe.h>
#include <internal/pycore_opcode_metadata.h>
#include <internal/pycore_runtime.h>
#include <internal/pycore_stackref.h>
#undef Py_BUILD_CORE
#include "py/version/since314.h"

const struct py_facts py_facts = {
	.null_above = true,
	.wants_bool = true,
	.yield_delegates = true,
	.exit_has_self = true,
	.keywords = KEYWORDS_OR_NULL,
	.for_skips = 1,
	.resume_args = 8,
	.function_parts = 16,
	.spare_slots = 2,
};
const bool py_saves_depth = true;
const int py_iterator_slots = 1;

int py_op_arg_index(int op, int arg, struct op_words *words)
{
	return unpack_borrowing(op, arg, words);
}

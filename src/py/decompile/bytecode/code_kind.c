/* SPDX-License-Identifier: BSD-3-Clause */
/* What a code object is the code of, and what its instructions set up: a class, a module, a hidden function for type
   parameters.  Knows no stack and no statement. */
#include <Python.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/tree/dec.h"

static const char hidden[] = "<generic parameters of ";

bool code_kind_is_class(const struct code *c)
{
	return !(((PyCodeObject *)c->co)->co_flags & CO_OPTIMIZED);
}

bool code_kind_is_generic(const struct code *c)
{
	return !strncmp(code_name(c), hidden, sizeof(hidden) - 1);
}

/* ---- the definition ----------------------------------------------------------------------------- */

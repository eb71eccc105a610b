/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions that are one together: yield from and await, and from CPython 3.14 on the beginning of a with
   statement.  Knows opcodes by name. */
#include <Python.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/tree/dec.h"

bool ins_is_named(struct dec *d, int index, const char *name)
{
	return index < d->c->n && !strcmp(py_op_name(op_plain(d->c->instr[index].op)), name);
}

/* yield from and await are a loop over SEND, and what it ends with: how many instructions from this one, which loads
   None, or the second entry of the iterator before it; 0: there is no such loop here. */
static int sending(struct dec *d, int first)
{
	static const char *const within[] = { "YIELD_VALUE", "RESUME", "JUMP_BACKWARD_NO_INTERRUPT", "CLEANUP_THROW" };
	int i, k, end, index = first + (py_iterator_slots > 1 && ins_is_named(d, first, "PUSH_NULL"));

	if ((!ins_is_named(d, index, "LOAD_CONST") && !ins_is_named(d, index, "LOAD_COMMON_CONSTANT")) ||
	    !ins_is_named(d, index + 1, "SEND"))
		return 0;
	end = d->c->instr[index + 1].target;
	if (end < index + 2)
		return 0;
	for (i = index + 2; i < end; i++) {
		for (k = 0; k < 4 && !ins_is_named(d, i, within[k]); k++)
			;
		if (k == 4)
			return 0;
	}
	return end + ins_is_named(d, end, "END_SEND") - first;
}

static bool loads_special(struct dec *d, int index, const char *method)
{
	const char *word;

	if (!ins_is_named(d, index, "LOAD_SPECIAL"))
		return false;
	word = op_arg_word(d->c->instr[index].op, d->c->instr[index].arg);
	return word && !strcmp(word, method);
}

static bool ins_has(struct dec *d, int index, const char *name, int arg)
{
	return ins_is_named(d, index, name) && d->c->instr[index].arg == arg;
}

/* From 3.14 on a with statement begins with six instructions: which kind it is, as arguments of D_WITH; 0: none. */
static int entering(struct dec *d, int index)
{
	if (!ins_has(d, index, "COPY", 1) || !ins_has(d, index + 2, "SWAP", 2) || !ins_has(d, index + 3, "SWAP", 3) ||
	    !ins_has(d, index + 5, "CALL", 0))
		return 0;
	if (loads_special(d, index + 1, "__exit__") && loads_special(d, index + 4, "__enter__"))
		return WITH_SELF;
	if (loads_special(d, index + 1, "__aexit__") && loads_special(d, index + 4, "__aenter__"))
		return WITH_SELF | WITH_ASYNC;
	return 0;
}

static bool within_class(const struct dec *d)
{
	const struct dec *o;

	for (o = d->outer; o && !code_kind_is_class(o->c); o = o->outer)
		;
	return o != NULL;
}

/* The variables of a class, which it keeps for the code within it that has no variables of its own. */
static bool loads_classdict(struct dec *d, int index)
{
	PyObject *name = ins_is_named(d, index, "LOAD_DEREF") ? (PyObject *)code_arg_object(d->c, index) : NULL;

	return name && !PyUnicode_CompareWithASCIIString(name, "__classdict__");
}

/* A class's body, and what gives its annotations, look names up in its variables and then further out. */
static int looked_up(struct dec *d, int index)
{
	const bool body = code_kind_is_class(d->c) && ins_is_named(d, index, "LOAD_LOCALS"),
		   given = loads_classdict(d, index);
	struct ins *in;

	if (body && ins_is_named(d, index + 1, "STORE_DEREF")) {
		ins_add(d, D_NOP, 0, index);
		return 2;
	}
	if ((body || given) && (ins_is_named(d, index + 1, "LOAD_FROM_DICT_OR_DEREF") ||
				ins_is_named(d, index + 1, "LOAD_FROM_DICT_OR_GLOBALS"))) {
		in = ins_add(d, D_NAME, 0, index);
		in->obj = (PyObject *)code_arg_object(d->c, index + 1);
		in->text = given && !within_class(d) ? "class" : NULL;
		return 2;
	}
	return 0;
}

/* What several instructions do as one: how many they are, 0: there is nothing like that here. */
int combine_at(struct dec *d, int index)
{
	const struct instr *in = &d->c->instr[index];
	int n = sending(d, index);

	if (n) {
		ins_add(d, D_YIELD_FROM, 0, index);
		return n;
	}
	n = looked_up(d, index);
	if (n)
		return n;
	/* what throw() into a yield from or await does is a part of it: nothing else leads here, or from here on */
	if (ins_is_named(d, index, "CLEANUP_THROW") &&
	    (ins_is_named(d, index + 1, "JUMP_BACKWARD_NO_INTERRUPT") || ins_is_named(d, index + 1, "JUMP_BACKWARD"))) {
		ins_add(d, D_RERAISE, 0, index);
		return 2;
	}
	n = entering(d, index);
	if (n) {
		ins_add(d, D_WITH, n, index);
		return 6;
	}
	/* `async with` awaits its calls itself: this await is not one of the text */
	if (ins_is_named(d, index, "GET_AWAITABLE") && (in->arg == 1 || in->arg == 2)) {
		n = sending(d, index + 1);
		return n ? n + 1 : 0;
	}
	if (ins_is_named(d, index, "GET_ANEXT")) {
		n = sending(d, index + 1);
		if (n)
			ins_add(d, D_FOR_ITER, 1, index);
		return n ? n + 1 : 0;
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Opcodes by name, and arguments of instructions as dis writes them.  The lists are made from this Python's own
   opcode module; constants are never hashed, and their repr is never called. */
#include <Python.h>
#include <stdio.h>
#include <string.h>
#include "base/buf.h"
#include "py/code/code.h"
#include "py/code/op.h"
#include "py/version/opcodes.h"
#include "py/value/value.h"

struct opcode_fact {
	const char *name;
	enum arg_kind arg;
	const char *const *words; /* names of the values of the argument, NULL: a number */
	int nwords;
};
#include "py/code/opcode_list.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))
#define CONST_MAX 120 /* bytes of a constant in a listing */

const char *py_op_name(int op)
{
	static char unnamed[256][6];

	if (op < 0 || op > 255)
		return "<?>";
	if (opcode_list[op].name)
		return opcode_list[op].name;
	snprintf(unnamed[op], sizeof(unnamed[op]), "<%d>", op);
	return unnamed[op];
}

enum arg_kind op_arg_kind(int op)
{
	return opcode_list[op & 255].arg;
}

int op_arg_words(int op)
{
	return opcode_list[op & 255].nwords;
}

const char *op_arg_word(int op, int arg)
{
	const struct opcode_fact *f = &opcode_list[op & 255];

	return arg >= 0 && arg < f->nwords && *f->words[arg] ? f->words[arg] : NULL;
}

bool op_is_intrinsic(int op, int arg, const char *name)
{
	const char *word = op_arg_word(op, arg);

	return word && !strncmp(word, "INTRINSIC_", 10) && !strcmp(word + 10, name);
}

int op_plain(int op)
{
	static int16_t plain[256]; /* + 1; 0: not asked yet */

	if (!plain[op & 255])
		plain[op & 255] = (int16_t)(op_named(py_op_name(op)) + 1);
	return plain[op & 255] ? plain[op & 255] - 1 : op;
}

const char *op_compare(int i)
{
	return i >= 0 && i < COUNT(opcode_compare) ? opcode_compare[i] : NULL;
}

int op_named(const char *name)
{
	char plain[64];
	const char *s;
	size_t n = 0;
	int i;

	if (!strncmp(name, "INSTRUMENTED_", 13))
		name += 13;
	for (s = name; *s && n < sizeof(plain) - 1;) {
		if (!strncmp(s, "_BORROW", 7))
			s += 7;
		else
			plain[n++] = *s++;
	}
	plain[n] = '\0';
	for (i = 0; opcode_forms[i].name; i++) /* some Pythons list them among the others, too */
		if (!strcmp(opcode_forms[i].name, plain))
			return opcode_forms[i].op;
	for (i = 0; i < 256; i++)
		if (opcode_list[i].name && !strcmp(opcode_list[i].name, plain))
			return i;
	return -1;
}

static PyObject *tuple_item(PyObject *tuple, int i)
{
	return i >= 0 && i < PyTuple_GET_SIZE(tuple) ? PyTuple_GET_ITEM(tuple, i) : NULL;
}

static PyObject *arg_object(const struct code *c, const struct instr *in, int i)
{
	PyCodeObject *co = (PyCodeObject *)c->co;

	switch (opcode_list[in->op].arg) {
	case ARG_CONST:
		return tuple_item(co->co_consts, i);
	case ARG_NAME:
		return tuple_item(co->co_names, i);
	case ARG_LOCAL:
		return tuple_item(co->co_localsplusnames, i);
	default:
		return NULL;
	}
}

struct py_obj *code_arg_object(struct code *c, int index)
{
	const struct instr *in;
	struct op_words words;

	code_decode(c);
	if (index < 0 || index >= c->n || !c->instr[index].has_arg)
		return NULL;
	in = &c->instr[index];
	return (struct py_obj *)arg_object(c, in, py_op_arg_index(in->op, in->arg, &words));
}

static const char *name_text(PyObject *name)
{
	return value_name((struct py_obj *)name);
}

/* Flags of an argument by name, as dis joins them. */
static void arg_flags(int arg, const char *const *name, int n, struct buf *out)
{
	const char *sep = "";
	int i;

	for (i = 0; i < n; i++)
		if (arg >> i & 1) {
			buf_addf(out, "%s%s", sep, name[i]);
			sep = ", ";
		}
}

/* Arguments of a few opcodes only; true if it wrote something. */
static bool arg_special(const struct instr *in, struct buf *out)
{
	size_t before = out->len;

	switch (in->op) {
	case FORMAT_VALUE: {
		static const char *const how[] = { "", "str", "repr", "ascii" };

		buf_adds(out, how[in->arg & 3]);
		if (in->arg & 4)
			buf_addf(out, "%swith format", in->arg & 3 ? ", " : "");
		break;
	}
	case SET_FUNCTION_ATTRIBUTE:
	case MAKE_FUNCTION: { /* one of them has an argument */
		static const char *const what[] = { "defaults", "kwdefaults", "annotations", "closure", "annotate" };

		arg_flags(in->arg, what, COUNT(what), out);
		break;
	}
	}
	if (in->arg >= 0 && in->arg < opcode_list[in->op].nwords)
		buf_adds(out, opcode_list[in->op].words[in->arg]);
	return out->len > before;
}

void code_arg_text(struct code *c, int index, struct buf *out)
{
	const struct instr *in;
	struct op_words words;
	PyObject *v;
	int i;

	code_decode(c);
	if (index < 0 || index >= c->n || !c->instr[index].has_arg)
		return;
	in = &c->instr[index];
	i = py_op_arg_index(in->op, in->arg, &words);
	v = arg_object(c, in, i);
	if (v && opcode_list[in->op].arg == ARG_CONST) {
		value_show((struct py_obj *)v, out, CONST_MAX);
	} else if (v && PyUnicode_Check(v)) {
		buf_adds(out, words.before);
		buf_adds(out, name_text(v));
		buf_adds(out, words.after);
		if (words.second >= 0 && (v = arg_object(c, in, words.second)))
			buf_addf(out, ", %s", name_text(v));
	} else if (in->target >= 0) {
		buf_adds(out, "to ");
		buf_number(out, c->instr[in->target].offset, 0);
	} else if (opcode_list[in->op].arg == ARG_COMPARE && i >= 0 && i < COUNT(opcode_compare)) {
		buf_addf(out, "%s%s%s", words.before, opcode_compare[i], words.after);
	} else if (!arg_special(in, out)) {
		buf_number(out, in->arg, 0);
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts arguments of instructions to text and back. py_op_arg_index() tells how an opcode packs its argument, so
   that there is one table of packings. */
#include <Python.h>
#include <ctype.h>
#include <opcode.h>
#include <stdlib.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/value/value.h"

enum { LITERAL_MAX = 4000, TUPLE_MAX = 1000 };

bool asm_operand_plain_name(const char *s)
{
	if (!isalpha((unsigned char)*s) && *s != '_' && *s != '.' && !(*s & 0x80))
		return false;
	while (isalnum((unsigned char)*s) || *s == '_' || *s == '.' || *s & 0x80)
		s++;
	return !*s;
}

/* ---- constants -------------------------------------------------------------------------------------- */

/* Only exact built-in types: their repr runs none of the program's code, and evaluates to an equal value. */
bool asm_operand_literal(PyObject *v, struct buf *out)
{
	PyObject *text;
	const char *s;
	Py_ssize_t i;

	if (PyTuple_CheckExact(v)) {
		buf_addc(out, '(');
		for (i = 0; i < PyTuple_GET_SIZE(v); i++) {
			buf_adds(out, i ? ", " : "");
			if (out->len > LITERAL_MAX || i > TUPLE_MAX ||
			    !asm_operand_literal(PyTuple_GET_ITEM(v, i), out))
				return false;
		}
		buf_adds(out, i == 1 ? ",)" : ")");
		return true;
	}
	if (v == Py_Ellipsis) {
		buf_adds(out, "...");
		return true;
	}
	if (PyLong_CheckExact(v)    ? _PyLong_NumBits(v) > 2000 :
	    PyFloat_CheckExact(v)   ? !Py_IS_FINITE(PyFloat_AS_DOUBLE(v)) :
	    PyUnicode_CheckExact(v) ? PyUnicode_GET_LENGTH(v) > LITERAL_MAX :
	    PyBytes_CheckExact(v)   ? PyBytes_GET_SIZE(v) > LITERAL_MAX :
				      v != Py_None && !PyBool_Check(v))
		return false;
	text = PyObject_Repr(v);
	s = text ? PyUnicode_AsUTF8(text) : NULL;
	buf_adds(out, s ? s : "");
	PyErr_Clear();
	Py_XDECREF(text);
	return s != NULL;
}

static int table_find(const struct asm_table *t, const char *text)
{
	int i;

	for (i = 0; i < t->n; i++)
		if (t->text[i] && !strcmp(t->text[i], text))
			return i;
	return -1;
}

/* Takes text. */
static int table_add(struct asm_table *t, PyObject *v, char *text)
{
	if (!v || PyList_Append(t->list, v) < 0) {
		PyErr_Clear();
		free(text);
		return -1;
	}
	t->text = mem_grow(t->text, &t->cap, (size_t)t->n + 1, sizeof(*t->text));
	t->text[t->n] = text;
	return t->n++;
}

/* `$3`, `$name`: the index, -1 refused. */
static int read_reference(struct assembly *a, struct asm_table *t, const char *text, int at)
{
	char *end;
	long i = strtol(text + 1, &end, 10);
	PyObject *v = NULL;
	int k;

	if (isdigit((unsigned char)text[1]) && !*end) {
		if (i >= PyTuple_GET_SIZE(((PyCodeObject *)a->base->co)->co_consts) && t == &a->consts)
			return assembly_refuse(a, at, "there is no constant '%s'", text);
		if (i >= t->n - (t == &a->locals ? a->added : 0))
			return assembly_refuse(a, at, "there is no '%s'", text);
		return t == &a->locals && i >= a->nlocals - a->added ? (int)i + a->added : (int)i;
	}
	if (t == &a->consts && a->extra)
		v = PyDict_GetItemString(a->extra, text + 1);
	if (!v)
		return assembly_refuse(a, at, "there is no '%s'", text);
	for (k = 0; k < t->n; k++)
		if (PyList_GET_ITEM(t->list, k) == v)
			return k;
	return table_add(t, v, NULL);
}

/* A literal that is not among the constants yet. */
static int new_literal(struct assembly *a, const char *text, int at)
{
	PyObject *ast = PyImport_ImportModuleLevel("ast", NULL, NULL, NULL, 0), *v = NULL;
	struct buf b = { 0 };
	int i = -1;

	if (ast)
		v = PyObject_CallMethod(ast, "literal_eval", "s", text);
	PyErr_Clear();
	if (!v) {
		assembly_refuse(a, at, "'%.60s' is not a literal: write another constant as its number, '$3'", text);
	} else if (!asm_operand_literal(v, &b)) {
		assembly_refuse(a, at,
				"'%.60s' cannot be a constant: numbers, strings, bytes, None, True, False, ... "
				"and tuples of them can",
				text);
	} else {
		i = table_find(&a->consts, buf_str(&b));
		if (i < 0)
			i = table_add(&a->consts, v, mem_str(buf_str(&b)));
	}
	buf_release(&b);
	Py_XDECREF(v);
	Py_XDECREF(ast);
	return i;
}

static int read_const(struct assembly *a, const char *text, int at)
{
	int i;

	if (*text == '$')
		return read_reference(a, &a->consts, text, at);
	i = table_find(&a->consts, text);
	return i >= 0 ? i : new_literal(a, text, at);
}

/* ---- names ------------------------------------------------------------------------------------------ */

static int read_name(struct assembly *a, enum arg_kind kind, const char *text, int at)
{
	struct asm_table *t = kind == ARG_LOCAL ? &a->locals : &a->names;
	PyObject *v;
	int i;

	if (*text == '$')
		return read_reference(a, t, text, at);
	i = table_find(t, text);
	if (i >= 0)
		return i;
	if (!asm_operand_plain_name(text))
		return assembly_refuse(a, at, "'%.60s' is not a name", text);
	if (kind == ARG_LOCAL)
		return assembly_refuse(a, at, "no variable '%.60s': a new one is named in '.locals'", text);
	v = PyUnicode_InternFromString(text);
	i = table_add(t, v, mem_str(text));
	Py_XDECREF(v);
	return i < 0 ? assembly_refuse(a, at, "'%.60s' is not a name", text) : i;
}

static int read_compare(struct assembly *a, const char *text, int at)
{
	int i;

	for (i = 0; op_compare(i); i++)
		if (!strcmp(text, op_compare(i)))
			return i;
	return assembly_refuse(a, at, "'%.60s' is not a comparison", text);
}

/* One way to pack an index and the other bits of an argument: arg = index << shift | low. */
struct packing {
	int shift, low;
	struct op_words words;
};

static bool packing_holds(int op, struct packing *p)
{
	struct op_words other;

	return py_op_arg_index(op, p->low, &p->words) == 0 &&
	       py_op_arg_index(op, 1 << p->shift | p->low, &other) == 1 && !strcmp(other.before, p->words.before) &&
	       !strcmp(other.after, p->words.after);
}

/* True if the text has the form of this packing. *core: the text of the index, owned by the caller. */
static bool packing_fits(const struct assembly *a, const struct packing *p, const char *text, char **core)
{
	size_t n = strlen(text), before = strlen(p->words.before), after = strlen(p->words.after);
	struct buf second = { 0 };
	bool fits;

	if (n < before + after || strncmp(text, p->words.before, before) || strcmp(text + n - after, p->words.after))
		return false;
	n -= after;
	if (p->words.second >= 0) {
		if (p->words.second >= a->locals.n)
			return false;
		buf_adds(&second, ", ");
		asm_operand_item(&a->locals, p->words.second, &second);
		fits = n > second.len && !strncmp(text + n - second.len, second.s, second.len);
		n -= second.len;
		buf_release(&second);
		if (!fits)
			return false;
	}
	*core = mem_strn(text + before, n - before);
	return true;
}

/* The packing whose fixed words match the most of the text. */
static bool packing_of(const struct assembly *a, int op, const char *text, struct packing *found, char **core)
{
	static const int shifts[] = { 0, 1, 2, 4, 5 };
	size_t k, best = 0, n;
	struct packing p;
	bool any = false;
	char *s;

	*core = NULL;
	for (k = 0; k < sizeof(shifts) / sizeof(*shifts); k++)
		for (p.shift = shifts[k], p.low = 0; p.low < 1 << p.shift; p.low++) {
			if (!packing_holds(op, &p) || !packing_fits(a, &p, text, &s))
				continue;
			n = 1 + strlen(text) - strlen(s);
			if (n > best) {
				free(*core);
				*core = s;
				*found = p;
				best = n;
				any = true;
			} else {
				free(s);
			}
		}
	return any;
}

static int read_packed(struct assembly *a, int op, const char *text, int at, int *arg)
{
	enum arg_kind kind = op_arg_kind(op);
	struct packing p = { 0 };
	char *core;
	int i;

	if (!packing_of(a, op, text, &p, &core))
		return assembly_refuse(a, at, "invalid operand '%.60s' of %s", text, py_op_name(op));
	i = kind == ARG_COMPARE ? read_compare(a, core, at) : read_name(a, kind, core, at);
	free(core);
	if (i < 0)
		return -1;
	*arg = i << p.shift | p.low | (kind == ARG_COMPARE ? py_op_compare_bits(i) : 0);
	return 0;
}

/* ---- all of them ------------------------------------------------------------------------------------ */

static int read_number(struct assembly *a, int op, const char *text, int at, int *arg)
{
	char *end;
	long n;
	int i;

	for (i = 0; i < op_arg_words(op); i++)
		if (op_arg_word(op, i) && !strcmp(op_arg_word(op, i), text)) {
			*arg = i;
			return 0;
		}
	n = strtol(text, &end, 10);
	if (end == text || *end || n < 0 || n > 1 << 24)
		return assembly_refuse(a, at, "invalid operand '%.60s' of %s", text, py_op_name(op));
	*arg = (int)n;
	return 0;
}

int asm_operand_read(struct assembly *a, int op, const char *text, int at, int *arg)
{
	if (!*text)
		return assembly_refuse(a, at, "%s needs an operand", py_op_name(op));
	if (*text == '=')
		return read_number(a, op, text + 1, at, arg);
	switch (op_arg_kind(op)) {
	case ARG_CONST:
		*arg = read_const(a, text, at);
		return *arg < 0 ? -1 : 0;
	case ARG_NAME:
	case ARG_LOCAL:
	case ARG_COMPARE:
		return read_packed(a, op, text, at, arg);
	case ARG_NUMBER:
	case ARG_JUMP:
		break;
	}
	return read_number(a, op, text, at, arg);
}

void asm_operand_item(const struct asm_table *t, int i, struct buf *out)
{
	if (i >= 0 && i < t->n && t->text[i])
		buf_adds(out, t->text[i]);
	else
		buf_addf(out, "$%d", i);
}

static void write_words(struct assembly *a, const struct instr *in, struct buf *out)
{
	struct op_words words;
	int i = py_op_arg_index(in->op, in->arg, &words);

	buf_adds(out, words.before);
	switch (op_arg_kind(in->op)) {
	case ARG_CONST:
		asm_operand_item(&a->consts, i, out);
		break;
	case ARG_NAME:
		asm_operand_item(&a->names, i, out);
		break;
	case ARG_LOCAL:
		asm_operand_item(&a->locals, i, out);
		break;
	case ARG_COMPARE:
		buf_adds(out, op_compare(i) ? op_compare(i) : "?");
		break;
	case ARG_NUMBER:
	case ARG_JUMP:
		if (op_arg_word(in->op, in->arg))
			buf_adds(out, op_arg_word(in->op, in->arg));
		else
			buf_addf(out, "%d", in->arg);
	}
	buf_adds(out, words.after);
	if (words.second >= 0) {
		buf_adds(out, ", ");
		asm_operand_item(&a->locals, words.second, out);
	}
}

void asm_operand_write(struct assembly *a, const struct instr *in, struct buf *out)
{
	struct err err = { "" }, *mine = a->err;
	struct buf words = { 0 };
	int arg = -1;

	write_words(a, in, &words);
	a->err = &err;
	if (asm_operand_read(a, in->op, buf_str(&words), 0, &arg) == 0 && arg == in->arg)
		buf_add(out, words.s, words.len);
	else
		buf_addf(out, "=%d", in->arg); /* the words do not say all of it */
	a->err = mine;
	buf_release(&words);
}

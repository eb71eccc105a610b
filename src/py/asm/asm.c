/* SPDX-License-Identifier: BSD-3-Clause */
/* The code object that is being assembled: the tables of its base, and the new items. Knows no syntax. */
#include <Python.h>
#include <stdlib.h>
#include <string.h>
#include "py/asm/asm_impl.h"

int assembly_refuse(struct assembly *a, int at, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	if (at > 0)
		buf_addf(&b, "line %d: ", at);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	err_set(a->err, "%s", buf_str(&b));
	buf_release(&b);
	return -1;
}

static void table_release(struct asm_table *t)
{
	int i;

	for (i = 0; i < t->n; i++)
		free(t->text[i]);
	free(t->text);
	Py_XDECREF(t->list);
}

static bool table_has(const struct asm_table *t, const char *text)
{
	int i;

	for (i = 0; i < t->n; i++)
		if (t->text[i] && !strcmp(t->text[i], text))
			return true;
	return false;
}

static char *quoted_name(PyObject *v)
{
	const char *s = PyUnicode_Check(v) ? PyUnicode_AsUTF8(v) : NULL;

	PyErr_Clear(); /* a lone surrogate */
	return s && asm_operand_plain_name(s) ? mem_str(s) : NULL;
}

static char *const_text(PyObject *v)
{
	struct buf b = { 0 };

	if (asm_operand_literal(v, &b))
		return buf_detach(&b);
	buf_release(&b);
	return NULL;
}

/* Of items with equal texts, the first one has the text: the others are written by their number. */
static int table_init(struct asm_table *t, PyObject *tuple, char *(*text)(PyObject *v))
{
	Py_ssize_t i;
	char *s;

	t->list = PySequence_List(tuple);
	if (!t->list)
		return -1;
	for (i = 0; i < PyList_GET_SIZE(t->list); i++) {
		s = text(PyList_GET_ITEM(t->list, i));
		if (s && table_has(t, s)) {
			free(s);
			s = NULL;
		}
		t->text = mem_grow(t->text, &t->cap, (size_t)t->n + 1, sizeof(*t->text));
		t->text[t->n++] = s;
	}
	return 0;
}

int assembly_init(struct assembly *a, struct code *base, PyObject *extra, struct err *err)
{
	PyCodeObject *co = (PyCodeObject *)base->co;

	*a = (struct assembly){ .base = base, .extra = extra, .nlocals = co->co_nlocals, .err = err };
	code_decode(base);
	a->code.co = base->co;
	if (table_init(&a->consts, co->co_consts, const_text) == 0 &&
	    table_init(&a->names, co->co_names, quoted_name) == 0 &&
	    table_init(&a->locals, co->co_localsplusnames, quoted_name) == 0)
		return 0;
	PyErr_Clear();
	assembly_release(a);
	return err_set(err, "no memory for the tables of a code object");
}

void assembly_release(struct assembly *a)
{
	int i;

	table_release(&a->consts);
	table_release(&a->names);
	table_release(&a->locals);
	for (i = 0; i < a->nlabels; i++)
		free(a->label[i].name);
	free(a->label);
	free(a->range);
	free(a->at);
	free(a->jump);
	free(a->code.instr);
	free(a->code.except);
	memset(a, 0, sizeof(*a));
}

int assembly_add_local(struct assembly *a, const char *name, int at)
{
	struct asm_table *t = &a->locals;
	PyObject *v = PyUnicode_InternFromString(name);

	if (!v || PyList_Insert(t->list, a->nlocals, v) < 0) {
		PyErr_Clear();
		Py_XDECREF(v);
		return assembly_refuse(a, at, "'%s' cannot be a variable", name);
	}
	Py_DECREF(v);
	t->text = mem_grow(t->text, &t->cap, (size_t)t->n + 1, sizeof(*t->text));
	memmove(&t->text[a->nlocals + 1], &t->text[a->nlocals], (size_t)(t->n - a->nlocals) * sizeof(*t->text));
	t->text[a->nlocals] = mem_str(name);
	t->n++;
	a->nlocals++;
	a->added++;
	return 0;
}

void asm_call(const char *constant, struct buf *out)
{
	if (py_facts.null_above)
		buf_addf(out, "LOAD_CONST %s\nPUSH_NULL\n", constant);
	else
		buf_addf(out, "PUSH_NULL\nLOAD_CONST %s\n", constant);
	buf_addf(out, "%sCALL 0\nPOP_TOP", PRECALL < NO_OPCODE ? "PRECALL 0\n" : "");
}

static const char *line_end(const char *s)
{
	return s + strcspn(s, "\n");
}

char *asm_id(const char *text)
{
	const char *s, *end;

	for (s = text; *s; s = *end ? end + 1 : end) {
		end = line_end(s);
		s += strspn(s, " \t");
		if (strncmp(s, ".code", 5) || !strchr(" \t", s[5]))
			continue;
		s += 5 + strspn(s + 5, " \t");
		return *s && s < end ? mem_strn(s, strcspn(s, " \t\r\n#")) : NULL;
	}
	return NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamo traces a copy of a function's instructions, some of them taken apart, and names resume functions by offsets in
   that copy: where those are in the function itself.  Knows no entry. */
#include "code/dynamo_code.h"
#include "torch/attrs.h"
#include <stdlib.h>
#include <string.h>

static const char *opname_at(PyObject *list, Py_ssize_t j)
{
	PyObject *name = j < PyList_GET_SIZE(list) ? PyObject_GetAttrString(PyList_GET_ITEM(list, j), "opname") : NULL;
	const char *s = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;

	PyErr_Clear();
	Py_XDECREF(name); /* the instruction has it */
	return s ? s : "";
}

static int offset_at(PyObject *list, Py_ssize_t j)
{
	PyObject *v = PyObject_GetAttrString(PyList_GET_ITEM(list, j), "offset");
	int offset = v && PyLong_Check(v) ? (int)PyLong_AsLong(v) : -1;

	PyErr_Clear();
	Py_XDECREF(v);
	return offset;
}

/* How many instructions stand for one in the copy, as far as its name says; 1 also for what is left as it is. */
static int parts(const char *name)
{
	const char *fast = strstr(name, "_FAST");

	if (strstr(name, "_NONE"))
		return 3; /* LOAD_CONST None, IS_OP, POP_JUMP */
	if (strstr(name, "_SLICE") && strcmp(name, "BUILD_SLICE"))
		return 2;
	return fast && strstr(fast + 1, "_FAST") ? 2 : 1;
}

static int next_op(struct code *c, int i)
{
	while (++i < c->n && !strcmp(host->code.op_name(c->instr[i].op), "EXTENDED_ARG"))
		;
	return i;
}

/* Is this, in the copy, how an instruction of that name begins? */
static bool copy_begins(const char *name, const char *in_copy)
{
	if (parts(name) == 1)
		return !strcmp(name, in_copy);
	if (strstr(name, "_NONE"))
		return !strcmp(in_copy, "LOAD_CONST");
	if (strstr(name, "_SLICE"))
		return !strcmp(in_copy, "BUILD_SLICE");
	return *in_copy && !strncmp(name, in_copy, strlen(in_copy));
}

/* Code added after an instruction: super()'s arguments, a method's NULL.  It ends at the next instruction. */
static Py_ssize_t skip_added(PyObject *list, Py_ssize_t j, const char *name, const char *next)
{
	Py_ssize_t k;

	/* The next one may be of the name that was put in: a SWAP tells. */
	if (!strcmp(name, "LOAD_ATTR") && !strcmp(next, "PUSH_NULL") && !strcmp(opname_at(list, j + 1), "SWAP"))
		return j + 2;
	for (k = j; k < j + 4; k++)
		if (copy_begins(next, opname_at(list, k)))
			return k;
	return j;
}

static int find_in_copy(PyObject *list, struct code *c, int offset)
{
	Py_ssize_t j = 0, n = PyList_GET_SIZE(list);
	const char *name;
	int i, next;

	for (i = next_op(c, -1); i < c->n && j < n; i = next) {
		next = next_op(c, i);
		name = host->code.op_name(c->instr[i].op);
		if (offset_at(list, j) > offset)
			break;
		j += parts(name);
		if (next < c->n)
			j = skip_added(list, j, name, host->code.op_name(c->instr[next].op));
		if (j >= n || offset_at(list, j) > offset) {
			if (next < c->n && !strcmp(name, "NOT_TAKEN"))
				i = next; /* it belongs to the branch before, and does nothing */
			return c->instr[i].offset;
		}
	}
	return -1;
}

/* traced_copy.c: where in a function is what Dynamo has at this offset in the copy that it traces? */
static int traced_copy_offset(PyCodeObject *co, int offset)
{
	PyObject *copy_of = attrs_get(ATTR_TRACED), *list = NULL;
	struct code *c = host->code.get((struct py_code *)co);
	int found = -1;

	host->code.decode(c);
	if (copy_of) /* Dynamo keeps it by the code, which it has traced */
		list = PyObject_CallOneArg(copy_of, (PyObject *)co);
	PyErr_Clear();
	if (list && PyList_Check(list))
		found = find_in_copy(list, c, offset);
	Py_XDECREF(list);
	Py_XDECREF(copy_of);
	return found >= 0 ? found : offset;
}

int traced_copy_resume(PyCodeObject *co, const char *global)
{
	const char *at = strstr(global, "_at_");

	return at && co ? traced_copy_offset(co, atoi(at + 4)) : -1;
}

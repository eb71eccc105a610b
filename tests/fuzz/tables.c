/* SPDX-License-Identifier: BSD-3-Clause */
/* Code objects made by hand: any bytecode, any table of lines, any table of handlers, decoded and written as text. */
#include <Python.h>
#include "fuzz.h"
#include "base/err.h"
#include "py/asm/asm.h"

static PyObject *base, *replace;

static void start(void)
{
	PyObject *m = Py_CompileString("def f(a, *b, c=1, **d):\n"
				       "    def g(): return a\n"
				       "    try:\n"
				       "        for x in b: print(x.y, c + 1, 'text')\n"
				       "    except ValueError: pass\n"
				       "    return d\n",
				       "/tables.py", Py_file_input);

	base = (PyObject *)code_nested(code_get((struct py_code *)m), 0);
	HOLDS(base);
	replace = PyObject_GetAttrString(base, "replace");
}

/* The next piece of the input, its length in front; more bytes of zeros. */
static PyObject *piece(const uint8_t **data, size_t *size, size_t more)
{
	size_t n = (size_t)fuzz_byte(data, size);
	PyObject *b;

	if (n > *size)
		n = *size;
	b = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(n + more));
	memset(PyBytes_AS_STRING(b), 0, n + more);
	memcpy(PyBytes_AS_STRING(b), *data, n);
	*data += n;
	*size -= n;
	return b;
}

/* Bytecode of any kind.  Room for caches follows: CPython itself writes over the end of code that lacks its last ones. */
static PyObject *bytecode(const uint8_t **data, size_t *size)
{
	enum { CACHES = 32 };

	return piece(data, size, CACHES + (*size ? **data % 2 : 0));
}

static void check(struct code *c)
{
	int i;

	for (i = 0; i < c->n; i++) {
		HOLDS(c->instr[i].target >= -1 && c->instr[i].target < c->n);
		HOLDS(code_event_index(c, i) >= 0 && code_event_index(c, i) < c->n);
	}
	for (i = -2; i < c->units * 2 + 4; i++)
		HOLDS(code_index(c, i) < c->n);
	for (i = 0; i < c->nexcept; i++) {
		HOLDS(c->except[i].start >= 0 && c->except[i].start <= c->n);
		HOLDS(c->except[i].end >= 0 && c->except[i].end <= c->n);
		HOLDS(c->except[i].target >= 0 && c->except[i].target < c->n);
	}
}

static int at_stop(struct session *s, const uint8_t *data, size_t size)
{
	int what, line;
	PyObject *changes, *v, *empty, *co;
	struct buf text = { 0 };
	struct err err;
	struct code *c;
	int i;

	(void)s;
	if (!base)
		start();
	what = fuzz_byte(&data, &size);
	line = (int)((unsigned)fuzz_byte(&data, &size) << 24) | fuzz_byte(&data, &size);
	changes = PyDict_New();
	empty = PyTuple_New(0);
	if (what & 1) {
		v = bytecode(&data, &size);
		if (PyBytes_GET_SIZE(v) % 2 == 0)
			PyDict_SetItemString(changes, "co_code", v);
		Py_DECREF(v);
	}
	if (what & 2) {
		v = piece(&data, &size, 0);
		PyDict_SetItemString(changes, "co_exceptiontable", v);
		Py_DECREF(v);
	}
	if (what & 4) {
		v = PyLong_FromLong(line);
		PyDict_SetItemString(changes, "co_firstlineno", v);
		Py_DECREF(v);
	}
	v = PyBytes_FromStringAndSize((const char *)data, (Py_ssize_t)size);
	if (!(what & 8))
		PyDict_SetItemString(changes, "co_linetable", v);
	Py_DECREF(v);
	co = PyObject_Call(replace, empty, changes);
	if (co) {
		c = code_get((struct py_code *)co);
		code_decode(c);
		check(c);
		for (i = 0; i < c->n; i++)
			code_arg_text(c, i, &text);
		buf_reset(&text);
		asm_write(c, &(struct asm_style){ .id = "x" }, &text);
		py_unref(asm_read(c, buf_str(&text), NULL, &err));
	}
	PyErr_Clear();
	Py_XDECREF(co);
	Py_DECREF(changes);
	Py_DECREF(empty);
	buf_release(&text);
	return 0;
}

int (*const fuzz_at_stop)(struct session *, const uint8_t *, size_t) = at_stop;

/* SPDX-License-Identifier: BSD-3-Clause */
/* The assembler's reader: any text against code of several kinds.  What it accepts can be written and read again. */
#include <Python.h>
#include "fuzz.h"
#include "base/err.h"
#include "py/asm/asm.h"

/* A generator, cells, handlers, a loop, a coroutine, a comprehension. */
static const char source[] = "def a(n, *r, k=1, **m):\n"
			     "    def i(x):\n"
			     "        return x + n\n"
			     "    try:\n"
			     "        for v in r:\n"
			     "            i(v)\n"
			     "            if v: continue\n"
			     "    except ValueError as e:\n"
			     "        raise\n"
			     "    with m as q:\n"
			     "        print(q.x, q[1:2])\n"
			     "    return (n, k)\n"
			     "def b(n):\n"
			     "    x = yield n\n"
			     "    del x\n"
			     "async def c(n):\n"
			     "    async for i in n:\n"
			     "        await i\n"
			     "def d(): pass\n";

enum { BASES = 4 };

static struct code *base[BASES];
static PyObject *extra;

static void start(void)
{
	PyObject *m = Py_CompileString(source, "/asm.py", Py_file_input),
		 *consts = PyObject_GetAttrString(m, "co_consts");
	Py_ssize_t i;
	int n = 0;

	for (i = 0; i < PyTuple_GET_SIZE(consts) && n < BASES; i++)
		if (PyCode_Check(PyTuple_GET_ITEM(consts, i)))
			base[n++] = code_get((struct py_code *)Py_NewRef(PyTuple_GET_ITEM(consts, i)));
	HOLDS(n == BASES);
	extra = PyDict_New();
	PyDict_SetItemString(extra, "name", Py_None);
}

static int at_stop(struct session *s, const uint8_t *data, size_t size)
{
	struct code *from;
	struct err err = { "" };
	struct buf again = { 0 };
	struct py_code *made, *second;
	char *text;

	(void)s;
	if (!extra)
		start();
	from = base[fuzz_byte(&data, &size) % BASES];
	text = fuzz_text(data, size);
	free(asm_id(text));
	made = asm_read(from, text, (struct py_obj *)extra, &err);
	HOLDS(!PyErr_Occurred());
	if (made) {
		asm_write(code_get(made), &(struct asm_style){ .id = "x" }, &again);
		second = asm_read(code_get(made), buf_str(&again), (struct py_obj *)extra, &err);
		if (!second)
			BUG("%s\n%s", err.text, buf_str(&again));
		py_unref(second);
		py_unref(made);
	} else {
		HOLDS(*err.text);
	}
	buf_release(&again);
	free(text);
	return 0;
}

int (*const fuzz_at_stop)(struct session *, const uint8_t *, size_t) = at_stop;

/* SPDX-License-Identifier: BSD-3-Clause */
/* Code whose instructions and handlers were changed at random, written as Python; what is all Python is compiled again. */
#include <Python.h>
#include "fuzz.h"
#include "base/err.h"
#include "py/decompile/decompile.h"

static const char program[] = "def loops(a, *b, c=1, **d):\n"
			      "    for x in b:\n"
			      "        while x > c:\n"
			      "            x -= 1\n"
			      "            if x in d or not a: break\n"
			      "            if x == 7: continue\n"
			      "        else: return d\n"
			      "    return [k.y for k in b if k], {**d, 'n': -c}\n"
			      "def handlers(f, g):\n"
			      "    try:\n"
			      "        with f as h, g(): return h.x + 1\n"
			      "    except (KeyError, ValueError) as e: print(e, f'{e!r:>{g}}')\n"
			      "    finally: del g\n"
			      "    raise f from None\n"
			      "async def waits(f):\n"
			      "    async with f as g:\n"
			      "        async for x in g: yield (await x)[1:2]\n"
			      "def closures(n):\n"
			      "    m = n\n"
			      "    def inner(k=n): nonlocal m; m += k; return lambda: m if k else n\n"
			      "    a, (b, *c) = inner(k=1)(), n\n"
			      "    global other; other = a < b < n and a is not c\n"
			      "    import os.path as p\n"
			      "    return (yield from p)\n"
			      "def short(x): x.a[x] = y = x @ 2; assert y, x; return y\n";

enum { NFUNCS = 5 };
static PyObject *func[NFUNCS];

static void start(void)
{
	PyObject *m = Py_CompileString(program, "/decompile.py", Py_file_input);
	struct code *c = m ? code_get((struct py_code *)m) : NULL;
	int i;

	for (i = 0; i < NFUNCS; i++) {
		func[i] = c ? (PyObject *)code_nested(c, i) : NULL;
		HOLDS(func[i]);
	}
}

/* The function that the first byte chooses; then each three bytes: where, opcode (0: stays), argument.  Room for caches
   follows, since CPython itself writes over the end of code that lacks its last ones. */
static PyObject *change(const uint8_t *data, size_t size)
{
	enum { CACHES = 32 };
	int what = fuzz_byte(&data, &size), units, at, op;
	PyObject *base = func[what % NFUNCS], *replace = PyObject_GetAttrString(base, "replace");
	PyObject *old = PyObject_GetAttrString(base, "co_code"), *changes = PyDict_New(), *none = PyTuple_New(0);
	PyObject *bytes = PyBytes_FromStringAndSize(NULL, PyBytes_GET_SIZE(old) + CACHES), *table = NULL, *co;
	uint8_t *s = (uint8_t *)PyBytes_AS_STRING(bytes);

	units = (int)PyBytes_GET_SIZE(old) / 2;
	memcpy(s, PyBytes_AS_STRING(old), (size_t)units * 2);
	memset(s + units * 2, 0, CACHES);
	while (size >= 3 && *data != 255) {
		at = fuzz_byte(&data, &size) % units;
		op = fuzz_byte(&data, &size);
		if (op)
			s[2 * at] = (uint8_t)op;
		s[2 * at + 1] = (uint8_t)fuzz_byte(&data, &size);
	}
	PyDict_SetItemString(changes, "co_code", bytes);
	if (size > 1) {
		table = PyBytes_FromStringAndSize((const char *)data + 1, (Py_ssize_t)size - 1);
		PyDict_SetItemString(changes, "co_exceptiontable", table);
	}
	co = PyObject_Call(replace, none, changes);
	PyErr_Clear();
	Py_DECREF(replace);
	Py_DECREF(old);
	Py_DECREF(changes);
	Py_DECREF(none);
	Py_DECREF(bytes);
	Py_XDECREF(table);
	return co;
}

static void check(struct code *c)
{
	struct dec_source *source = decompile(c, &(struct dec_style){ .whole = false });
	const char *p = source->text;
	struct err err = { "" };
	struct py_code *again;
	int lines = 0;

	for (; (p = strchr(p, '\n')); p++)
		lines++;
	HOLDS(source->n >= lines && (!source->partial || source->why));
	again = recompile(c, &err);
	HOLDS(again || *err.text);
	HOLDS(!PyErr_Occurred());
	py_unref((struct py_obj *)again);
	dec_source_free(source);
}

static int at_stop(struct session *s, const uint8_t *data, size_t size)
{
	PyObject *co;

	(void)s;
	if (!func[0])
		start();
	co = change(data, size);
	if (co)
		check(code_get((struct py_code *)co));
	Py_XDECREF(co);
	return 0;
}

int (*const fuzz_at_stop)(struct session *, const uint8_t *, size_t) = at_stop;

/* SPDX-License-Identifier: BSD-3-Clause */
/* What is in tensors and modules: values, statistics, storage; layers, parameters, buffers.  Reads dicts and torch's C
   getters; of another device it reads elements only when the user asked for it. */
#include <Python.h>
#include <string.h>
#include "tensor.h"
#include "tensor_parts.h"
#include "window.h"

enum { SHOWN = 8, COUNTED_MOST = 4 << 20, LABEL = 120 };

static void part_text(struct child_sink *k, const char *label, const char *suffix, const char *kind, const char *text,
		      bool warn)
{
	struct child c = { .label = label, .suffix = suffix, .kind = kind, .text = text, .warn = warn };

	k->add(k, &c);
}

static void part_object(struct child_sink *k, const char *label, const char *kind, PyObject *v)
{
	struct child c = { .label = label, .suffix = label, .kind = kind, .v = (struct py_obj *)v };

	if (v)
		k->add(k, &c);
}

/* ---- tensors ---------------------------------------------------------------------------------------- */

/* The first elements, those of the last dimension. */
static void put_first(const struct window *w, struct buf *out)
{
	long long index[LAYOUT_DIMS] = { 0 }, n = w->at.ndim ? w->at.size[w->at.ndim - 1] : 1, i;
	unsigned char element[16];

	for (i = 0; i < n && i < SHOWN && w->n; i++) {
		if (w->at.ndim)
			index[w->at.ndim - 1] = i;
		buf_adds(out, i ? ", " : w->at.ndim ? "[" : "");
		if (!window_element(w, index, element)) {
			buf_adds(out, "?");
			break;
		}
		window_put(w, element, out);
	}
	if (w->at.ndim)
		buf_adds(out, !w->n ? "[]" : w->n > i ? ", ...]" : "]");
}

static void put_numbers(const struct window_numbers *n, struct buf *out)
{
	if (n->real && n->min <= n->max)
		buf_addf(out, "min %.6g  max %.6g  mean %.6g  ", n->min, n->max,
			 n->sum / (double)(n->n - n->nan - n->inf));
	buf_addf(out, "nan %lld  inf %lld  zeros %lld", n->nan, n->inf, n->zero);
}

/* 'view' names a row of the table of elements. */
static void give_statistics(struct child_sink *k, const struct window *w)
{
	struct window_numbers n;
	struct buf b = { 0 };

	if (w->n > COUNTED_MOST && !(k->asked && k->asked(k, "statistics"))) {
		buf_addf(&b, "Enter reads %lld elements", w->n);
		part_text(k, "statistics", NULL, CHILD_ASK, b.s, false);
	} else {
		window_numbers(w, w->n, &n);
		put_numbers(&n, &b);
		part_text(k, "statistics", NULL, "statistics", b.s, n.nan || n.inf);
	}
	buf_release(&b);
}

/* Of a tensor on a device: the whole of it is copied, if the user asked for that. */
static void give_device(struct child_sink *k, PyObject *v, const struct window *w, const char *device)
{
	long long from[LAYOUT_DIMS] = { 0 };
	struct window copy;
	struct buf b = { 0 };
	struct err err;

	if (!k->asked || !k->asked(k, "statistics")) {
		buf_addf(&b, "on %s: Enter copies %lld elements, which waits for the device", device, w->n);
		part_text(k, "statistics", NULL, CHILD_ASK, b.s, false);
	} else if (w->n > COUNTED_MOST) {
		part_text(k, "statistics", NULL, "statistics", "too many elements to copy: 'view' shows a part", false);
	} else if (window_copy(v, from, w->at.size, &copy, &err) < 0) {
		part_text(k, "statistics", NULL, "statistics", err.text, true);
	} else {
		give_statistics(k, &copy);
		window_close(&copy);
	}
	buf_release(&b);
}

static void give_values(struct child_sink *k, PyObject *v)
{
	struct window w;
	struct buf why = { 0 }, b = { 0 };
	enum window_state state = window_open(v, &w, &why);
	bool first = child_wanted(k), second = state != WINDOW_NOTHING && child_wanted(k);

	if (state == WINDOW_HERE && first) {
		put_first(&w, &b);
		part_text(k, "values", "", CHILD_VALUES, b.s, false);
	} else if (state == WINDOW_DEVICE && first) {
		buf_addf(&b, "on %s: Enter asks for them", why.s);
		part_text(k, "values", "", CHILD_VALUES, b.s, false);
	} else if (first) {
		part_text(k, "values", NULL, "values", buf_str(&why), false);
	}
	if (second && state == WINDOW_HERE)
		give_statistics(k, &w);
	else if (second)
		give_device(k, v, &w, why.s);
	window_close(&w);
	buf_release(&b);
	buf_release(&why);
}

/* A method of torch's own tensors: a class of the program may have put another in its place. */
static PyObject *torch_called(PyObject *v, const char *method)
{
	PyObject *r = tensor_call(v, method);

	PyErr_Clear();
	return r;
}

static void put_str(PyObject *v, struct buf *out)
{
	PyObject *s = v ? PyObject_Str(v) : NULL;

	if (s)
		tensor_host->values.text((struct py_obj *)s, out, LABEL);
	PyErr_Clear();
	Py_XDECREF(s);
}

static void give_storage(struct child_sink *k, PyObject *v)
{
	PyObject *stride = torch_called(v, "stride"), *offset = torch_called(v, "storage_offset"), *bytes = NULL;
	PyObject *storage = stride ? torch_called(v, "untyped_storage") : NULL; /* a sparse one has none */
	struct buf b = { 0 };

	bytes = storage ? PyObject_CallMethod(storage, "nbytes", NULL) : NULL;
	if (bytes) {
		buf_adds(&b, "strides ");
		put_str(stride, &b);
		buf_adds(&b, "  offset ");
		put_str(offset, &b);
		buf_adds(&b, "  ");
		put_str(bytes, &b);
		buf_adds(&b, " bytes");
		tensor_lacks(v, &b);
		part_text(k, "storage", ".untyped_storage()", "storage", b.s, false);
	}
	PyErr_Clear();
	buf_release(&b);
	Py_XDECREF(bytes);
	Py_XDECREF(storage);
	Py_XDECREF(offset);
	Py_XDECREF(stride);
}

static PyObject *torch_attribute(PyObject *v, const char *name)
{
	PyObject *value = tensor_get(v, name);

	PyErr_Clear();
	return value;
}

static void give_version(struct child_sink *k, PyObject *v)
{
	PyObject *version = torch_attribute(v, "_version"); /* an inference tensor has none */

	if (version && child_wanted(k))
		part_object(k, "._version", "version", version);
	Py_XDECREF(version);
}

/* The gradient of a leaf: of others torch would warn. */
static void give_gradient(struct child_sink *k, PyObject *v)
{
	PyObject *leaf = torch_attribute(v, "is_leaf"), *needs = torch_attribute(v, "requires_grad");
	PyObject *grad = leaf == Py_True && needs == Py_True ? torch_attribute(v, "grad") : NULL;

	if (grad && child_wanted(k))
		part_object(k, ".grad", "gradient", grad);
	Py_XDECREF(grad);
	Py_XDECREF(needs);
	Py_XDECREF(leaf);
}

static int tensor_parts(PyObject *v, struct child_sink *k)
{
	PyObject *guard;

	if (tensor_is_closed(v)) {
		if (child_wanted(k))
			part_text(k, "values", NULL, "values", "its class, of the program, says what they are", false);
		return 1;
	}
	guard = tensor_quiet_enter();
	if (!guard)
		return 1;
	give_values(k, v);
	if (child_wanted(k))
		give_storage(k, v);
	give_version(k, v);
	give_gradient(k, v);
	tensor_quiet_leave(guard);
	return 1;
}

/* ---- modules ---------------------------------------------------------------------------------------------- */

/* Is [] of this class torch's own: Sequential, ModuleList? */
static bool has_items(PyObject *v)
{
	static PyObject *item;
	PyObject *get = _PyType_Lookup(Py_TYPE(v), item ? item : (item = PyUnicode_InternFromString("__getitem__")));
	PyObject *module = get && PyFunction_Check(get) ? ((PyFunctionObject *)get)->func_module : NULL;
	const char *name = module && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : NULL;

	PyErr_Clear();
	return name && !strncmp(name, "torch.nn.", 9);
}

static void give_registered(struct child_sink *k, PyObject *dict, const char *kind, bool items)
{
	PyObject *name, *value;
	struct buf label = { 0 };
	Py_ssize_t at = 0;
	bool number;

	while (dict && PyDict_Check(dict) && PyDict_Next(dict, &at, &name, &value)) {
		if (value == Py_None || !PyUnicode_Check(name) || !child_wanted(k))
			continue;
		buf_reset(&label);
		tensor_host->values.text((struct py_obj *)name, &label, LABEL);
		number = strspn(buf_str(&label), "0123456789") == label.len;
		buf_reset(&label);
		buf_addc(&label, items ? '[' : '.');
		buf_adds(&label, items && !number ? "'" : "");
		tensor_host->values.text((struct py_obj *)name, &label, LABEL);
		buf_adds(&label, !items ? "" : number ? "]" : "']");
		part_object(k, label.s, kind, value);
	}
	buf_release(&label);
}

/* Is it one of the names that every module has, and empty, as it mostly is? */
static bool is_module_internal(PyObject *name, PyObject *value)
{
	const char *s = PyUnicode_AsUTF8(name);

	PyErr_Clear();
	if (!s || !strcmp(s, "_parameters") || !strcmp(s, "_buffers") || !strcmp(s, "_modules"))
		return true;
	if (*s != '_' && strcmp(s, "call_super_init"))
		return false;
	return value == Py_None || value == Py_False || value == Py_True ||
	       (PyDict_Check(value) && !PyDict_GET_SIZE(value)) || (PyAnySet_Check(value) && !PySet_GET_SIZE(value));
}

static int parts_of_module(PyObject *v, struct child_sink *k)
{
	PyObject *dict = PyObject_GenericGetDict(v, NULL), *name, *value, *modules;
	struct buf label = { 0 };
	Py_ssize_t at = 0;

	PyErr_Clear();
	if (!dict || !PyDict_Check(dict)) {
		Py_XDECREF(dict);
		return 0;
	}
	modules = PyDict_GetItemString(dict, "_modules"); /* borrowed, as the others */
	give_registered(k, modules, "module", has_items(v));
	give_registered(k, PyDict_GetItemString(dict, "_parameters"), "parameter", false);
	give_registered(k, PyDict_GetItemString(dict, "_buffers"), "buffer", false);
	while (PyDict_Next(dict, &at, &name, &value)) {
		if (!PyUnicode_Check(name) || is_module_internal(name, value) || !child_wanted(k))
			continue;
		buf_reset(&label);
		buf_addc(&label, '.');
		tensor_host->values.text((struct py_obj *)name, &label, LABEL);
		part_object(k, label.s, "attribute", value);
	}
	PyErr_Clear();
	buf_release(&label);
	Py_DECREF(dict);
	return 2;
}

int tensor_children(struct py_obj *value, struct child_sink *k)
{
	PyObject *v = (PyObject *)value;

	if (tensor_is(v))
		return tensor_parts(v, k);
	return tensor_is_module(v) ? parts_of_module(v, k) : 0;
}

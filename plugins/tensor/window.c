/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements of tensors, a part at a time: see window.h.  Knows no view. */
#include "window.h"
#include <stdlib.h>
#include <string.h>
#include "number.h"
#include "tensor.h"

enum { CHUNK = 1 << 16 };

/* ---- opening ---------------------------------------------------------------------------------------- */

static bool word_is(PyObject *tensor, const char *attribute)
{
	PyObject *v = tensor_get(tensor, attribute);
	bool yes = v == Py_True;

	PyErr_Clear();
	Py_XDECREF(v);
	return yes;
}

/* Why elements that are not in plain memory cannot be read, as far as torch tells. */
static const char *no_elements(PyObject *tensor, const char *device)
{
	if (tensor_is_fake(tensor) || !strcmp(device, "meta"))
		return "a tensor without values";
	if (word_is(tensor, "is_sparse") || word_is(tensor, "is_sparse_csr"))
		return "a sparse tensor: view its _values() and _indices()";
	if (word_is(tensor, "is_nested"))
		return "a nested tensor: view one of its unbind()";
	if (word_is(tensor, "is_quantized"))
		return "a quantized tensor: view its int_repr()";
	return "a tensor that stands for another, or for a computation";
}

enum window_state window_open(PyObject *tensor, struct window *out, struct buf *why)
{
	PyObject *shape = NULL;
	struct buf device = { 0 };
	enum window_state state = WINDOW_NOTHING;
	int i;

	memset(out, 0, sizeof(*out));
	if (tensor_is_closed(tensor)) {
		buf_adds(why, "its class, of the program, says what its elements are");
		return state;
	}
	snprintf(out->dtype, sizeof(out->dtype), "%s", tensor_dtype(tensor));
	out->item = number_size(out->dtype);
	tensor_device(tensor, &device);
	shape = tensor_shape(tensor);
	if (tensor_lacks(tensor, why))
		;
	else if (!out->item)
		buf_addf(why, "elements of type %s cannot be shown", out->dtype);
	else if (elements_layout(tensor, shape, out->item, &out->at, &out->conjugate, &out->negative))
		state = WINDOW_HERE;
	else if (strncmp(buf_str(&device), "cpu", 3) && strcmp(buf_str(&device), "meta") && !tensor_is_fake(tensor) &&
		 !word_is(tensor, "is_sparse") && !word_is(tensor, "is_sparse_csr") && !word_is(tensor, "is_nested"))
		state = WINDOW_DEVICE;
	else
		buf_adds(why, no_elements(tensor, buf_str(&device)));
	if (state == WINDOW_DEVICE)
		buf_adds(why, buf_str(&device));
	out->at.ndim = shape && PyTuple_Check(shape) ? (int)PyTuple_GET_SIZE(shape) : 0;
	for (i = 0, out->n = 1; i < out->at.ndim && i < LAYOUT_DIMS; i++) {
		out->at.size[i] = PyLong_Check(PyTuple_GET_ITEM(shape, i)) ?
					  PyLong_AsLongLong(PyTuple_GET_ITEM(shape, i)) :
					  0;
		out->n *= out->at.size[i];
	}
	/* an empty one has no memory, and none is needed */
	if (state == WINDOW_NOTHING && !out->n && out->item && !strncmp(buf_str(&device), "cpu", 3))
		state = WINDOW_HERE;
	PyErr_Clear();
	Py_XDECREF(shape);
	buf_release(&device);
	return state;
}

/* A context manager of torch._C, entered; NULL without an exception: this torch has it not. */
static PyObject *torch_guard_enter(const char *name)
{
	PyObject *c = PyDict_GetItemString(PyImport_GetModuleDict(), "torch._C"); /* borrowed */
	PyObject *type = c ? PyObject_GetAttrString(c, name) : NULL, *guard = type ? PyObject_CallNoArgs(type) : NULL;
	PyObject *entered = guard ? PyObject_CallMethod(guard, "__enter__", NULL) : NULL;

	PyErr_Clear();
	if (!entered)
		Py_CLEAR(guard);
	Py_XDECREF(entered);
	Py_XDECREF(type);
	return guard;
}

static void torch_guard_leave(PyObject *guard)
{
	PyObject *type, *exc, *tb, *left;

	if (!guard)
		return;
	PyErr_Fetch(&type, &exc, &tb);
	left = PyObject_CallMethod(guard, "__exit__", "OOO", Py_None, Py_None, Py_None);
	PyErr_Clear();
	PyErr_Restore(type, exc, tb);
	Py_XDECREF(left);
	Py_DECREF(guard);
}

/* A stream that is captured into a CUDA graph must not be waited for: that ends the capture. */
static bool is_capturing(void)
{
	PyObject *c = PyDict_GetItemString(PyImport_GetModuleDict(), "torch._C"); /* borrowed */
	PyObject *yes = c && PyObject_HasAttrString(c, "_cuda_isCurrentStreamCapturing") ?
				PyObject_CallMethod(c, "_cuda_isCurrentStreamCapturing", NULL) :
				NULL;
	bool capturing = yes == Py_True;

	PyErr_Clear();
	Py_XDECREF(yes);
	return capturing;
}

static void set_grad(PyObject *c, PyObject *on)
{
	PyObject *r = c && on ? PyObject_CallMethod(c, "_set_grad_enabled", "O", on) : NULL;

	PyErr_Clear();
	Py_XDECREF(r);
}

static PyObject *part_on_cpu(PyObject *tensor, int ndim, const long long *from, const long long *count)
{
	PyObject *part = tensor_call(tensor, "detach"), *narrow = tensor_method("narrow");
	int i;

	for (i = 0; part && narrow && i < ndim; i++)
		Py_SETREF(part, PyObject_CallFunction(narrow, "OiLL", part, i, from[i], count[i]));
	if (part)
		Py_SETREF(part, tensor_call(part, "cpu"));
	Py_XDECREF(narrow);
	return part;
}

int window_copy(PyObject *tensor, const long long *from, const long long *count, struct window *out, struct err *err)
{
	PyObject *shape = tensor_shape(tensor), *modes, *grad;
	PyObject *c = PyDict_GetItemString(PyImport_GetModuleDict(), "torch._C"); /* borrowed */
	PyObject *part = NULL, *type = NULL, *exc = NULL, *tb = NULL;
	struct buf why = { 0 };
	int ndim = shape && PyTuple_Check(shape) ? (int)PyTuple_GET_SIZE(shape) : 0, ret = -1;

	memset(out, 0, sizeof(*out));
	Py_XDECREF(shape);
	PyErr_Clear();
	if (is_capturing())
		return err_set(err, "cannot copy from the device: a CUDA graph is being captured");
	modes = torch_guard_enter("_DisableTorchDispatch");
	grad = c ? PyObject_CallMethod(c, "is_grad_enabled", NULL) : NULL;
	set_grad(c, Py_False);
	part = part_on_cpu(tensor, ndim, from, count);
	PyErr_Fetch(&type, &exc, &tb);
	set_grad(c, grad);
	torch_guard_leave(modes);
	Py_XDECREF(grad);
	if (part && window_open(part, out, &why) == WINDOW_HERE) {
		out->copy = Py_NewRef(part);
		ret = 0;
	} else {
		err_set(err, "cannot copy from the device: %s", why.len ? why.s : "torch raised an exception");
	}
	PyErr_Clear();
	Py_XDECREF(type);
	Py_XDECREF(exc);
	Py_XDECREF(tb);
	Py_XDECREF(part);
	buf_release(&why);
	return ret;
}

void window_close(struct window *w)
{
	Py_CLEAR(w->copy);
}

/* ---- elements ------------------------------------------------------------------------------------------ */

bool window_element(const struct window *w, const long long *index, unsigned char *out)
{
	long long at = 0;
	int i;

	for (i = 0; i < w->at.ndim; i++)
		at += index[i] * w->at.stride[i];
	return elements_read(w->at.at + (unsigned long long)at * w->item, out, w->item);
}

/* The sign of a text that is a number, turned. */
static void put_turned(const char *text, struct buf *out)
{
	if (*text == '-')
		buf_adds(out, text + 1);
	else
		buf_addf(out, "-%s", text);
}

void window_put(const struct window *w, const unsigned char *element, struct buf *out)
{
	struct buf b = { 0 };
	char *im;

	number_put(element, w->dtype, w->item, &b);
	if (w->negative && *w->dtype != 'c' && *w->dtype != 'b') {
		put_turned(b.s, out);
	} else if (w->conjugate && *w->dtype == 'c') {
		for (im = b.s + b.len - 1; im > b.s && (!strchr("+-", *im) || im[-1] == 'e'); im--)
			;
		if (im > b.s)
			*im = *im == '+' ? '-' : '+';
		buf_adds(out, b.s);
	} else {
		buf_adds(out, buf_str(&b));
	}
	buf_release(&b);
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

struct pass {
	const struct window *w;
	struct window_numbers *n;
	long long left;		/* elements to read */
	bool bins;		/* the second pass */
	int order[LAYOUT_DIMS]; /* dimensions, the largest stride first */
	unsigned char *room;
};

static void take_number(struct pass *p, const unsigned char *element)
{
	struct window_numbers *n = p->n;
	double d;
	bool real = number_value(element, p->w->dtype, p->w->item, &d);
	int at;

	d = p->w->negative ? -d : d;
	if (p->bins) {
		if (real && d - d == 0 && n->max > n->min) {
			at = (int)((d - n->min) / (n->max - n->min) * WINDOW_BINS);
			n->bin[at < 0 ? 0 : at >= WINDOW_BINS ? WINDOW_BINS - 1 : at]++;
		}
		return;
	}
	n->n++;
	n->real = real;
	if (d != d) {
		n->nan++;
	} else if (d - d != 0) {
		n->inf++;
	} else {
		n->zero += d == 0;
		n->min = d < n->min ? d : n->min;
		n->max = d > n->max ? d : n->max;
		n->sum += d;
	}
}

/* count elements, `stride` elements apart. */
static void take_run(struct pass *p, unsigned long long at, long long count, long long stride)
{
	size_t item = p->w->item;
	long long apart = stride < 1 ? 1 : stride,
		  many = apart * (long long)item > CHUNK ? 1 : CHUNK / (apart * (long long)item);
	long long i, k, n;

	for (i = 0; i < count && p->left > 0; i += n) {
		n = count - i < many ? count - i : many;
		n = n < p->left ? n : p->left;
		if (!elements_read(at + (unsigned long long)(i * stride) * item, p->room,
				   stride ? (size_t)((n - 1) * apart + 1) * item : item)) {
			p->left = 0;
			return;
		}
		for (k = 0; k < n; k++)
			take_number(p, p->room + (stride ? (size_t)(k * apart) * item : 0));
		p->left -= n;
	}
}

static void take_dims(struct pass *p, int depth, unsigned long long at)
{
	const struct layout *l = &p->w->at;
	int dim = depth < l->ndim ? p->order[depth] : 0;
	long long i;

	if (!l->ndim) {
		take_run(p, at, 1, 1);
		return;
	}
	if (depth + 1 == l->ndim) {
		take_run(p, at, l->size[dim], l->stride[dim]);
		return;
	}
	for (i = 0; i < l->size[dim] && p->left > 0; i++)
		take_dims(p, depth + 1, at + (unsigned long long)(i * l->stride[dim]) * p->w->item);
}

void window_numbers(const struct window *w, long long most, struct window_numbers *out)
{
	struct pass p = { .w = w, .n = out };
	int i, k, dim;

	memset(out, 0, sizeof(*out));
	out->min = __builtin_inf();
	out->max = -__builtin_inf();
	out->real = true;
	for (i = 0; i < w->at.ndim; i++) {
		for (k = i, dim = i; k > 0 && w->at.stride[p.order[k - 1]] < w->at.stride[dim]; k--)
			p.order[k] = p.order[k - 1];
		p.order[k] = dim;
	}
	p.room = mem_raw(CHUNK);
	for (i = 0; i < 2 && w->n; i++) {
		p.bins = i;
		p.left = w->n < most ? w->n : most;
		take_dims(&p, 0, w->at.at);
	}
	free(p.room);
}

void window_histogram(const struct window_numbers *n, int in_one, struct buf *out)
{
	static const char *const levels[] = { "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
					      "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88" };
	long long bin[WINDOW_BINS] = { 0 }, most = 0;
	int i, level, bins = WINDOW_BINS / in_one;

	for (i = 0; i < bins * in_one; i++)
		bin[i / in_one] += n->bin[i];
	for (i = 0; i < bins; i++)
		most = bin[i] > most ? bin[i] : most;
	for (i = 0; most && i < bins; i++) {
		level = (int)((double)bin[i] / (double)most * 7.999);
		buf_adds(out, bin[i] ? levels[level] : " ");
	}
}

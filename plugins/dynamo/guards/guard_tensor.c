/* SPDX-License-Identifier: BSD-3-Clause */
/* The expected and the actual value of a guard on a tensor, in the form of tensor summaries.  Knows no view. */
#include "guards/guard_tensor.h"
#include "guards/guard_eval.h"
#include "guards/guard_keys.h"
#include "guards/guard_model.h"
#include "guards/guard_text.h"
#include "guards/guard_tree.h"
#include <string.h>

/*
 * "check_tensor(L['x'], Tensor, DispatchKeySet(CPU, ...), torch.float32, device=None, requires_grad=False,
 * size=[None, 3], stride=[3, 1])"
 */
struct wanted {
	char class[64], keys[500], dtype[40], device[20], size[300], stride[300];
	bool grad;
};

static void copy_part(char *to, size_t size, const char *from, size_t n)
{
	n = n < size - 1 ? n : size - 1;
	memcpy(to, from, n);
	to[n] = '\0';
}

/* The text after these words, up to one of these characters; empty if they do not occur. */
static void take_behind(char *to, size_t size, const char *text, const char *words, const char *ends)
{
	const char *p = strstr(text, words);

	if (p)
		copy_part(to, size, p + strlen(words), strcspn(p + strlen(words), ends));
}

static bool read_tensor(const struct guard *g, struct wanted *w)
{
	const char *p = strstr(g->text, ", DispatchKeySet("), *q, *end;

	memset(w, 0, sizeof(*w));
	if (!p)
		return false;
	for (q = p; q > g->text && q[-1] != ' '; q--)
		;
	copy_part(w->class, sizeof(w->class), q, (size_t)(p - q));
	p += 17;
	end = strchr(p, ')');
	if (!end)
		return false;
	copy_part(w->keys, sizeof(w->keys), p, (size_t)(end - p));
	take_behind(w->dtype, sizeof(w->dtype), end, "torch.", ",");
	take_behind(w->device, sizeof(w->device), end, "device=", ",");
	take_behind(w->size, sizeof(w->size), end, "size=[", "]");
	take_behind(w->stride, sizeof(w->stride), end, "stride=[", "]");
	w->grad = strstr(end, "requires_grad=True") != NULL;
	return true;
}

static const char *short_dtype(const char *name)
{
	static const struct {
		const char *torch, *shown;
	} names[] = {
		{ "float32", "f32" },	{ "float64", "f64" },	  { "float16", "f16" }, { "bfloat16", "bf16" },
		{ "int64", "i64" },	{ "int32", "i32" },	  { "int16", "i16" },	{ "int8", "i8" },
		{ "uint8", "u8" },	{ "uint16", "u16" },	  { "uint32", "u32" },	{ "uint64", "u64" },
		{ "complex64", "c64" }, { "complex128", "c128" },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i].torch, name))
			return names[i].shown;
	return name;
}

/* "[None, 3]" -> "?,3": the guard does not check the first dimension. */
static void add_sizes(struct buf *out, const char *s)
{
	for (; *s; s++) {
		if (!strncmp(s, "None", 4)) {
			buf_adds(out, "?");
			s += 3;
		} else if (*s != ' ') {
			buf_add(out, s, 1);
		}
	}
}

/* The same form as summaries of tensors have: "f32[?,3] cpu grad". */
static void add_tensor(struct buf *out, const struct wanted *w)
{
	static const char *const layouts[] = { "SparseCsr", "Sparse", "Quantized", "Mkldnn", "NestedTensor" };
	const char *key = w->keys;
	char where[32];
	size_t i;

	if (strcmp(w->class, "Tensor") && strcmp(w->class, "Parameter"))
		buf_addf(out, "%s ", w->class);
	buf_addf(out, "%s[", short_dtype(w->dtype));
	add_sizes(out, w->size);
	for (i = 0; i < sizeof(layouts) / sizeof(*layouts) && key == w->keys; i++)
		if (!strncmp(key, layouts[i], strlen(layouts[i])))
			key += strlen(layouts[i]);
	copy_part(where, sizeof(where), key, strcspn(key, ","));
	for (i = 0; where[i]; i++)
		if (where[i] >= 'A' && where[i] <= 'Z')
			where[i] = (char)(where[i] + 'a' - 'A');
	buf_addf(out, "] %s", where);
	if (strcmp(w->device, "None"))
		buf_addf(out, ":%s", w->device);
	if (w->grad)
		buf_adds(out, " grad");
}

/* A list of numbers, as the guard has it: "3, 1". */
static void tensor_list(PyObject *v, const char *method, struct buf *out)
{
	PyObject *list = guards_call(v, method);
	Py_ssize_t i;

	for (i = 0; list && PyTuple_Check(list) && i < PyTuple_GET_SIZE(list); i++)
		if (PyLong_Check(PyTuple_GET_ITEM(list, i)))
			buf_addf(out, "%s%ld", i ? ", " : "", PyLong_AsLong(PyTuple_GET_ITEM(list, i)));
	PyErr_Clear();
	Py_XDECREF(list);
}

/* Both texts are equal although the guard fails: add the other properties that the guard checks. */
static void add_rest(const struct wanted *w, PyObject *v, struct buf *expected, struct buf *live)
{
	const char *class = _PyType_Name(Py_TYPE(v));
	struct buf text = { 0 };

	if (strcmp(class, w->class)) {
		buf_addf(expected, " (%s)", w->class);
		buf_addf(live, " (%s)", class);
		return;
	}
	tensor_list(v, "stride", &text);
	if (text.s && *w->stride && strcmp(text.s, w->stride)) {
		buf_addf(expected, " stride [%s]", w->stride);
		buf_addf(live, " stride [%s]", text.s);
	}
	guard_keys_differ(w->keys, v, expected, live);
	buf_release(&text);
}

void guard_tensor_expected(const struct guard *g, struct buf *out)
{
	struct wanted w;

	if (read_tensor(g, &w))
		add_tensor(out, &w);
}

/* "f32[?,3] cpu" fits "f32[5,3] cpu". */
static bool tensor_fits(const char *wanted, const char *is)
{
	for (; *wanted && *is; wanted++, is++) {
		if (*wanted == '?') {
			is += strcspn(is, ",]") - 1;
			continue;
		}
		if (*wanted != *is)
			return false;
	}
	return *wanted == *is;
}

void guard_tensor_live(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		       struct buf *live)
{
	struct wanted w;

	(void)k;
	guard_show(v, live);
	if (verdict == VERDICT_FAILS && read_tensor(g, &w) && expected->s && live->s &&
	    tensor_fits(expected->s, live->s))
		add_rest(&w, v, expected, live);
}

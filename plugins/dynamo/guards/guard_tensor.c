/* SPDX-License-Identifier: BSD-3-Clause */
/* The expected and the actual value of a guard on a tensor, in the form of tensor summaries.  Knows no view. */
#include "guards/guard_tensor.h"
#include "guards/guard_eval.h"
#include "guards/guard_model.h"
#include "guards/guard_text.h"
#include "guards/guard_tree.h"
#include "torch/attrs.h"
#include "torch/cdbg_host.h"
#include "torch/py_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The dispatch keys of a tensor as a guard compares them, and in words how two sets of keys differ. */

/* Keys by the beginning of their names, the longer ones first; those that follow from another one have no words. */
static const struct {
	const char *key, *with, *without;
} key_words[] = {
	{ "Conjugate", "a lazy conjugate (conj())", "no lazy conjugate" },
	{ "Negative", "a lazy negative (imag of conj())", "no lazy negative" },
	{ "ZeroTensor", "a tensor of zeros without memory", "a tensor with memory" },
	{ "FuncTorchBatched", "batched by vmap", "not batched by vmap" },
	{ "FuncTorchGradWrapper", "inside of a torch.func gradient", "outside of torch.func gradients" },
	{ "Functionalize", "inside of functionalize()", "outside of functionalize()" },
	{ "FuncTorchVmapMode", "under a random mode of vmap", "outside of vmap" },
	{ "FuncTorchDynamicLayerFrontMode", "inside of a torch.func transform", "outside of torch.func transforms" },
	{ "FuncTorchDynamicLayerBackMode", NULL, NULL },
	{ "PythonDispatcher", "under torch's Python dispatcher", "without torch's Python dispatcher" },
	{ "PythonTLSSnapshot", NULL, NULL },
	{ "Python", "with __torch_dispatch__ (a subclass or a mode)", "without __torch_dispatch__" },
	{ "Autocast", "under autocast", "outside of autocast" },
	{ "SparseCsr", "sparse in compressed form", "not sparse in compressed form" },
	{ "Sparse", "sparse", "not sparse" },
	{ "NestedTensor", "a nested tensor", "no nested tensor" },
	{ "Quantized", "quantized", "not quantized" },
	{ "Mkldnn", "in the layout of MKLDNN", "not in the layout of MKLDNN" },
	{ "BackendSelect", NULL, NULL }, /* a mode of torch functions excludes it */
};
enum { KEY_WORDS = sizeof(key_words) / sizeof(*key_words) };

/* Keys of the whole tensor or thread, whose presence says more than their difference. */
static const char has_autograd[] = "Autograd", has_views[] = "ADInplaceOrView";

/* Does a key of this set begin with these words? */
static bool guard_keys_have(const char *keys, const char *key)
{
	size_t n = strlen(key);

	for (; *keys; keys += strcspn(keys, ","), keys += strspn(keys, ", "))
		if (!strncmp(keys, key, n))
			return true;
	return false;
}

static bool has_exactly(const char *keys, const char *key, size_t n)
{
	for (; *keys; keys += strcspn(keys, ","), keys += strspn(keys, ", "))
		if (strcspn(keys, ",") == n && !strncmp(keys, key, n))
			return true;
	return false;
}

/* "DispatchKeySet(CPU, AutogradCPU)": the names; keys is borrowed and may be NULL. */
static void add_key_names(PyObject *keys, struct buf *out)
{
	PyObject *text = keys ? PyObject_Repr(keys) : NULL;
	const char *s = py_text_utf8(text), *open = s ? strchr(s, '(') : NULL;

	if (open)
		buf_add(out, open + 1, strcspn(open + 1, ")"));
	PyErr_Clear();
	Py_XDECREF(text);
}

static PyObject *thread_keys(enum attr_id id)
{
	PyObject *get = attrs_get(id), *keys = get ? PyObject_CallNoArgs(get) : NULL;

	PyErr_Clear();
	Py_XDECREF(get);
	return keys;
}

/* The keys of a tensor alone, and as a guard compares them: (own | included) - excluded. */
struct live_keys {
	struct buf own, compared;
	bool inference_mode;
};

static void read_live_keys(PyObject *tensor, struct live_keys *out)
{
	PyObject *of = attrs_get(ATTR_DISPATCH_KEYS), *own = of ? PyObject_CallOneArg(of, tensor) : NULL;
	PyObject *more = thread_keys(ATTR_KEYS_INCLUDED), *less = thread_keys(ATTR_KEYS_EXCLUDED);
	PyObject *both = own && more ? PyNumber_Or(own, more) : NULL;
	PyObject *all = both && less ? PyNumber_Subtract(both, less) : NULL;
	struct buf names = { 0 };

	PyErr_Clear();
	add_key_names(own, &out->own);
	add_key_names(all, &out->compared);
	add_key_names(more, &names);
	/* outside of inference mode every thread includes it */
	out->inference_mode = more && !guard_keys_have(buf_str(&names), has_views);
	buf_release(&names);
	Py_XDECREF(all);
	Py_XDECREF(both);
	Py_XDECREF(less);
	Py_XDECREF(more);
	Py_XDECREF(own);
	Py_XDECREF(of);
}

/* What autograd sees of the tensor is the sum of how it was made and of the mode in which the function is called: a
   guard knows only the sum. */
static const char *wanted_inference(const char *keys)
{
	if (guard_keys_have(keys, has_autograd))
		return "a normal tensor outside of inference_mode";
	return guard_keys_have(keys, has_views) ? "an inference tensor, or a call under inference_mode" :
						  "an inference tensor under inference_mode";
}

static const char *live_inference(const struct live_keys *k)
{
	bool made = *buf_str(&k->own) && !guard_keys_have(k->own.s, has_views);

	if (made)
		return k->inference_mode ? "an inference tensor under inference_mode" :
					   "an inference tensor (made under inference_mode)";
	if (k->inference_mode)
		return "a normal tensor under inference_mode";
	return guard_keys_have(buf_str(&k->compared), has_autograd) ? "a normal tensor outside of inference_mode" :
								      "a call for which torch excluded autograd";
}

static void add_words(struct buf *out, const char *s)
{
	if (!strstr(buf_str(out), s)) /* several keys may have the same words */
		buf_addf(out, ", %s", s);
}

/* A key that one set has and the other lacks. */
static void add_key(const char *key, size_t n, struct buf *has, struct buf *lacks)
{
	size_t i = 0;

	while (i < KEY_WORDS && strncmp(key, key_words[i].key, strlen(key_words[i].key)) != 0)
		i++;
	if (i == KEY_WORDS) {
		buf_addf(has, ", dispatch key %.*s", (int)n, key);
	} else if (key_words[i].with) {
		add_words(has, key_words[i].with);
		add_words(lacks, key_words[i].without);
	}
}

/* Keys of autograd are in the words of wanted_inference() and live_inference(). */
static bool of_inference(const char *key)
{
	return !strncmp(key, has_autograd, strlen(has_autograd)) || !strncmp(key, has_views, strlen(has_views));
}

static void add_missing(const char *keys, const char *other, struct buf *has, struct buf *lacks)
{
	const char *p;
	size_t n;

	for (p = keys; *p; p += n, p += strspn(p, ", ")) {
		n = strcspn(p, ",");
		if (!has_exactly(other, p, n) && !of_inference(p))
			add_key(p, n, has, lacks);
	}
}

/* inference: what autograd sees of the tensor with the keys `is`. */
static void add_differences(const char *wanted, const char *is, const char *inference, struct buf *expected,
			    struct buf *live)
{
	if (guard_keys_have(wanted, has_autograd) != guard_keys_have(is, has_autograd) ||
	    guard_keys_have(wanted, has_views) != guard_keys_have(is, has_views)) {
		buf_addf(expected, ", %s", wanted_inference(wanted));
		buf_addf(live, ", %s", inference);
	}
	add_missing(wanted, is, expected, live);
	add_missing(is, wanted, live, expected);
}

/* The same for a tensor with these compared keys. */
static void guard_keys_differ_from(const char *wanted, const char *is, struct buf *expected, struct buf *live)
{
	add_differences(wanted, is, wanted_inference(is), expected, live);
}

/* Adds for each difference between a guard's keys, "CPU, BackendSelect, ...", and those of the tensor what the guard
   expects and what the tensor is: ", an inference tensor".  The tensor's keys are those that the guard compares: with
   the keys that this thread includes and without those that it excludes.  Nothing where both are the same. */
static void guard_keys_differ(const char *wanted, PyObject *tensor, struct buf *expected, struct buf *live)
{
	struct live_keys k = { { 0 }, { 0 }, false };

	read_live_keys(tensor, &k);
	if (*buf_str(&k.compared))
		add_differences(wanted, k.compared.s, live_inference(&k), expected, live);
	buf_release(&k.own);
	buf_release(&k.compared);
}

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

/* A dtype as guards, summaries and the reasons of failed guards name it. */
static const struct {
	const char *torch, *shown, *reason;
} dtypes[] = {
	{ "float32", "f32", "Float" },
	{ "float64", "f64", "Double" },
	{ "float16", "f16", "Half" },
	{ "bfloat16", "bf16", "BFloat16" },
	{ "int64", "i64", "Long" },
	{ "int32", "i32", "Int" },
	{ "int16", "i16", "Short" },
	{ "int8", "i8", "Char" },
	{ "uint8", "u8", "Byte" },
	{ "uint16", "u16", "UInt16" },
	{ "uint32", "u32", "UInt32" },
	{ "uint64", "u64", "UInt64" },
	{ "complex64", "c64", "ComplexFloat" },
	{ "complex128", "c128", "ComplexDouble" },
};
enum { DTYPES = sizeof(dtypes) / sizeof(*dtypes) };

static const char *short_dtype(const char *name)
{
	size_t i;

	for (i = 0; i < DTYPES; i++)
		if (!strcmp(dtypes[i].torch, name) || !strcmp(dtypes[i].reason, name))
			return dtypes[i].shown;
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

/* Classes and strides that differ. */
static bool add_unlike_classes(const char *wanted, const char *is, struct buf *expected, struct buf *live)
{
	if (!strcmp(wanted, is))
		return false;
	buf_addf(expected, " (%s)", wanted);
	buf_addf(live, " (%s)", is);
	return true;
}

static void add_unlike_strides(const char *wanted, const char *is, struct buf *expected, struct buf *live)
{
	if (!*is || !*wanted || !strcmp(wanted, is))
		return;
	buf_addf(expected, " stride [%s]", wanted);
	buf_addf(live, " stride [%s]", is);
}

/* Both texts are equal although the guard fails: add the other properties that the guard checks. */
static void add_rest(const struct wanted *w, PyObject *v, struct buf *expected, struct buf *live)
{
	struct buf text = { 0 };

	if (add_unlike_classes(w->class, _PyType_Name(Py_TYPE(v)), expected, live))
		return;
	tensor_list(v, "stride", &text);
	add_unlike_strides(w->stride, buf_str(&text), expected, live);
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

/* ---- what the reason of a failed guard says ----------------------------------------------------------------- */

/* "1. expected 3, actual 4" of "None, 3": "None, 4". */
static void read_item(const char *reason, char *list, size_t size)
{
	long at = strtol(reason, NULL, 10);
	char *item = list, rest[300];
	const char *end;

	for (; at > 0 && *item; at--) {
		item += strcspn(item, ",");
		item += strspn(item, ", ");
	}
	end = item + strcspn(item, ",");
	copy_part(rest, sizeof(rest), end, strlen(end));
	take_behind(item, size - (size_t)(item - list), reason, ", actual ", ".,; ");
	copy_part(item + strlen(item), size - (size_t)(item - list) - strlen(item), rest, strlen(rest));
}

static void size_reason(const char *reason, struct wanted *is)
{
	read_item(reason, is->size, sizeof(is->size));
}

static void stride_reason(const char *reason, struct wanted *is)
{
	read_item(reason, is->stride, sizeof(is->stride));
}

/* Of a tensor of another rank no size is known. */
static void rank_reason(const char *reason, struct wanted *is)
{
	const char *actual = strstr(reason, ", actual ");
	long n = actual ? strtol(actual + 9, NULL, 10) : 0;
	size_t len = 0;

	*is->size = *is->stride = '\0';
	for (; n > 0 && len + 7 < sizeof(is->size); n--)
		len += (size_t)snprintf(is->size + len, sizeof(is->size) - len, "None%s", n > 1 ? ", " : "");
}

static void dtype_reason(const char *reason, struct wanted *is)
{
	take_behind(is->dtype, sizeof(is->dtype), reason, ", actual ", ".,; ");
}

static void device_reason(const char *reason, struct wanted *is)
{
	take_behind(is->device, sizeof(is->device), reason, ", actual ", ".,; ");
	if (*is->device == '-')
		copy_part(is->device, sizeof(is->device), "None", 4);
}

static void grad_reason(const char *reason, struct wanted *is)
{
	is->grad = *reason == '0';
}

static void keys_reason(const char *reason, struct wanted *is)
{
	take_behind(is->keys, sizeof(is->keys), reason, ", actual DispatchKeySet(", ")");
}

/* "<class 'torch.nn.parameter.Parameter'>": the name of the class; empty for a builtin one, which no tensor has. */
static void class_reason(const char *reason, struct wanted *is)
{
	const char *dot;

	*is->class = '\0';
	take_behind(is->class, sizeof(is->class), reason, "<class '", "'");
	dot = strrchr(is->class, '.');
	memmove(is->class, dot ? dot + 1 : "", dot ? strlen(dot) : 1);
}

bool guard_tensor_reason(const struct guard *g, const char *reason, struct buf *expected, struct buf *live)
{
	static const struct {
		const char *words;
		void (*read)(const char *reason, struct wanted *is);
	} all[] = {
		{ " size mismatch at index ", size_reason },
		{ " stride mismatch at index ", stride_reason },
		{ " rank mismatch. expected ", rank_reason },
		{ " dtype mismatch. expected ", dtype_reason },
		{ " device index mismatch. Expected ", device_reason },
		{ " requires_grad mismatch. expected requires_grad=", grad_reason },
		{ " dispatch key set mismatch. expected ", keys_reason },
		{ " to be a tensor type, ", class_reason },
	};
	struct wanted w, is;
	const char *p = NULL;
	size_t i;

	if (!read_tensor(g, &w))
		return false;
	is = w;
	for (i = 0; i < sizeof(all) / sizeof(*all) && !p; i++) {
		p = strstr(reason, all[i].words);
		if (p)
			all[i].read(p + strlen(all[i].words), &is);
	}
	add_tensor(expected, &w);
	if (!p)
		return false;
	if (!*is.class) {
		take_behind(is.class, sizeof(is.class), p, "<class '", "'");
		buf_adds(live, is.class); /* no tensor: torch writes its class only */
		return true;
	}
	add_tensor(live, &is);
	if (!add_unlike_classes(w.class, is.class, expected, live)) {
		add_unlike_strides(w.stride, is.stride, expected, live);
		guard_keys_differ_from(w.keys, is.keys, expected, live);
	}
	return true;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The dispatch keys of a tensor as a guard compares them, and in words how two sets of keys differ.  Knows no view. */
#include "guards/guard_keys.h"
#include "torch/attrs.h"
#include "torch/py_text.h"
#include <string.h>

/* Keys by the beginning of their names, the longer ones first; those that follow from another one have no words. */
static const struct {
	const char *key, *with, *without;
} words[] = {
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
enum { WORDS = sizeof(words) / sizeof(*words) };

/* Keys of the whole tensor or thread, whose presence says more than their difference. */
static const char has_autograd[] = "Autograd", has_views[] = "ADInplaceOrView";

bool guard_keys_have(const char *keys, const char *key)
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

	while (i < WORDS && strncmp(key, words[i].key, strlen(words[i].key)) != 0)
		i++;
	if (i == WORDS) {
		buf_addf(has, ", dispatch key %.*s", (int)n, key);
	} else if (words[i].with) {
		add_words(has, words[i].with);
		add_words(lacks, words[i].without);
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

void guard_keys_differ_from(const char *wanted, const char *is, struct buf *expected, struct buf *live)
{
	add_differences(wanted, is, wanted_inference(is), expected, live);
}

void guard_keys_differ(const char *wanted, PyObject *tensor, struct buf *expected, struct buf *live)
{
	struct live_keys k = { { 0 }, { 0 }, false };

	read_live_keys(tensor, &k);
	if (*buf_str(&k.compared))
		add_differences(wanted, k.compared.s, live_inference(&k), expected, live);
	buf_release(&k.own);
	buf_release(&k.compared);
}

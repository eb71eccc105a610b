/* SPDX-License-Identifier: BSD-3-Clause */
/* What to change so that a guard does not fail and nothing is compiled again, by kind of guard.  A remedy states only
   what the guard, the entry and the values show. */
#include "guards/guard_tensor.h"
#include "guards/guard_model.h"
#include "guards/guard_remedy.h"
#include "model/effects.h"
#include "model/entry.h"
#include "model/func.h"
#include "torch/attrs.h"
#include "torch/cdbg_host.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* Who changes the length of a list, a dict or a set that a guard fixes: the compiled function or other code. */

struct guard;

enum length_change {
	LENGTH_UNSEEN,	     /* the generated code replays no change of it, or of unknown length */
	LENGTH_BY_EACH_CALL, /* every call that was compiled, of at least two, left another length than it found */
	LENGTH_BY_FUNCTION,  /* a call that was compiled did */
	LENGTH_BY_OTHERS,    /* no call that was compiled did */
};

/* "len(L['x']) == 2", "not L['x']": 2, 0; -1: another guard. */
static long length_in(const struct guard *g)
{
	const char *at = strstr(g->text, ") == ");
	char *end;
	long n;

	if (!strncmp(g->text, "not ", 4) && !strcmp(g->text + 4, g->source))
		return 0;
	n = at && !strncmp(g->text, "len(", 4) ? strtol(at + 5, &end, 10) : -1;
	return n >= 0 && !*end ? n : -1;
}

/* The length of this source that an entry was compiled for; -1: not known. */
static long compiled_length(struct entry *e, const char *source)
{
	const struct guards *all = guards_of(e);
	long n = -1;
	int i;

	for (i = 0; all && n < 0 && i < all->n; i++)
		if (!strcmp(all->guard[i].source, source))
			n = length_in(&all->guard[i]);
	return n;
}

/* g: a guard on the container itself.  Compares the length that each entry of its function was compiled for with the
   length that its generated code leaves. */
static enum length_change guard_length(const struct guard *g)
{
	struct entry *e;
	long before, after;
	int seen = 0, changed = 0;

	for (e = g->entry ? model_entries : NULL; e; e = e->next) {
		if (model_root(e->func) != model_root(g->entry->func))
			continue;
		after = effects_length(e, g->source);
		before = after < 0 ? -1 : compiled_length(e, g->source);
		seen += before >= 0;
		changed += before >= 0 && before != after;
	}
	return !seen			   ? LENGTH_UNSEEN :
	       !changed			   ? LENGTH_BY_OTHERS :
	       changed == seen && seen > 1 ? LENGTH_BY_EACH_CALL :
					     LENGTH_BY_FUNCTION;
}

static bool is_of_type(PyObject *v, enum attr_id type)
{
	PyObject *t = v ? attrs_get(type) : NULL;
	bool yes = t && PyType_Check(t) && PyType_IsSubtype(Py_TYPE(v), (PyTypeObject *)t);

	Py_XDECREF(t);
	return yes;
}

/* Is it one of the dictionaries that every module has? */
static bool of_module(const char *source)
{
	static const char *const all[] = { "._modules", "._parameters", "._buffers", "_hooks", ".__dict__" };
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (py_text_ends_with(source, all[i]))
			return true;
	return false;
}

static bool is_number(const char *s)
{
	s += *s == '-';
	return *s >= '0' && *s <= '9' && !s[strspn(s, "0123456789.e+-")];
}

static bool is_float(const char *s)
{
	return is_number(s) && strpbrk(s, ".e");
}

/* The dimensions of "[5,3]". */
static int dims(const char *sizes)
{
	int n = sizes[1] != ']';

	for (; *sizes && *sizes != ']'; sizes++)
		n += *sizes == ',';
	return n;
}

/* "[?,3" fits "[5,3". */
static bool sizes_fit(const char *wanted, const char *is)
{
	for (; *wanted && *wanted != ']'; wanted++, is++) {
		if (*wanted == '?')
			is += strcspn(is, ",]") - 1;
		else if (*wanted != *is)
			return false;
	}
	return *is == ']';
}

/* The first size that does not fit, of "f32[?,3] cpu" and "f32[5,4] cpu": "3" and "4". */
static bool first_misfit(const char *wanted, const char *is, long *expected, long *live)
{
	for (; *wanted && *is && *wanted != ']'; wanted += strcspn(wanted, ",]"), is += strcspn(is, ",]")) {
		wanted++;
		is++;
		*expected = strtol(wanted, NULL, 10);
		*live = strtol(is, NULL, 10);
		if (*wanted != '?' && *expected != *live)
			return true;
	}
	return false;
}

static const char *size_remedy(const struct failure *f, const char *wanted, const char *is)
{
	const struct entry *e = f->guard->entry;
	long expected = 0, live = 0;
	bool found = first_misfit(wanted, is, &expected, &live);

	if (is_of_type(f->value, ATTR_PARAMETER) || strstr(f->guard->text, ", Parameter, ") ||
	    strstr(f->guard->source, "._buffers["))
		return "parameters are static, and buffers: set torch._dynamo.config.force_parameter_static_shapes = "
		       "False, or use one module for each size";
	if (found && (expected == 0 || expected == 1 || live == 0 || live == 1))
		return "torch._dynamo.decorators.mark_unbacked(tensor, dim) before the first call: sizes 0 and 1 are "
		       "compiled separately";
	if (e && e->made.dynamic)
		return "the code depends on this size (a comparison, an index, a conversion to int), so it is compiled "
		       "for one value, also with dynamic=True: move that out of the function";
	return "torch._dynamo.mark_dynamic(tensor, dim) before the first call, or torch.compile(dynamic=True)";
}

/* Properties of tensors that guard_tensor.c names after its text, and what to do. */
static const struct {
	const char *words, *remedy;
} properties[] = {
	{ " stride [", "pass tensors of one memory layout: .contiguous() before the call" },
	{ "under no_grad", "call it under one grad mode: no_grad() and enable_grad() are compiled separately" },
	{ "inference", "call it in one mode, inside or outside of inference_mode, with tensors made in that mode: "
		       "clone() outside of it makes a normal tensor" },
	{ "excluded autograd", "call it from one place: torch excludes autograd inside of its own kernels and hooks" },
	{ "conjugate", "resolve_conj() before the call: lazy conjugates are compiled separately" },
	{ "lazy negative", "resolve_neg() before the call: lazy negatives are compiled separately" },
	{ "autocast", "call it under one autocast state" },
	{ "vmap", "call it inside of vmap each time, or outside: batched tensors are compiled separately" },
	{ "torch.func", "call it inside of the same torch.func transforms each time" },
	{ "functionalize", "call it inside of the same torch.func transforms each time" },
	{ "__torch_dispatch__", "pass tensors of one class, under the same modes: those with __torch_dispatch__ are "
				"compiled separately" },
	{ "tensor of zeros", "clone() it before the call: tensors of zeros without memory are compiled separately" },
	{ "sparse", "pass tensors of one layout: to_dense() or to_sparse() before the call" },
	{ "nested", "pass tensors of one layout: nested tensors are compiled separately" },
	{ "quantized", "pass tensors of one layout: quantized tensors are compiled separately" },
	{ "MKLDNN", "pass tensors of one layout: to_dense() before the call" },
};

/* "] cpu grad", "] cpu, under autocast": the length up to the end of the device. */
static size_t device_end(const char *p)
{
	return p[1] == ' ' ? 2 + strcspn(p + 2, " ,") : 1;
}

static const char *tensor(const struct failure *f)
{
	const char *expected = f->expected, *live = f->live;
	const char *a = strchr(expected, '['), *b = live ? strchr(live, '[') : NULL;
	size_t i, n;

	if (!a || !b)
		return "pass a tensor like the one at compile time";
	if (a - expected != b - live || strncmp(expected, live, (size_t)(a - expected)))
		return "pass tensors of one dtype and class: convert them before the call";
	if (dims(a) != dims(b))
		return "tensors with another number of dimensions always recompile: reshape them before the call";
	if (!sizes_fit(a, b))
		return size_remedy(f, a, b);
	if (strchr(expected, '(') && py_text_ends_with(expected, ")"))
		return "pass tensors of one dtype and class: convert them before the call";
	a += strcspn(a, "]");
	b += strcspn(b, "]");
	n = device_end(a);
	if (n != device_end(b) || strncmp(a, b, n) != 0)
		return "pass tensors of one device: move them before the call";
	for (i = 0; i < sizeof(properties) / sizeof(*properties); i++)
		if (strstr(a, properties[i].words) || strstr(b, properties[i].words))
			return properties[i].remedy;
	if (!strncmp(a + n, " grad", 5) != !strncmp(b + n, " grad", 5))
		return "keep requires_grad the same in each call: detach() the tensor, or call under one grad mode";
	return "pass a tensor like the one at compile time";
}

static bool live_is_number(const struct failure *f)
{
	if (f->live)
		return is_number(f->live);
	return f->live_type && (!strcmp(f->live_type, "int") || !strcmp(f->live_type, "float"));
}

/* An attribute of an object that is not known: Dynamo compiles those of modules in its own way. */
static bool of_unknown_owner(const struct failure *f)
{
	const char *dot = strrchr(f->guard->source, '.');

	return !f->owner && dot && !strpbrk(dot, "()[]'");
}

/* Is it an attribute of a module?  Without the module its entry's guards tell: they check the dictionaries of each. */
static bool attribute_of_module(const struct failure *f)
{
	const char *source = f->guard->source, *dot = strrchr(source, '.');
	const struct guards *all = f->owner || !f->guard->entry ? NULL : guards_of(f->guard->entry);
	size_t n = dot ? (size_t)(dot - source) : 0;
	int i;

	if (f->owner)
		return is_of_type(f->owner, ATTR_MODULE);
	for (i = 0; n && all && i < all->n; i++)
		if (!strncmp(all->guard[i].source, source, n) &&
		    (!strncmp(all->guard[i].source + n, "._modules", 9) ||
		     !strncmp(all->guard[i].source + n, "._parameters", 12)))
			return true;
	return n > 2 && dot[-1] == ']' && strstr(source, "._modules[");
}

/* A number, which Dynamo compiles as a symbol from its second value on, unless something forbids it. */
static const char *number_remedy(const struct failure *f)
{
	const struct guard *g = f->guard;
	bool floats = is_float(f->expected);

	if (floats != (f->live ? is_float(f->live) : !strcmp(f->live_type, "float")))
		return "pass numbers of one type each time: int and float are compiled separately";
	if (!floats && !strncmp(g->source, "G[", 2))
		return "integers in globals are constants, and each value is compiled: pass it as an argument, or make "
		       "it a tensor";
	if (floats && !strncmp(g->source, "L['___stack", 11))
		return "set torch._dynamo.config.capture_scalar_outputs = True if it comes from .item(): then the "
		       "graph does not break there";
	if (!floats && attribute_of_module(f))
		return "integers in modules are constants, and each value is compiled: keep it in a tensor (in a "
		       "buffer), or set torch._dynamo.config.allow_unspec_int_on_nn_module = True";
	if (g->entry && g->entry->made.dynamic)
		return "the code depends on the value of this number (a key, an index, a condition), and each value "
		       "is compiled: move that out of the function, or use few values";
	if (attribute_of_module(f) || (of_unknown_owner(f) && f->live))
		return "keep it in a tensor (in a buffer): the first value of a number is compiled as a constant";
	return "torch.compile(dynamic=True), or pass torch.tensor(value): the first value of a number is compiled as "
	       "a constant";
}

static const char *constant_remedy(const struct failure *f)
{
	const struct guard *g = f->guard;

	if (py_text_ends_with(g->source, ".training") && attribute_of_module(f))
		return "train() and eval() are compiled separately: two entries are expected";
	if (strstr(g->source, "._dynamo_") || strstr(g->text, "_dynamo_dynamic_indices"))
		return "mark the tensor the same way before each call";
	if (strstr(g->source, "dict.keys(") || strstr(g->source, ".keys())["))
		return "keep the keys of the dict, and their order, the same";
	if (is_number(f->expected) && live_is_number(f))
		return number_remedy(f);
	return "each value of it is compiled: use few values, or move the code that depends on it out of the function";
}

/* Has one of the sizes that a guard found the value 0 or 1?  "L['x'].size()[0] = 1, ..." */
static bool found_0_or_1(const char *live)
{
	const char *p;

	for (p = strstr(live, " = "); p; p = strstr(p, " = ")) {
		p += 3;
		if ((*p == '0' || *p == '1') && !strchr("0123456789.", p[1] ? p[1] : ' '))
			return true;
	}
	return false;
}

/* A condition on sizes, strides and numbers that Dynamo has as symbols.  Torch says what made it. */
static const char *shapes(const struct failure *f)
{
	const char *made = f->guard->made ? f->guard->made : "", *expected = f->expected;
	bool sizes = strstr(expected, ".size()") != NULL;

	if (strstr(made, "0/1 specialization") && (!f->live || found_0_or_1(f->live)))
		return "torch._dynamo.decorators.mark_unbacked(tensor, dim): sizes 0 and 1 are compiled separately";
	if (strstr(expected, "isnan("))
		return "a float that is not a number (nan) is compiled separately";
	if (strstr(expected, "._base"))
		return "a view and a tensor with its own storage are compiled separately: clone() views before the "
		       "call";
	if (strstr(expected, " is "))
		return "whether two values are one object must be the same in each call: clone() one of them";
	if (strstr(expected, ".stride()") || strstr(expected, ".storage_offset()"))
		return "pass tensors of one memory layout: .contiguous() before the call, or clone() views";
	if (strstr(made, "duck sizing"))
		return "these sizes were equal when it was compiled, and Dynamo takes such sizes for one: set "
		       "torch.fx.experimental._config.use_duck_shape = False";
	if (sizes && strstr(expected, " % "))
		return "the code depends on whether a number divides this size, and both are compiled: pad the tensor "
		       "before the call";
	if (sizes && *made && !strstr(made, "evaluate_expr") && !strstr(expected, "=="))
		return "torch._dynamo.mark_dynamic(tensor, dim, min=, max=) declares the range before the first call: "
		       "declare one that holds all sizes";
	if (sizes)
		return "the code compares this size, and each outcome is compiled: move the comparison out of the "
		       "function, or pass sizes with one outcome";
	return "the code depends on the value of this number (a key, an index, a condition), and each outcome is "
	       "compiled: move that out of the function, or use few values";
}

static const char *state(const struct failure *f)
{
	const struct guard *g = f->guard;
	const char *live = f->live;

	if (live && strstr(live, "grad_mode"))
		return "call it under one grad mode: no_grad() and enable_grad() are compiled separately";
	if (live && strstr(live, "autocast"))
		return "call it under one autocast state";
	if (!strcmp(g->kind, "TORCH_FUNCTION_MODE_STACK"))
		return "call it under the same torch function modes (torch.device contexts) each time";
	if (!strcmp(g->kind, "DEFAULT_DEVICE"))
		return "set the default device once, before the first call";
	return "set global torch flags once, before the first call";
}

static const char *key_remedy(const struct failure *f)
{
	enum length_change by = guard_length(f->guard);

	return by == LENGTH_BY_FUNCTION || by == LENGTH_BY_EACH_CALL ?
		       "the function itself changes the keys: set them before the first call, or return the new items" :
		       "keep the keys the same between calls";
}

static const char *length_remedy(const struct failure *f)
{
	PyObject *first = NULL;

	if (of_module(f->guard->source))
		return "add the module's children, hooks and attributes before the first call";
	switch (guard_length(f->guard)) {
	case LENGTH_BY_EACH_CALL:
		return "the function changes its length in each call, so each call compiles: fill it outside of the "
		       "compiled function, or return the new items";
	case LENGTH_BY_FUNCTION:
		return "the function changed its length in a call that was compiled: fill it before the first call, or "
		       "return the new items";
	case LENGTH_BY_OTHERS:
		return "the function leaves its length as it is, but it changes between calls, and each length is "
		       "compiled: keep one length";
	case LENGTH_UNSEEN:
		break;
	}
	if (f->value && PyList_Check(f->value) && PyList_GET_SIZE(f->value))
		first = PyList_GET_ITEM(f->value, 0);
	else if (f->value && PyTuple_Check(f->value) && PyTuple_GET_SIZE(f->value))
		first = PyTuple_GET_ITEM(f->value, 0);
	return is_of_type(first, ATTR_TENSOR) ?
		       "each length is compiled: pass one length, pad it, or torch.stack() it" :
		       "each length is compiled: keep one length, or pad it";
}

static bool is_among(const char *kind, const char *const *all)
{
	while (*all && strcmp(kind, *all) != 0)
		all++;
	return *all != NULL;
}

const char *guard_remedy(const struct failure *f)
{
	static const char *const lengths[] = { "LENGTH_CHECK", "DICT_LENGTH", NULL },
				 *const keys[] = { "DICT_CONTAINS", "SET_CONTAINS", "MAPPING_KEYS_MATCH", NULL },
				 *const states[] = { "GLOBAL_STATE", "TORCH_FUNCTION_MODE_STACK", "DEFAULT_DEVICE",
						     NULL },
				 *const apart[] = { "NO_TENSOR_ALIASING", "OBJECT_ALIASING", "STORAGE_OVERLAPPING",
						    NULL };
	const char *kind = f->guard->kind, *source = f->guard->source;

	if (!strcmp(kind, "TENSOR_MATCH"))
		return tensor(f);
	if (f->guard->epilogue || !strcmp(kind, "SYMBOLIC_SHAPE_GUARD"))
		return shapes(f);
	if (is_among(kind, states))
		return state(f);
	if (!strcmp(kind, "TYPE_MATCH"))
		return "use an object of one type each time";
	if (!strcmp(kind, "ID_MATCH"))
		return !strncmp(source, "G['", 3) && py_text_ends_with(source, "']") && !strchr(source + 3, '[') ?
			       "the global is rebound between calls: bind it once, or pass it as an argument" :
			       "each object is compiled separately: pass the same one, do not make a new one for each "
			       "call";
	if (is_among(kind, lengths))
		return length_remedy(f);
	if (is_among(kind, keys))
		return key_remedy(f);
	if (is_among(kind, apart))
		return "whether two values are one tensor must be the same in each call: clone() one of them";
	if (!strcmp(kind, "DIMENSION_DYNAMIC_MARKING_GUARD"))
		return "mark the tensor the same way (mark_dynamic, mark_unbacked) before each call";
	if (!strcmp(kind, "NO_HASATTR"))
		return "do not add the attribute between calls";
	return constant_remedy(f);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What to change so that a guard does not fail and nothing is compiled again, by kind of guard.  Texts only. */
#include "guards/guard_remedy.h"
#include "torch/py_text.h"
#include "model/effects.h"
#include "guards/guard_model.h"
#include <string.h>

/* What kind of variable the value comes from, according to its source. */
static bool is_module_value(const char *source)
{
	return strstr(source, "._modules[") || !strncmp(source, "L['self'].", 10);
}

/* Is it one of the dictionaries that every module has? */
static bool of_module(const char *source)
{
	static const char *const all[] = { "._modules", "._parameters", "._buffers", "_hooks", ".__dict__" };
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (text_ends_with(source, all[i]))
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

static const char *tensor(const struct guard *g, const char *expected, const char *live)
{
	const char *a = strchr(expected, '['), *b = live ? strchr(live, '[') : NULL;

	if (!a || !b)
		return "pass a tensor like the one at compile time";
	if (a - expected != b - live || strncmp(expected, live, (size_t)(a - expected)))
		return "pass tensors of one dtype and class: convert them before the call";
	if (dims(a) != dims(b))
		return "tensors with another number of dimensions always recompile: reshape them before the call";
	if (!sizes_fit(a, b))
		return is_module_value(g->source) ? "parameters are static: set torch._dynamo.config."
						    "force_parameter_static_shapes = False, or "
						    "use one module for each size" :
						    "torch._dynamo.mark_dynamic(tensor, dim) before the first call, or "
						    "torch.compile(dynamic=True)";
	if (strchr(expected, '('))
		return "pass tensors of one dtype and class: convert them before the call";
	if (!strstr(expected, " grad") != !strstr(live, " grad"))
		return "keep requires_grad the same in each call: detach() the tensor, or call under one grad mode";
	if (strstr(expected, " stride "))
		return "pass tensors of one memory layout: .contiguous() before the call";
	if (strstr(expected, " keys "))
		return "call it under one mode each time (no_grad, inference_mode), with the same kind of tensor";
	return "pass tensors of one device and layout";
}

static const char *constant_remedy(const struct guard *g, const char *expected, const char *live)
{
	if (strstr(g->source, ".training"))
		return "train() and eval() are compiled separately: two entries are expected";
	if (strstr(g->source, "_dynamo_") || strstr(g->text, "_dynamo_dynamic_indices"))
		return "mark the tensor the same way before each call";
	if (strstr(g->source, "dict.keys(") || strstr(g->source, ".keys())["))
		return "keep the keys of the dict, and their order, the same";
	if (!strncmp(g->source, "G[", 2) && live && is_number(expected) && is_number(live))
		return "numbers in globals are constants, and each value is compiled: pass it as an argument, or "
		       "make it a tensor";
	if (live && is_number(expected) && is_number(live)) {
		if (is_float(expected) != is_float(live))
			return "pass numbers of one type each time: int and float are compiled separately";
		if (is_float(expected) && !strncmp(g->source, "L['___stack", 11))
			return "set torch._dynamo.config.capture_scalar_outputs = True if it comes from .item(): "
			       "then the graph does not break there";
		if (is_float(expected))
			return is_module_value(g->source) ?
				       "keep it in a tensor (in a module, a buffer): a tensor is not a constant" :
				       "pass torch.tensor(value): a tensor is not a constant";
		if (is_module_value(g->source))
			return "each value of the attribute is compiled: keep it in a tensor (in a module, a buffer), "
			       "or set torch._dynamo.config.allow_unspec_int_on_nn_module = True for a module's";
		return "torch.compile(dynamic=True), or let the second value compile it dynamic "
		       "(automatic_dynamic_shapes), or pass torch.tensor(value)";
	}
	if (!strncmp(g->source, "G[", 2))
		return "the global changes between calls: pass it as an argument, if possible as a tensor";
	if (is_module_value(g->source))
		return "the attribute changes between calls: set it once before compiling, or pass it as an argument";
	return "each value of it is compiled: pass few values, or move the code that depends on it out of the function";
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

static const char *shapes(const struct guard *g, const char *expected, const char *live)
{
	if (g->made && strstr(g->made, "0/1 specialization") && (!live || found_0_or_1(live)))
		return "torch._dynamo.decorators.mark_unbacked(tensor, dim): sizes 0 and 1 are compiled separately";
	if (strstr(expected, "isnan(") && !strstr(expected, " and "))
		return "a float that is not a number (nan) is compiled separately";
	if (strstr(expected, "._base"))
		return "a view and a tensor with its own storage are compiled separately: clone() views before the "
		       "call";
	if (strstr(expected, " is "))
		return "whether two arguments are one object must be the same in each call: clone() one of them";
	if (strstr(expected, "%") || strstr(expected, "=="))
		return "the code fixes this size: torch._check() it if that is intended, else do not compare sizes";
	return "torch._dynamo.mark_dynamic(tensor, dim, min=, max=) declares the range before the first call";
}

static const char *state(const struct guard *g, const char *live)
{
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

const char *guard_remedy(const struct guard *g, const char *expected, const char *live)
{
	const char *kind = g->kind;

	if (!strcmp(kind, "TENSOR_MATCH"))
		return tensor(g, expected, live);
	if (g->epilogue || !strcmp(kind, "SYMBOLIC_SHAPE_GUARD"))
		return shapes(g, expected, live);
	if (!strcmp(kind, "GLOBAL_STATE") || !strcmp(kind, "TORCH_FUNCTION_MODE_STACK") ||
	    !strcmp(kind, "DEFAULT_DEVICE"))
		return state(g, live);
	if (!strcmp(kind, "TYPE_MATCH"))
		return "pass an object of one type each time";
	if (!strcmp(kind, "ID_MATCH"))
		return strncmp(g->source, "G[", 2) ?
			       "each object is compiled separately: pass the same one, do not make a new "
			       "one for each call" :
			       "the global is rebound between calls: bind it once, or pass it as an argument";
	if (!strcmp(kind, "DICT_LENGTH") && of_module(g->source))
		return "add the module's children, hooks and attributes before the first call";
	if ((!strcmp(kind, "LENGTH_CHECK") || !strcmp(kind, "DICT_LENGTH")) && effects_change(g->entry, g->source))
		return "the function changes its length in each call, so each call compiles: fill it outside of the "
		       "compiled function, or return the new items";
	if (!strcmp(kind, "LENGTH_CHECK") || !strcmp(kind, "DICT_LENGTH"))
		return "each length is compiled: pass one length, pad it, or torch.stack() it";
	if (!strcmp(kind, "DICT_CONTAINS") || !strcmp(kind, "SET_CONTAINS") || !strcmp(kind, "MAPPING_KEYS_MATCH"))
		return "keep the keys the same between calls";
	if (!strcmp(kind, "NO_TENSOR_ALIASING") || !strcmp(kind, "OBJECT_ALIASING") ||
	    !strcmp(kind, "STORAGE_OVERLAPPING"))
		return "whether two arguments are one tensor must be the same in each call: clone() one of them";
	if (!strcmp(kind, "DIMENSION_DYNAMIC_MARKING_GUARD"))
		return "mark the tensor the same way (mark_dynamic, mark_unbacked) before each call";
	if (!strcmp(kind, "NO_HASATTR"))
		return "do not add the attribute between calls";
	return constant_remedy(g, expected, live);
}

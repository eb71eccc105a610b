/* SPDX-License-Identifier: BSD-3-Clause */
/* What the decompiler cannot know of generated code: which globals never change, and which instructions only call
   profiler hooks.  Knows nothing of statements. */
#include "code/dynamo_code.h"
#include "torch/py_text.h"
#include <ctype.h>
#include <string.h>

/* Dynamo installs these names in a module's globals once (torch/_dynamo/output_graph.py, install_global). */
int hints_steady(struct code *c, const char *name)
{
	static const char *const prefixes[] = { "__compiled_fn", "__resume_at", "__import_", "___module_",
						"__builtins_dict__" };
	size_t i;

	(void)c;
	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return 1;
	return 0;
}

/* "__compiled_fn_1_2c736fa2_bcb9_4768_99b0_63c6b02410e5": what follows the number only makes the name unique. */
int hints_name_length(const char *name)
{
	size_t n = 14, digits = strncmp(name, "__compiled_fn_", n) ? 0 : strspn(name + n, "0123456789");

	return digits && name[n + digits] == '_' ? (int)(n + digits) : 0;
}

/* "tmp_12" for "tmp_" */
static bool is_numbered(const char *name, const char *what)
{
	size_t n = strlen(what);

	return !strncmp(name, what, n) && name[n] && strspn(name + n, "0123456789") == strlen(name + n);
}

/* "__import_torch_dot__dynamo" is torch._dynamo. */
static const char *module_of(const char *name)
{
	static char text[200];
	const char *s = name + strlen("__import_");
	size_t n = 0;

	while (*s && n + 1 < sizeof(text)) {
		if (!strncmp(s, "_dot_", 5)) {
			text[n++] = '.';
			s += 5;
		} else {
			text[n++] = *s++;
		}
	}
	text[n] = '\0';
	return *s || !n ? NULL : text;
}

/* "___module_deque_139741314338368_c0" is deque: PyCodegen made it from the name of a class of a module. */
static const char *class_named(const char *name)
{
	static char text[100];
	const char *s = name + strlen("___module_"), *end = strrchr(s, '_');

	while (end && end > s && end[-1] != '_')
		end--;
	if (!end || end - s < 2 || end - s > (int)sizeof(text) - 1 || !isdigit((unsigned char)*end))
		return NULL;
	memcpy(text, s, (size_t)(end - 1 - s));
	text[end - 1 - s] = '\0';
	return text;
}

/* Variables are those of PyCodegen and OutputGraph.new_var, functions those that side_effects.py calls. */
const char *hints_reads_as(const char *name)
{
	static const char *const functions[][2] = {
		{ "torch._dynamo.utils.object_setattr_ignore_descriptor", "$1.$2 = $3" },
		{ "torch.nn.modules.module.Module.__setattr__", "$1.$2 = $3" },
		{ "torch._dynamo.utils.object_delattr_ignore_descriptor", "del $1.$2" },
		{ "torch._dynamo.utils.dict_getitem", "$1[$2]" },
		{ "torch._dynamo.utils.list_getitem", "$1[$2]" },
		{ "torch._dynamo.utils.dict_keys_getitem", "list(dict.keys($1))[$2]" },
		{ "torch._dynamo.utils.set_getitem", "list($1)[$2]" },
		{ "torch._dynamo.utils.call_size", "$1.size($2)" },
		{ "torch._dynamo.utils.call_stride", "$1.stride($2)" },
		{ "torch._dynamo.utils.call_storage_offset", "$1.storage_offset()" },
		{ "torch._dynamo.utils.iter_next", "next" },
		{ "torch._dynamo.variables.functions._create_nested_fn", "$def" },
		{ "torch._dynamo.utils.make_cell", "$cell" },
		{ "torch.set_grad_enabled", "$with" },
		{ "torch.amp.autocast_mode.autocast", "$with" },
		{ "torch.inference_mode", "$with" },
		{ "torch._C.DisableTorchFunctionSubclass", "$with" },
		{ "torch.nn.attention._sdpa_kernel_variadic", "$with" },
		{ "torch.autograd.graph.disable_saved_tensors_hooks", "$with" },
		{ "torch.fx.traceback.annotate", "$with" },
		{ "torch._dynamo.error_on_graph_break", "$with" },
		{ "torch._dynamo.patch_dynamo_config", "$with" },
		{ "torch._dynamo.override_cudagraphs", "$with" },
		{ "torch.cuda.device", "$with" },
		{ "torch.xpu.device", "$with" },
		{ "torch.accelerator.device_index", "$with" },
		{ "contextlib.nullcontext", "$with" },
	};
	size_t i;

	if (is_numbered(name, "tmp_"))
		return "";
	if (is_numbered(name, "graph_out_"))
		return "()";
	if (!strncmp(name, "___context_manager_", 19))
		return "with";
	if (!strncmp(name, "__import_", 9))
		return module_of(name);
	if (!strncmp(name, "___module_", 10))
		return class_named(name);
	if (is_numbered(name, "__builtins_dict___"))
		return "builtins.__dict__";
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(name, functions[i][0]))
			return functions[i][1];
	return NULL;
}

static bool is_opname(struct code *c, int i, const char *name)
{
	return i >= 0 && i < c->n && !strncmp(host->code.op_name(c->instr[i].op), name, strlen(name));
}

static PyObject *stored(struct code *c, int i)
{
	return is_opname(c, i, "STORE_FAST") ? (PyObject *)host->code.arg_object(c, i) : NULL;
}

/* The attribute that an instruction loads begins so. */
static bool loads_hook(struct code *c, int i)
{
	PyObject *name = is_opname(c, i, "LOAD_ATTR") ? (PyObject *)host->code.arg_object(c, i) : NULL;
	const char *s = py_text_utf8(name);

	return s && !strncmp(s, "record_pregraph_bytecode", 24);
}

static bool is_kept(struct code *c, int i)
{
	const char *s = is_opname(c, i, "LOAD_FAST") || is_opname(c, i, "STORE_FAST") ?
				py_text_utf8((PyObject *)host->code.arg_object(c, i)) :
				NULL;

	return s && is_numbered(s, "tmp_");
}

static bool loads_none(struct code *c, int i)
{
	return is_opname(c, i, "LOAD_CONST") && (PyObject *)host->code.arg_object(c, i) == Py_None;
}

static bool loads_gate(struct code *c, int i)
{
	const char *s = is_opname(c, i, "LOAD_ATTR") ? py_text_utf8((PyObject *)host->code.arg_object(c, i)) : NULL;

	return s && !strcmp(s, "_is_profiler_enabled");
}

enum { LONGEST_CALL = 16 };

/* Newer versions of torch call hooks only if a profiler runs: "if tmp_3: ...", or "if tmp_1 is not None: ...".
   The first instruction of the test, given that which loads the object whose attribute is the hook; -1: no test. */
static int test_start(struct code *c, int i)
{
	bool is_test;

	if (!is_kept(c, i--))
		return -1;
	if (is_opname(c, i, "NOT_TAKEN"))
		i--;
	is_test = is_opname(c, i--, "POP_JUMP");
	if (is_opname(c, i, "TO_BOOL"))
		i--;
	else if (is_opname(c, i, "IS_OP"))
		i -= 2;
	return is_test && is_kept(c, i) ? i : -1;
}

/* Where the variables of such a test begin to be set: at the load of the module that says whether a profiler runs. */
static int gate_start(struct code *c, int test)
{
	int i;

	for (i = test - 1; i > test - LONGEST_CALL && i > 0; i--) {
		if (loads_gate(c, i))
			return i - 1;
		if (!is_kept(c, i) && !loads_none(c, i) && !is_opname(c, i, "LOAD_GLOBAL"))
			break;
	}
	return test;
}

/* Where both ways of such a test meet again, given its last instruction on the way of the hook. */
static int test_end(struct code *c, int last)
{
	int i = last + 1;

	while (loads_none(c, i) || is_opname(c, i, "JUMP_FORWARD") || is_opname(c, i, "NOP"))
		i++;
	return i > last + 1 && is_opname(c, i, "POP_TOP") ? i : last;
}

/* The end of the stretch that begins with the load of a hook: what its call left is stored or dropped. */
static int hook_end(struct code *c, int load, PyObject *names[2])
{
	bool called = false;
	int i, n = 0;

	for (i = load + 1; i < c->n && i < load + LONGEST_CALL; i++) {
		if (is_opname(c, i, "CALL"))
			called = true;
		if (stored(c, i) && n < 2)
			names[n++] = stored(c, i);
		if (called && (stored(c, i) || is_opname(c, i, "POP_TOP")))
			return test_start(c, load - 1) < 0 ? i : test_end(c, i);
	}
	return -1;
}

/* The first instruction of the call of a hook whose attribute is loaded here. */
static int hook_start(struct code *c, int load)
{
	int i = test_start(c, load - 1);

	if (i >= 0)
		return gate_start(c, i);
	for (i = load; i > 0 && i > load - LONGEST_CALL && !is_opname(c, i, "LOAD_GLOBAL"); i--)
		;
	return i;
}

/* Does this instruction delete a temporary variable in which Dynamo kept a hook or what its call left?  Arguments of
   any number may be between the two. */
static bool deletes_hook(struct code *c, int index)
{
	PyObject *name = is_opname(c, index, "DELETE_FAST") ? (PyObject *)host->code.arg_object(c, index) : NULL;
	PyObject *names[2];
	const char *s = py_text_utf8(name);
	int i;

	if (!s || strncmp(s, "tmp_", 4) != 0)
		return false;
	for (i = index; i >= 0; i--) {
		names[0] = names[1] = NULL;
		if (loads_hook(c, i) && hook_end(c, i, names) >= 0 && (name == names[0] || name == names[1]))
			return true;
	}
	return false;
}

/* A resume function sets this variable before and after it enters contexts again: Dynamo's tracer looks for it. */
static bool stores_mark(struct code *c, int i)
{
	const char *s = py_text_utf8(stored(c, i));

	return s && !strcmp(s, "__is_tracing_resume_prologue");
}

/* Is this instruction part of a call of a profiler hook, of the clean-up after one, or of a resume function's mark? */
const char *hints_boilerplate(struct code *c, int index)
{
	static const char words[] = "calls of profiler hooks";
	PyObject *names[2];
	int i;

	host->code.decode(c);
	if (stores_mark(c, index) || (is_opname(c, index, "LOAD_CONST") && stores_mark(c, index + 1)))
		return "marks of the resume prologue";
	for (i = index - LONGEST_CALL; i <= index + 2 * LONGEST_CALL; i++)
		if (loads_hook(c, i) && index >= hook_start(c, i) && index <= hook_end(c, i, names))
			return words;
	return deletes_hook(c, index) ? words : NULL;
}

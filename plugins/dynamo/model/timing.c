/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the time of compiles went: torch's own phases as a tree, and costs by line, module and operator.  Plain data;
   knows not how it is measured. */
#include "model/timing.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

struct timing *model_timings;
static struct timing **timings_end = &model_timings;

const struct phase_info phase_info[PHASE_COUNT] = {
	[PHASE_TRACE] = { "trace", "trace", "Dynamo's symbolic run, and the code that it generates",
			  "Dynamo, tracing" },
	[PHASE_DISCARDED] = { "discarded", "discarded", "attempts whose results a restart threw away",
			      "Dynamo, tracing" },
	[PHASE_GUARDS] = { "guards", "guards", "guards are built", "Dynamo, guards" },
	[PHASE_BACKEND] = { "backend", "backend", "in the backend, outside of the phases that torch times",
			    "the backend" },
	[PHASE_AOT] = { "aot", "AOT", "AOTAutograd, without the joint graph", "AOTAutograd" },
	[PHASE_JOINT] = { "joint", "joint", "the joint graph is traced, changed by passes and partitioned",
			  "AOTAutograd, joint graph" },
	[PHASE_LOWERING] = { "lowering", "lowering", "inductor's passes, and lowering", "inductor, lowering" },
	[PHASE_SCHEDULING] = { "scheduling", "scheduling", "inductor's scheduler fuses kernels",
			       "inductor, scheduling" },
	[PHASE_CODE] = { "code", "code", "inductor writes kernels and the code that calls them", "inductor, code" },
	[PHASE_COMPILE] = { "compile", "C++/Triton", "kernels are compiled, or waited for", "inductor, C++ or Triton" },
	[PHASE_AUTOTUNE] = { "autotune", "autotune", "kernels are measured, also at run time", "inductor, autotuning" },
	[PHASE_LOAD] = { "load", "load", "compiled code is loaded", "inductor, loading code" },
	[PHASE_CACHE] = { "cache", "cache keys", "keys of torch's caches are computed", "inductor, cache keys" },
	[PHASE_IMPORT] = { "import", "import", "the backend is imported", "importing the backend" },
	[PHASE_GC] = { "gc", "gc", "torch collects garbage after a compile", "collecting garbage" },
	[PHASE_OTHER] = { "other", "other", "the rest", "" },
};

/* Events by the beginning of their names; the first that fits counts. */
static const struct {
	const char *begins;
	enum phase phase;
} events[] = {
	{ "compile_attempt_", PHASE_TRACE },
	{ "bytecode_tracing", PHASE_TRACE },
	{ "fullgraph_capture", PHASE_TRACE },
	{ "compiled_autograd", PHASE_TRACE },
	{ "insert_deferred_runtime_asserts", PHASE_TRACE },
	{ "bytecode_hooks_", PHASE_TRACE },
	{ "invoke_subgraph_trace_joint_graph", PHASE_JOINT },
	{ "invoke_subgraph_fake_tensor", PHASE_AOT },
	{ "invoke_subgraph_proxy_tensor", PHASE_AOT },
	{ "invoke_subgraph_", PHASE_TRACE },
	{ "build_guards", PHASE_GUARDS },
	{ "precompile_load_guards", PHASE_GUARDS },
	{ "precompile_build_guards", PHASE_GUARDS },
	{ "backend_compile", PHASE_BACKEND },
	{ "OutputGraph.call_user_compiler", PHASE_BACKEND },
	{ "create_aot_dispatcher_function", PHASE_AOT },
	{ "aot_collect_metadata", PHASE_AOT },
	{ "entire_backward_compile", PHASE_AOT },
	{ "backward._backward_impl", PHASE_AOT },
	{ "aot_trace_joint_graph", PHASE_JOINT },
	{ "min_cut_rematerialization_partition", PHASE_JOINT },
	{ "_recursive_joint_graph_passes", PHASE_JOINT },
	{ "joint_graph_passes", PHASE_JOINT },
	{ "compile_fx_aot", PHASE_LOWERING },
	{ "compile_fx", PHASE_LOWERING },
	{ "inductor_compile", PHASE_LOWERING },
	{ "fx_codegen_and_compile", PHASE_LOWERING },
	{ "_recursive_pre_grad_passes", PHASE_LOWERING },
	{ "_recursive_post_grad_passes", PHASE_LOWERING },
	{ "post_grad_passes", PHASE_LOWERING },
	{ "additional_fake_tensor_prop", PHASE_LOWERING },
	{ "GraphLowering.run", PHASE_LOWERING },
	{ "pass.", PHASE_LOWERING },
	{ "fx.bucketing.", PHASE_LOWERING },
	{ "convert_conv_weights_", PHASE_LOWERING },
	{ "Scheduler.codegen", PHASE_CODE },
	{ "Scheduler.", PHASE_SCHEDULING },
	{ "collective_compute_do_bench", PHASE_AUTOTUNE },
	{ "benchmark_", PHASE_AUTOTUNE },
	{ "GraphLowering.co", PHASE_CODE }, /* codegen, codegen_subgraph, compile_to_module, compile_to_fn */
	{ "code_gen", PHASE_CODE },
	{ "generate_kernel_code_from_nodes", PHASE_CODE },
	{ "PythonWrapperCodegen.", PHASE_CODE },
	{ "CppWrapper", PHASE_CODE },
	{ "WrapperCodeGen.", PHASE_CODE },
	{ "CUTLASSGemmTemplate.", PHASE_CODE },
	{ "cutlass_utils.", PHASE_CODE },
	{ "compile_file", PHASE_COMPILE },
	{ "async_compile.", PHASE_COMPILE },
	{ "AotCodeCompiler.", PHASE_COMPILE },
	{ "aoti_", PHASE_COMPILE },
	{ "StaticAutotunerFuture.", PHASE_COMPILE },
	{ "CachingAutotuner.slow_precompile_config", PHASE_COMPILE },
	{ "CachingAutotuner.", PHASE_AUTOTUNE },
	{ "PyCodeCache.", PHASE_LOAD },
	{ "AOTAutogradCache.inductor_load", PHASE_LOAD },
	{ "after_deserialization", PHASE_LOAD },
	{ "CompiledArtifact.load", PHASE_LOAD },
	{ "GraphPickler.loads", PHASE_LOAD },
	{ "reload_kernel_in_parent", PHASE_LOAD },
	{ "TritonBundler.", PHASE_LOAD },
	{ "CacheBase.get_system", PHASE_CACHE },
	{ "inductor_codecache_torch_key", PHASE_CACHE },
	{ "pgo.", PHASE_CACHE },
	{ "inductor_import", PHASE_IMPORT },
	{ "gc", PHASE_GC },
};

enum phase phase_of(const char *event)
{
	size_t i;

	for (i = 0; event && i < sizeof(events) / sizeof(*events); i++)
		if (py_text_begins_with(event, events[i].begins))
			return events[i].phase;
	if (event && (strstr(event, "_template_autotuning") || strstr(event, "_template_precompiling")))
		return PHASE_AUTOTUNE;
	return PHASE_OTHER;
}

static void add_phases(const struct span *s, bool discarded, double out[PHASE_COUNT])
{
	const struct span *in;

	discarded = discarded || s->discarded;
	out[discarded ? PHASE_DISCARDED : phase_of(s->name)] += s->self;
	for (in = s->first; in; in = in->next)
		add_phases(in, discarded, out);
}

void timing_phases(const struct timing *t, double out[PHASE_COUNT])
{
	int i;

	for (i = 0; i < PHASE_COUNT; i++)
		out[i] = 0;
	add_phases(&t->root, false, out);
}

struct timing *timing_new(const char *id, PyObject *compile_id, bool backward)
{
	struct timing *t = mem_alloc(sizeof(*t));

	t->id = mem_str(id);
	t->compile_id = Py_XNewRef(compile_id);
	t->backward = backward;
	*timings_end = t;
	timings_end = &t->next;
	return t;
}

struct timing *timing_find(PyObject *compile_id, const char *id, bool backward)
{
	struct timing *t, *found = NULL;

	for (t = model_timings; t; t = t->next) {
		if (t->backward != backward)
			continue;
		if (compile_id && t->compile_id == compile_id)
			return t;
		if (id && t->id && !strcmp(t->id, id))
			found = t;
	}
	return found;
}

struct span *span_within(struct span *of, const char *name)
{
	struct span **p;

	for (p = &of->first; *p; p = &(*p)->next)
		if ((*p)->name == name)
			return *p;
	*p = mem_alloc(sizeof(**p));
	(*p)->name = name;
	return *p;
}

static size_t line_hash(const char *file, int line, const char *module)
{
	size_t h = (size_t)(uintptr_t)file / 16 * 31 + (size_t)line;

	return (h * 31 + (size_t)(uintptr_t)module / 16) * (size_t)0x9e3779b97f4a7c15ULL;
}

/* The place in the table for it: an empty one, or where its index is.  Texts of the model have one address each. */
static int *line_slot(struct timing *t, const char *file, int line, const char *module)
{
	size_t at = line_hash(file, line, module) >> 20;
	const struct line_cost *l;

	for (;; at++) {
		int *slot = &t->lines.slot[at & (t->lines.slots - 1)];

		l = *slot ? &t->lines.line[*slot - 1] : NULL;
		if (!l || (l->file == file && l->line == line && l->module == module))
			return slot;
	}
}

static void more_slots(struct timing *t)
{
	size_t i;

	free(t->lines.slot);
	t->lines.slots = t->lines.slots ? t->lines.slots * 2 : 64;
	t->lines.slot = mem_alloc(t->lines.slots * sizeof(*t->lines.slot));
	for (i = 0; i < t->lines.n; i++)
		*line_slot(t, t->lines.line[i].file, t->lines.line[i].line, t->lines.line[i].module) = (int)i + 1;
}

struct line_cost *timing_line(struct timing *t, const char *file, int line, const char *module)
{
	int *slot;

	if (t->lines.n * 2 >= t->lines.slots)
		more_slots(t);
	slot = line_slot(t, file, line, module);
	if (!*slot) {
		t->lines.line = mem_grow(t->lines.line, &t->lines.cap, t->lines.n + 1, sizeof(*t->lines.line));
		memset(&t->lines.line[t->lines.n], 0, sizeof(*t->lines.line));
		t->lines.line[t->lines.n].file = file;
		t->lines.line[t->lines.n].line = line;
		t->lines.line[t->lines.n].module = module;
		*slot = (int)++t->lines.n;
	}
	return &t->lines.line[*slot - 1];
}

struct operator_cost *timing_operator(struct timing *t, const char *target)
{
	size_t i;

	for (i = 0; i < t->ops.n; i++)
		if (t->ops.op[i].target == target)
			return &t->ops.op[i];
	t->ops.op = mem_grow(t->ops.op, &t->ops.cap, t->ops.n + 1, sizeof(*t->ops.op));
	memset(&t->ops.op[t->ops.n], 0, sizeof(*t->ops.op));
	t->ops.op[t->ops.n].target = target;
	return &t->ops.op[t->ops.n++];
}

static void free_spans(struct span *first)
{
	struct span *next;

	for (; first; first = next) {
		next = first->next;
		free_spans(first->first);
		free(first);
	}
}

void timings_release(void)
{
	struct timing *t;

	while ((t = model_timings)) {
		model_timings = t->next;
		free_spans(t->root.first);
		free_spans(t->beside.first);
		Py_XDECREF(t->compile_id);
		free(t->lines.line);
		free(t->lines.slot);
		free(t->ops.op);
		free(t->attempts.restarts);
		free(t->attempts.misses);
		free(t->id);
		free(t);
	}
	timings_end = &model_timings;
}

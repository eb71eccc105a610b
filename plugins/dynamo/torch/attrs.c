/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of all attributes of torch that this plugin uses, with their purpose and the versions that have them;
   looked up, replaced and restored here only. Does not know what the replacements do. */
#include "torch/attrs.h"
#include "torch/py_text.h"
#include "torch/wrapper.h"
#include <stdio.h>
#include <string.h>

struct name {
	const char *module, *attr; /* attr may have dots */
	const char *seen;	   /* versions of torch */
	const char *use;	   /* what is off without it */
};

static const struct name table[ATTR_COUNT] = {
	[ATTR_VERSION] = { "torch", "__version__", "2.6-2.15", "nothing: another version may lack names" },
	[ATTR_COMPILE] = { "torch._dynamo.convert_frame", "_compile", "2.6-2.15",
			   "entries of code compiled from now on" },
	[ATTR_CATCH] = { "torch._dynamo.convert_frame", "CatchErrorsWrapper.__call__", "2.6-2.15",
			 "stops of compiling; info compiled" },
	[ATTR_REASONS] = { "torch._dynamo.convert_frame", "get_and_maybe_log_recompilation_reasons", "2.13-2.15",
			   "stops of recompiles" },
	[ATTR_GUARDS] = { "torch._dynamo.guards", "CheckFunctionManager.__init__", "2.6-2.15",
			  "the program's line of guards that torch's own files made" },
	[ATTR_LOG_BREAK] = { "torch._dynamo.symbolic_convert", "InstructionTranslatorBase.log_graph_break", "2.13-2.15",
			     "graph breaks and their kinds" },
	[ATTR_USER_COMPILER] = { "torch._dynamo.output_graph", "OutputGraph.call_user_compiler", "2.6-2.15",
				 "graphs: their nodes and lines" },
	[ATTR_RESUME_GLOBAL] = { "torch._dynamo.output_graph", "OutputGraph.install_resume_function_global",
				 "2.13-2.15", "resume functions before they are compiled" },
	[ATTR_SAID_BREAK] = { "torch._dynamo.symbolic_convert", "log_graph_break", "2.6", "graph breaks" },
	[ATTR_GLOBAL] = { "torch._dynamo.output_graph", "OutputGraph.install_global_unsafe", "2.6-2.15",
			  "graphs; resume functions before they are compiled" },
	[ATTR_RUN] = { "torch._dynamo.symbolic_convert", "InstructionTranslatorBase.run", "2.6-2.15",
		       "breaks that are errors; why torch 2.6 skips a function" },
	[ATTR_ERASE] = { "torch._dynamo.output_graph", "DynamoTracerOutput._cleanup_output_graph", "2.13-2.15",
			 "nodes before a break that is an error" },
	[ATTR_STARTS_LINE] = { "torch._dynamo.symbolic_convert", "InstructionTranslatorBase.starts_line", "2.6-2.15",
			       "breakpoints on lines that put nothing into a graph" },
	[ATTR_EVENT_START] = { "torch._dynamo.utils", "ChromiumEventLogger.log_event_start", "2.6-2.15",
			       "phases in info compile-time" },
	[ATTR_EVENT_END] = { "torch._dynamo.utils", "ChromiumEventLogger.log_event_end", "2.6-2.15",
			     "phases in info compile-time" },
	[ATTR_AUTOGRAD_LOGGER] = { "torch._C", "_dynamo.compiled_autograd.set_verbose_logger", "2.6-2.15",
				   "why compiled autograd captures again" },
	[ATTR_AUTOGRAD_COMPILER] = { "torch._C", "_dynamo.compiled_autograd.set_autograd_compiler", "2.6-2.15",
				     "why compiled autograd captures again" },
	[ATTR_FAKE_VALUE] = { "torch._dynamo.variables.builder", "get_fake_value", "2.6-2.15",
			      "seconds of operators in info compile-time -lines, while Dynamo traces" },
	[ATTR_LOWER_NODE] = { "torch._inductor.graph", "GraphLowering.run_node", "2.6-2.15",
			      "seconds of operators in info compile-time -lines, while inductor lowers" },
	[ATTR_COUNTERS] = { "torch._dynamo.utils", "counters", "2.6-2.15",
			    "hits of torch's caches in info compile-time" },
	[ATTR_METRICS] = { "torch._dynamo.utils", "_compilation_metrics", "2.6-2.15",
			   "changed settings of torch in info unguarded" },
	[ATTR_GUARD_GROUP] = { "torch._dynamo.distributed", "_GUARD_PG", "2.13-2.15",
			       "recompiles because another rank missed, in info why" },
	[ATTR_KEPT_BREAKS] = { "torch._dynamo.utils", "graph_break_reasons", "2.6-2.15",
			       "graph breaks of what was compiled before cdbg came" },
	[ATTR_STATE_MKLDNN] = { "torch._C", "_get_mkldnn_enabled", "2.6-2.15",
				"changed settings of torch in info unguarded" },
	[ATTR_STATE_FILL] = { "torch._C", "_get_deterministic_fill_uninitialized_memory", "2.6-2.15", "the same" },
	[ATTR_STATE_FLASH] = { "torch._C", "_get_flash_sdp_enabled", "2.6-2.15", "the same" },
	[ATTR_STATE_EFFICIENT] = { "torch._C", "_get_mem_efficient_sdp_enabled", "2.6-2.15", "the same" },
	[ATTR_STATE_MATH] = { "torch._C", "_get_math_sdp_enabled", "2.6-2.15", "the same" },
	[ATTR_DETERMINISTIC] = { "torch._C", "_get_deterministic_algorithms", "2.6-2.15", "the same" },
	[ATTR_BUILD] = { "torch._dynamo.variables.builder", "VariableBuilder.__call__", "2.6-2.15",
			 "values without a guard, in info unguarded" },
	[ATTR_CONSTANT_RESULT] = { "torch._dynamo.variables.functions", "invoke_and_store_as_constant", "2.6-2.15",
				   "results that are taken once, in info unguarded" },
	[ATTR_ADD_GUARD] = { "torch._guards", "GuardsSet.add", "2.6-2.15",
			     "the program's line of guards in torch 2.6" },
	[ATTR_REASON] = { "torch._dynamo.convert_frame", "get_and_maybe_log_recompilation_reason", "2.6",
			  "stops of recompiles" },
	[ATTR_SUBGRAPH] = { "torch._dynamo.output_graph", "OutputGraph.compile_subgraph", "2.6-2.15",
			    "the symbolic stack in info breaks, whole" },
	[ATTR_EFFECTS] = { "torch._dynamo.side_effects", "SideEffects.codegen_update_mutated", "2.6-2.15",
			   "info side-effects" },
	[ATTR_WRAP] = { "torch._dynamo.eval_frame", "_TorchDynamoContext.__call__", "2.6-2.15",
			"functions that torch.compile wrapped and that were not called" },
	[ATTR_DISABLE] = { "torch._dynamo.eval_frame", "DisableContext.__call__", "2.6-2.15",
			   "what the program disabled, in info compiled" },
	[ATTR_RESET] = { "torch._dynamo", "reset", "2.6-2.15", "the state of entries after a reset" },
	[ATTR_SET_STANCE] = { "torch._dynamo.decorators", "_set_stance", "2.6-2.15",
			      "breakpoints under set_stance(\"force_eager\")" },
	[ATTR_UNSUPPORTED] = { "torch._dynamo.exc", "Unsupported.__init__", "2.6-2.15",
			       "symbolic values at a graph break" },
	[ATTR_STEP] = { "torch._dynamo.symbolic_convert", "InstructionTranslatorBase.step", "2.6-2.15",
			"operands on the symbolic stack at a graph break" },
	[ATTR_SET_1] = { "torch._dynamo.eval_frame", "set_eval_frame", "2.13-2.15", "stops in compiled code" },
	[ATTR_SET_2] = { "torch._dynamo.eval_frame", "_maybe_set_eval_frame", "2.6-2.15", "stops in compiled code" },
	[ATTR_SET_3] = { "torch._dynamo.decorators", "set_eval_frame", "2.6-2.15", "stops in compiled code" },
	[ATTR_SET_4] = { "torch._C._dynamo.eval_frame", "set_eval_frame", "2.6-2.15", "stops in compiled code" },
	[ATTR_CALL_GRAPH] = { "torch._functorch._aot_autograd.runtime_wrappers", "call_func_at_runtime_with_args",
			      "2.6-2.15", "recording backward graphs on CPython 3.11" },
	[ATTR_SET_EVAL_FRAME] = { "torch._C._dynamo.eval_frame", "set_eval_frame", "2.6-2.15",
				  "evaluation at a stop without compiling" },
	[ATTR_ENTRY_LIST] = { "torch._C._dynamo.eval_frame", "_debug_get_cache_entry_list", "2.6-2.15",
			      "what was compiled before; the state of entries" },
	[ATTR_STANCE] = { "torch._dynamo.eval_frame", "_stance", "2.6-2.15", "what set_stance() changes" },
	[ATTR_ORIG_MAP] = { "torch._dynamo.utils", "orig_code_map", "2.6-2.15", "code that was compiled before" },
	[ATTR_INPUT_CODES] = { "torch._dynamo.convert_frame", "input_codes", "2.6-2.15", "what was compiled before" },
	[ATTR_OUTPUT_CODES] = { "torch._dynamo.convert_frame", "output_codes", "2.6-2.15", "what was compiled before" },
	[ATTR_RESUME_META] = { "torch._dynamo.resume_execution", "ContinueExecutionCache.generated_code_metadata",
			       "2.6-2.15", "the function that a resume function belongs to" },
	[ATTR_CLEANUP] = { "torch._dynamo.utils", "CleanupManager.instance", "2.6-2.15",
			   "resume functions and graphs compiled before" },
	[ATTR_CURRENT_TX] = { "torch._dynamo.symbolic_convert", "InstructionTranslator.current_tx", "2.6-2.15",
			      "symbolic values at a graph break" },
	[ATTR_TRACED] = { "torch._dynamo.bytecode_transformation", "cleaned_instructions", "2.6-2.15",
			  "exact offsets at which resume functions continue" },
	[ATTR_RELATIONAL] = { "torch._dynamo.guards", "RelationalGuard", "2.13-2.15",
			      "counting guards on several values once" },
	[ATTR_DISPATCH_KEYS] = { "torch._C", "_dispatch_keys", "2.6-2.15", "dispatch keys of tensors in guards" },
	[ATTR_KEYS_INCLUDED] = { "torch._C", "_dispatch_tls_local_include_set", "2.6-2.15",
				 "dispatch keys of tensors in guards" },
	[ATTR_KEYS_EXCLUDED] = { "torch._C", "_dispatch_tls_local_exclude_set", "2.6-2.15",
				 "dispatch keys of tensors in guards" },
	[ATTR_DISALLOWED] = { "torch._dynamo.trace_rules", "_disallowed_callable_ids.add", "2.6-2.15",
			      "why cdbg.breakpoint() breaks the graph, in Dynamo's words" },
	[ATTR_COMPLETE_HOOK] = { "torch._C._dynamo.eval_frame", "set_guard_complete_hook", "2.13-2.15",
				 "catch guard-fail; counting hits" },
	[ATTR_RUN_CALLBACK] = { "torch._C._dynamo.eval_frame", "set_bytecode_debugger_callback", "2.13-2.15",
				"counting hits" },
	[ATTR_RUN_CALLBACK_GET] = { "torch._C._dynamo.eval_frame", "get_bytecode_debugger_callback", "2.13-2.15",
				    "counting hits beside torch's own bytecode debugger" },
	[ATTR_PRECOMPILED] = { "torch._C._dynamo.eval_frame", "_debug_get_precompile_entries", "2.13-2.15",
			       "precompiled entries" },
	[ATTR_JOINT] = { "torch._functorch._aot_autograd.graph_compile", "_log_joint_graph", "2.13-2.15",
			 "the joint graph" },
	[ATTR_FORWARD_BACKWARD] = { "torch._functorch._aot_autograd.graph_compile", "_log_fw_bw_graphs", "2.13-2.15",
				    "forward and backward graphs" },
	[ATTR_INFERENCE] = { "torch._functorch._aot_autograd.graph_compile", "_log_inference_graph", "2.13-2.15",
			     "the inference graph" },
	[ATTR_CACHED] = { "torch._functorch._aot_autograd.aot_autograd_result",
			  "GenericAOTAutogradResult._log_cached_graphs", "2.13-2.15", "graphs that torch's cache has" },
	[ATTR_LOGS_TRAINED] = { "torch._functorch._aot_autograd.jit_compile_runtime_wrappers", "lazy_format_graph_code",
				"2.6", "joint, forward and backward graphs" },
	[ATTR_LOGS_INFERENCE] = { "torch._functorch._aot_autograd.dispatch_and_compile_graph", "lazy_format_graph_code",
				  "2.6", "the inference graph" },
	[ATTR_CACHED_OLD] = { "torch._functorch._aot_autograd.autograd_cache",
			      "AOTAutogradCacheEntry.wrap_post_compile", "2.6", "graphs that torch's cache has" },
	[ATTR_LOADED] = { "torch._inductor.output_code", "CompiledFxGraph.post_compile", "2.6-2.15",
			  "code that inductor took from its cache, in info graphs" },
	[ATTR_PART] = { "torch._dynamo.backends.distributed", "SubmodCompiler.compile_submod", "2.6-2.15",
			"the parts that a graph under DistributedDataParallel is compiled in" },
	[ATTR_LOWERED] = { "torch._inductor.graph", "GraphLowering.compile_to_module", "2.6-2.15",
			   "inductor's graph and code" },
	[ATTR_COMPILE_ID] = { "torch._guards", "CompileContext.current_compile_id", "2.6-2.15",
			      "the forward graph that a backward graph belongs to" },
	[ATTR_AOT_COUNTER] = { "torch._functorch.aot_autograd", "AOT_COUNTER", "2.6-2.15",
			       "lines of backward graphs that functions share" },
	[ATTR_ASSUME_STATIC] = { "torch._dynamo.config", "assume_static_by_default", "2.6-2.15",
				 "remedies for sizes and numbers under dynamic=True" },
	[ATTR_MODULE] = { "torch.nn", "Module", "2.6-2.15", "remedies for attributes of modules" },
	[ATTR_EXCEEDS] = { "torch._dynamo.convert_frame", "exceeds_recompile_limit", "2.13-2.15",
			   "which limit catch limit reports" },
	[ATTR_EXCEEDS_OLD] = { "torch._dynamo.convert_frame", "exceeds_cache_size_limit", "2.6",
			       "which limit catch limit reports" },
	[ATTR_STANCE_REASONS] = { "torch._dynamo.guards", "get_and_maybe_log_recompilation_reasons", "2.13-2.15",
				  "stops of recompiles that set_stance(\"fail_on_recompile\") forbids" },
	[ATTR_REGION] = { "torch._C._dynamo.eval_frame", "get_eval_frame_isolate_recompiles_id", "2.13-2.15",
			  "entries of other regions (isolate_recompiles) in guard why" },
	[ATTR_LIMIT] = { "torch._dynamo.config", "recompile_limit", "2.13-2.15", "the number in catch limit" },
	[ATTR_LIMIT_ALL] = { "torch._dynamo.config", "accumulated_recompile_limit", "2.13-2.15",
			     "the number in catch limit" },
	[ATTR_LIMIT_OLD] = { "torch._dynamo.config", "cache_size_limit", "2.6-2.15", "the number in catch limit" },
	[ATTR_LIMIT_ALL_OLD] = { "torch._dynamo.config", "accumulated_cache_size_limit", "2.6-2.15",
				 "the number in catch limit" },
	[ATTR_USER_STACK] = { "torch._guards", "TracingContext.extract_stack", "2.6-2.15",
			      "the user's stack at a graph break without an exception" },
	[ATTR_SHAPE_LINE] = { "torch.fx.experimental.symbolic_shapes", "ShapeEnv._get_stack_summary", "2.6-2.15",
			      "the line of a condition on shapes" },
	[ATTR_INTERPRET] = { "torch.fx.interpreter", "Interpreter.run", "2.6-2.15",
			     "steps into the sub-graphs of checkpoint() and autograd.Function with backend eager" },
	[ATTR_INTERPRETER] = { "torch.fx.interpreter", "Interpreter", "2.6-2.15", "the same" },
	[ATTR_PROXY_MODE] = { "torch.fx.experimental.proxy_tensor", "get_proxy_mode", "2.6-2.15", "the same" },
	[ATTR_DISPATCH_MODE] = { "torch._C", "_get_dispatch_mode", "2.6-2.15",
				 "no stops in sub-graphs while torch traces them" },
	[ATTR_PROXY_KEY] = { "torch._C", "_TorchDispatchModeKey.PROXY", "2.6-2.15", "the same" },
	[ATTR_FAKE_KEY] = { "torch._C", "_TorchDispatchModeKey.FAKE", "2.6-2.15", "the same" },
	[ATTR_COMPILER_FN] = { "torch._dynamo.eval_frame", "get_compiler_fn", "2.6-2.15", "set backend" },
	[ATTR_FX_GRAPH] = { "torch.fx", "Graph", "2.6-2.15", "graph run, graph memory and graph compare" },
	[ATTR_FX_MODULE] = { "torch.fx", "GraphModule", "2.6-2.15", "sub-graphs of what graph run runs" },
	[ATTR_NO_FUNCTION] = { "torch._C", "DisableTorchFunction", "2.6-2.15",
			       "strides in graphs, shapes of quantized values" },
	[ATTR_PARAMETER] = { "torch.nn", "Parameter", "2.6-2.15", "figures of parameters in graphs" },
	[ATTR_TO_DLPACK] = { "torch._C", "_to_dlpack", "2.6-2.15", "figures of values in graphs, catch nan" },
	[ATTR_DLPACK_TABLE] = { "torch", "Tensor.__dlpack_c_exchange_api__", "2.13-2.15",
				"nothing: figures of values take longer" },
	[ATTR_BACKENDS] = { "torch._dynamo", "list_backends", "2.6-2.15", "info backends" },
	[ATTR_LOAD_PRECOMPILED] = { "torch._C._dynamo.eval_frame", "_load_precompile_entry", "2.13-2.15",
				    "editing functions with precompiled entries" },
	[ATTR_RESET_PRECOMPILED] = { "torch._C._dynamo.eval_frame", "_reset_precompile_entries", "2.13-2.15",
				     "editing functions with precompiled entries" },
	[ATTR_ENTRY_BACKEND] = { "torch._C._dynamo.eval_frame", "_CacheEntry.backend", "2.13-2.15",
				 "editing entries that are older than cdbg" },
	[ATTR_LIMIT_FLAG] = { "torch._C._dynamo.eval_frame", "cache_limit_hit_flag", "2.6",
			      "editing at Dynamo's limit" },
	[ATTR_SKIP_FLAG] = { "torch._C._dynamo.eval_frame", "skip_code_recursive_flag", "2.6", "eager" },
	[ATTR_SKIP_CODE] = { "torch._C._dynamo.eval_frame", "skip_code", "2.6", "eager" },
	[ATTR_RESET_CODE] = { "torch._C._dynamo.eval_frame", "reset_code", "2.6-2.15", "editing entries" },
	[ATTR_LRU] = { "torch._C._dynamo.eval_frame", "_set_lru_cache", "2.13-2.15", "entry prefer" },
	[ATTR_STRATEGY] = { "torch._C._dynamo.eval_frame", "set_code_exec_strategy", "2.13-2.15", "eager" },
	[ATTR_ACTION] = { "torch._C._dynamo.eval_frame", "_FrameAction", "2.13-2.15", "eager" },
	[ATTR_STRATEGY_TYPE] = { "torch._C._dynamo.eval_frame", "_FrameExecStrategy", "2.13-2.15", "eager" },
	[ATTR_GUARDED] = { "torch._dynamo.types", "GuardedCode", "2.6-2.15", "editing entries" },
	[ATTR_GUARDED_WRAP] = { "torch._dynamo.types", "wrap_guarded_code", "2.13-2.15", "editing entries" },
	[ATTR_FRAME_RETURN] = { "torch._dynamo.types", "ConvertFrameReturn", "2.13-2.15", "editing entries" },
	[ATTR_TREE_ROOT] = { "torch._C._dynamo.guards", "RootGuardManager", "2.6-2.15", "editing guards" },
	[ATTR_TREE_NODE] = { "torch._C._dynamo.guards", "GuardManager", "2.6-2.15", "editing guards" },
	[ATTR_TREE_DICT] = { "torch._C._dynamo.guards", "DictGuardManager", "2.6-2.15", "editing guards" },
	[ATTR_TENSOR] = { "torch", "Tensor", "2.6-2.15", "editing guards" },
	[ATTR_GRAD] = { "torch._C", "is_grad_enabled", "2.6-2.15", "editing entries" },
	[ATTR_GRAD_SET] = { "torch._C", "_set_grad_enabled", "2.6-2.15", "editing entries" },
};

static const struct watcher *const *watchers; /* by name: the watcher of its calls, or NULL */

static struct {
	bool present;
	PyObject *original, *ours; /* owned while replaced */
} state[ATTR_COUNT];

/* The object that holds the last part of attr, which is put into *last: a new reference or NULL. */
static PyObject *owner_of(const struct name *n, const char **last)
{
	PyObject *name = PyUnicode_FromString(n->module), *owner, *next;
	const char *attr = n->attr, *dot;

	owner = name ? PyImport_GetModule(name) : NULL;
	Py_XDECREF(name);
	while (owner && (dot = strchr(attr, '.'))) {
		name = PyUnicode_FromStringAndSize(attr, dot - attr);
		next = name ? PyObject_GetAttr(owner, name) : NULL;
		Py_XDECREF(name);
		Py_DECREF(owner);
		owner = next;
		attr = dot + 1;
	}
	*last = attr;
	return owner;
}

PyObject *attr(PyObject *v, const char *name)
{
	PyObject *interned = v ? PyUnicode_InternFromString(name) : NULL; /* types remember where they found those */
	PyObject *a = interned ? PyObject_GetAttr(v, interned) : NULL;

	PyErr_Clear();
	Py_XDECREF(interned);
	return a;
}

PyObject *attrs_get(enum attr_id id)
{
	const char *last;
	PyObject *owner = owner_of(&table[id], &last), *value = NULL;

	if (owner)
		value = PyObject_GetAttrString(owner, last);
	Py_XDECREF(owner);
	PyErr_Clear();
	return value;
}

long attrs_number(enum attr_id id)
{
	PyObject *v = attrs_get(id);
	long n = v && PyLong_Check(v) ? PyLong_AsLong(v) : 0;

	PyErr_Clear();
	Py_XDECREF(v);
	return n;
}

PyObject *attrs_original(enum attr_id id)
{
	return state[id].original ? Py_NewRef(state[id].original) : attrs_get(id);
}

void attrs_find(const struct watcher *const *who)
{
	PyObject *value;
	int i;

	watchers = who;
	for (i = 0; i < ATTR_COUNT; i++) {
		value = attrs_get((enum attr_id)i);
		state[i].present = value != NULL;
		Py_XDECREF(value);
	}
}

bool attrs_have(enum attr_id id)
{
	return state[id].present;
}

void attrs_replace(enum attr_id id, PyObject *by)
{
	const char *last;
	PyObject *owner, *value;

	if (!state[id].present || state[id].ours || !by)
		return;
	owner = owner_of(&table[id], &last);
	value = owner ? PyObject_GetAttrString(owner, last) : NULL;
	if (value && PyObject_SetAttrString(owner, last, by) == 0) {
		state[id].original = Py_NewRef(value);
		state[id].ours = Py_NewRef(by);
	}
	Py_XDECREF(value);
	Py_XDECREF(owner);
	PyErr_Clear();
}

void attrs_wrap(enum attr_id id)
{
	PyObject *original, *by;

	if (!state[id].present || state[id].ours)
		return;
	original = attrs_get(id);
	by = original ? wrapper_new(original, watchers[id]) : NULL;
	PyErr_Clear();
	attrs_replace(id, by);
	Py_XDECREF(by);
	Py_XDECREF(original);
}

void attrs_wrap_late(enum attr_id id)
{
	PyObject *value = state[id].present ? NULL : attrs_get(id);

	state[id].present = state[id].present || value;
	Py_XDECREF(value);
	attrs_wrap(id);
}

void attrs_restore(enum attr_id id)
{
	const char *last;
	PyObject *owner, *value;

	if (!state[id].ours)
		return;
	owner = owner_of(&table[id], &last);
	value = owner ? PyObject_GetAttrString(owner, last) : NULL;
	if (value == state[id].ours)
		PyObject_SetAttrString(owner, last, state[id].original);
	Py_XDECREF(value);
	Py_XDECREF(owner);
	Py_CLEAR(state[id].ours);
	Py_CLEAR(state[id].original);
	PyErr_Clear();
}

bool attrs_torch_file(const char *file)
{
	static char *folder;
	PyObject *name, *torch, *where;
	const char *path, *slash;

	if (!folder) {
		name = PyUnicode_FromString("torch");
		torch = name ? PyImport_GetModule(name) : NULL;
		where = torch ? PyObject_GetAttrString(torch, "__file__") : NULL;
		path = py_text_utf8(where);
		slash = path ? strrchr(path, '/') : NULL;
		folder = slash ? mem_fmt("%.*s", (int)(slash + 1 - path), path) : NULL;
		Py_XDECREF(where);
		Py_XDECREF(torch);
		Py_XDECREF(name);
	}
	return folder && text_path_below(file, folder);
}

bool attrs_torch_code(PyCodeObject *co)
{
	const char *path = py_text_utf8_kept(co->co_filename);

	return attrs_torch_file(path) || !strcmp(path, "<string>");
}

/* Some parts of torch are imported when they are first used. */
static bool import_module(const struct name *n)
{
	PyObject *name = PyUnicode_FromString(n->module), *m = name ? PyImport_GetModule(name) : NULL;
	bool yes = m != NULL;

	PyErr_Clear();
	Py_XDECREF(m);
	Py_XDECREF(name);
	return yes;
}

/* "2.6", "2.13-2.15": true if it includes the version of torch that is loaded. */
static bool seen_here(const char *seen)
{
	PyObject *version = attrs_get(ATTR_VERSION), *text = version ? PyObject_Str(version) : NULL;
	const char *s = py_text_utf8(text);
	int first[2], last[2], here[2], n;
	bool yes = true;

	n = sscanf(seen, "%d.%d-%d.%d", &first[0], &first[1], &last[0], &last[1]);
	if (n == 2)
		memcpy(last, first, sizeof(last));
	if (s && n >= 2 && sscanf(s, "%d.%d", &here[0], &here[1]) == 2)
		yes = here[0] * 1000 + here[1] >= first[0] * 1000 + first[1] &&
		      here[0] * 1000 + here[1] <= last[0] * 1000 + last[1];
	PyErr_Clear();
	Py_XDECREF(text);
	Py_XDECREF(version);
	return yes;
}

/* What is only read is looked up each time, and its module may have been imported since. */
static bool is_found(int i)
{
	PyObject *value = state[i].present || watchers[i] ? NULL : attrs_get((enum attr_id)i);
	bool yes = state[i].present || value;

	Py_XDECREF(value);
	return yes;
}

bool attrs_row(int i, const char **name, const char **use, const char **seen, const char **what)
{
	static char text[200];

	if (i >= ATTR_COUNT)
		return false;
	snprintf(text, sizeof(text), "%s.%s", table[i].module, table[i].attr);
	*name = text;
	*use = table[i].use;
	*seen = table[i].seen;
	*what = state[i].ours		  ? "wrapped" :
		is_found(i)		  ? "found" :
		!seen_here(table[i].seen) ? "not in this version" :
		import_module(&table[i])  ? "missing" :
					    "not imported";
	return true;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of all attributes of torch that this plugin uses, with their purpose and the versions that have them;
   looked up, replaced and restored here only. Does not know what the replacements do. */
#ifndef DYNAMO_TORCH_ATTRS_H
#define DYNAMO_TORCH_ATTRS_H
#include "torch/cdbg_host.h"

struct watcher;

enum attr_id {
	/* wrapped while awake */
	ATTR_VERSION,
	ATTR_COMPILE,
	ATTR_CATCH,
	ATTR_REASONS,
	ATTR_GUARDS,
	ATTR_LOG_BREAK,
	ATTR_USER_COMPILER,
	ATTR_RESUME_GLOBAL,
	ATTR_SAID_BREAK,
	ATTR_GLOBAL,
	ATTR_RUN,
	ATTR_ERASE,
	ATTR_ADD_GUARD,
	ATTR_REASON,
	ATTR_SUBGRAPH,
	ATTR_EFFECTS,
	ATTR_WRAP,
	ATTR_DISABLE,
	ATTR_RESET,
	ATTR_LOAD_PRECOMPILED,
	ATTR_SET_STANCE,
	ATTR_SHAPE_LINE,
	ATTR_EXCEEDS,
	ATTR_EXCEEDS_OLD,
	ATTR_STANCE_REASONS,
	ATTR_STARTS_LINE,
	ATTR_EVENT_START,
	ATTR_EVENT_END,
	ATTR_FAKE_VALUE,
	ATTR_AUTOGRAD_LOGGER,
	ATTR_AUTOGRAD_COMPILER,
	ATTR_LOWER_NODE,
	ATTR_BUILD,
	ATTR_CONSTANT_RESULT,
	/* wrapped while graph breaks are caught */
	ATTR_UNSUPPORTED,
	ATTR_STEP,
	/* replaced while something is watched */
	ATTR_SET_1,
	ATTR_SET_2,
	ATTR_SET_3,
	ATTR_SET_4,
	ATTR_CALL_GRAPH,
	/* read */
	ATTR_SET_EVAL_FRAME,
	ATTR_ENTRY_LIST,
	ATTR_STANCE,
	ATTR_ORIG_MAP,
	ATTR_INPUT_CODES,
	ATTR_OUTPUT_CODES,
	ATTR_RESUME_META,
	ATTR_CLEANUP,
	ATTR_CURRENT_TX,
	ATTR_TRACED,
	ATTR_RELATIONAL,
	ATTR_DISPATCH_KEYS,
	ATTR_KEYS_INCLUDED,
	ATTR_KEYS_EXCLUDED,
	ATTR_COMPLETE_HOOK,
	ATTR_RUN_CALLBACK,
	ATTR_RUN_CALLBACK_GET,
	ATTR_PRECOMPILED,
	ATTR_ASSUME_STATIC,
	ATTR_MODULE,
	ATTR_REGION,
	ATTR_LIMIT,
	ATTR_LIMIT_ALL,
	ATTR_LIMIT_OLD,
	ATTR_LIMIT_ALL_OLD,
	ATTR_USER_STACK,
	ATTR_JOINT,
	ATTR_FORWARD_BACKWARD,
	ATTR_INFERENCE,
	ATTR_CACHED,
	ATTR_LOWERED,
	ATTR_COMPILE_ID,
	ATTR_AOT_COUNTER,
	ATTR_COUNTERS,
	ATTR_METRICS,
	ATTR_STATE_MKLDNN,
	ATTR_STATE_FILL,
	ATTR_STATE_FLASH,
	ATTR_STATE_EFFICIENT,
	ATTR_STATE_MATH,
	ATTR_DETERMINISTIC,
	ATTR_LOGS_TRAINED,
	ATTR_LOGS_INFERENCE,
	ATTR_CACHED_OLD,
	ATTR_LOADED,
	ATTR_PART,
	ATTR_INTERPRET,
	ATTR_INTERPRETER,
	ATTR_PROXY_MODE,
	ATTR_DISPATCH_MODE,
	ATTR_PROXY_KEY,
	ATTR_FAKE_KEY,
	ATTR_COMPILER_FN,
	ATTR_BACKENDS,
	ATTR_DISALLOWED,
	ATTR_FX_GRAPH,
	ATTR_FX_MODULE,
	ATTR_NO_FUNCTION,
	ATTR_PARAMETER,
	ATTR_TO_DLPACK,
	ATTR_DLPACK_TABLE,
	/* for editing */
	ATTR_ENTRY_BACKEND,
	ATTR_RESET_PRECOMPILED,
	ATTR_SKIP_CODE,
	ATTR_LIMIT_FLAG,
	ATTR_SKIP_FLAG,
	ATTR_RESET_CODE,
	ATTR_LRU,
	ATTR_STRATEGY,
	ATTR_ACTION,
	ATTR_STRATEGY_TYPE,
	ATTR_GUARDED,
	ATTR_GUARDED_WRAP,
	ATTR_FRAME_RETURN,
	ATTR_TREE_ROOT,
	ATTR_TREE_NODE,
	ATTR_TREE_DICT,
	ATTR_TENSOR,
	ATTR_GRAD,
	ATTR_GRAD_SET,
	/* what was compiled before cdbg came */
	ATTR_KEPT_BREAKS,
	ATTR_GUARD_GROUP,
	ATTR_COUNT,
};

bool attrs_have(enum attr_id id);
/* Its current value: a new reference, or NULL with no exception set. */
PyObject *attrs_get(enum attr_id id);
long attrs_number(enum attr_id id);	       /* 0: it is none */
PyObject *attrs_original(enum attr_id id);     /* the same, inside cdbg's wrapper */
PyObject *attr(PyObject *v, const char *name); /* a new reference; NULL, no exception: v is or has none */
/* Replace it by a wrapper that reports to its watcher / by this object; does nothing if it is missing or replaced
   already. */
void attrs_wrap(enum attr_id id);
/* ... when its module is imported by now. */
void attrs_wrap_late(enum attr_id id);
void attrs_replace(enum attr_id id, PyObject *by);
/* Restore the original, if the attribute still has cdbg's wrapper. */
void attrs_restore(enum attr_id id);
bool attrs_torch_file(const char *file); /* is it one of torch's own? */
/* Is this code torch's own? */
bool attrs_torch_code(PyCodeObject *co);
/* The i-th row of `info dynamo`; false past the last. */
bool attrs_row(int i, const char **name, const char **use, const char **seen, const char **state);
/* Look up all of them. Imports only what torch._dynamo imports. who: the watcher for the calls of each, or NULL. */
void attrs_find(const struct watcher *const *who);

#endif

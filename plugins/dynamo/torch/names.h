/* SPDX-License-Identifier: BSD-3-Clause */
/* Every attribute of torch that this plugin touches, with what it is for and where it was seen; looked up, replaced
   and put back here only.  Knows nothing of what the replacements do. */
#ifndef DYNAMO_TORCH_NAMES_H
#define DYNAMO_TORCH_NAMES_H
#include "torch/host.h"

struct watcher;

enum name_id {
	/* wrapped while awake */
	NAME_VERSION,
	NAME_COMPILE, NAME_CATCH, NAME_REASONS, NAME_GUARDS, NAME_LOG_BREAK, NAME_USER_COMPILER, NAME_RESUME_GLOBAL,
	NAME_SAID_BREAK, NAME_GLOBAL, NAME_RUN, NAME_ADD_GUARD, NAME_REASON, NAME_SUBGRAPH, NAME_EFFECTS, NAME_WRAP,
	NAME_DISABLE, NAME_RESET, NAME_LOAD_PRECOMPILED, NAME_SET_STANCE, NAME_SHAPE_LINE, NAME_STARTS_LINE,
	/* wrapped while graph breaks are caught */
	NAME_UNSUPPORTED, NAME_STEP,
	/* replaced while something is watched */
	NAME_SET_1, NAME_SET_2, NAME_SET_3,
	/* read */
	NAME_SET_EVAL_FRAME, NAME_ENTRY_LIST, NAME_STANCE, NAME_ORIG_MAP, NAME_INPUT_CODES, NAME_OUTPUT_CODES,
	NAME_RESUME_META, NAME_CLEANUP, NAME_CURRENT_TX, NAME_TRACED, NAME_RELATIONAL, NAME_DISPATCH_KEYS,
	NAME_COMPLETE_HOOK, NAME_RUN_CALLBACK, NAME_RUN_CALLBACK_GET, NAME_PRECOMPILED, NAME_LIMIT, NAME_LIMIT_ALL,
	NAME_LIMIT_OLD, NAME_LIMIT_ALL_OLD, NAME_USER_STACK,
	NAME_JOINT, NAME_FORWARD_BACKWARD, NAME_INFERENCE, NAME_CACHED, NAME_LOWERED, NAME_COMPILE_ID,
	NAME_LOGS_TRAINED, NAME_LOGS_INFERENCE, NAME_CACHED_OLD,
	NAME_COMPILER_FN, NAME_BACKENDS,
	NAME_DISALLOWED, NAME_FX_GRAPH,
	/* for editing */
	NAME_ENTRY_BACKEND, NAME_RESET_PRECOMPILED, NAME_SKIP_CODE, NAME_LIMIT_FLAG, NAME_SKIP_FLAG,
	NAME_RESET_CODE, NAME_LRU, NAME_STRATEGY, NAME_ACTION, NAME_STRATEGY_TYPE,
	NAME_GUARDED, NAME_GUARDED_WRAP, NAME_FRAME_RETURN, NAME_TREE_ROOT, NAME_TREE_NODE, NAME_TREE_DICT,
	NAME_TENSOR, NAME_GRAD, NAME_GRAD_SET,
	NAME_COUNT,
};

bool names_have(enum name_id id);
/* The value it has now: a new reference, or NULL with no exception set. */
PyObject *names_get(enum name_id id);
PyObject *names_original(enum name_id id);   /* likewise, behind our wrapper */
PyObject *attr(PyObject *v, const char *name);       /* a new reference; NULL, no exception: v is or has none */
/* Replace by a stand-in that tells its watcher / by this object; nothing when it is missing or replaced already. */
void names_wrap(enum name_id id);
/* ... when its module is imported by now. */
void names_wrap_late(enum name_id id);
void names_replace(enum name_id id, PyObject *by);
/* Put the original back, if what stands there is still ours. */
void names_restore(enum name_id id);
bool names_torch_file(const char *file);     /* is it one of torch's own? */
/* Does this code lie in torch itself? */
bool names_library(PyCodeObject *co);
/* The i-th row of `info dynamo`; false past the last. */
bool names_row(int i, const char **name, const char **use, const char **seen, const char **state);
/* Look all of them up.  Imports nothing that torch._dynamo has not.  who: told of the calls of each, or NULL. */
void names_find(const struct watcher *const *who);

#endif

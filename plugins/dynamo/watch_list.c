/* SPDX-License-Identifier: BSD-3-Clause */
/* The watchers of each wrapped function of torch: a table, nothing else. */
#include "edit/dynamo_edit.h"
#include "event/dynamo_event.h"
#include "event/ev_graph_break.h"
#include "guards/guard_lines.h"
#include "observe/backend_stages.h"
#include "observe/dynamo_observe.h"
#include "observe/observe.h"
#include "observe/phase_times.h"
#include "observe/symbolic.h"
#include "torch/attrs.h"
#include "torch/wrapper.h"
#include "watch_list.h"

const struct watcher *const watch_list[ATTR_COUNT] = {
	[ATTR_COMPILE] = &watch_compile,
	[ATTR_CATCH] = &watch_catch,
	[ATTR_REASONS] = &watch_reasons,
	[ATTR_GUARDS] = &watch_guards_asked,
	[ATTR_LOG_BREAK] = &watch_log_break,
	[ATTR_USER_COMPILER] = &watch_user_compiler,
	[ATTR_RESUME_GLOBAL] = &watch_resume_global,
	[ATTR_SAID_BREAK] = &watch_said_break,
	[ATTR_GLOBAL] = &watch_global,
	[ATTR_RUN] = &watch_run,
	[ATTR_ERASE] = &watch_erase,
	[ATTR_STARTS_LINE] = &watch_starts_line,
	[ATTR_BUILD] = &watch_build,
	[ATTR_CONSTANT_RESULT] = &watch_constant_result,
	[ATTR_ADD_GUARD] = &watch_add_guard,
	[ATTR_REASON] = &watch_reasons,
	[ATTR_STANCE_REASONS] = &watch_stance_reasons,
	[ATTR_EXCEEDS] = &watch_limit,
	[ATTR_EXCEEDS_OLD] = &watch_limit,
	[ATTR_SUBGRAPH] = &watch_subgraph,
	[ATTR_EFFECTS] = &watch_effects,
	[ATTR_WRAP] = &watch_wrap,
	[ATTR_DISABLE] = &watch_disable,
	[ATTR_RESET] = &watch_reset,
	[ATTR_SET_STANCE] = &watch_stance,
	[ATTR_UNSUPPORTED] = &watch_unsupported,
	[ATTR_STEP] = &watch_step,
	[ATTR_JOINT] = &watch_joint,
	[ATTR_FORWARD_BACKWARD] = &watch_forward_backward,
	[ATTR_INFERENCE] = &watch_inference,
	[ATTR_CACHED] = &watch_cached,
	[ATTR_LOGS_TRAINED] = &watch_logs_trained,
	[ATTR_LOGS_INFERENCE] = &watch_logs_inference,
	[ATTR_CACHED_OLD] = &watch_cached,
	[ATTR_LOWERED] = &watch_lowered,
	[ATTR_LOADED] = &watch_loaded,
	[ATTR_PART] = &watch_part,
	[ATTR_INTERPRET] = &watch_interpret,
	[ATTR_SHAPE_LINE] = &watch_shape_line,
	[ATTR_EVENT_START] = &watch_event_start,
	[ATTR_EVENT_END] = &watch_event_end,
	[ATTR_AUTOGRAD_LOGGER] = &watch_autograd_logger,
	[ATTR_AUTOGRAD_COMPILER] = &watch_autograd_compiler,
	[ATTR_FAKE_VALUE] = &watch_fake_value,
	[ATTR_LOWER_NODE] = &watch_lower_node,
	[ATTR_LOAD_PRECOMPILED] = &watch_precompiled,
};

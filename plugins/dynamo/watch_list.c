/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is told of the calls of each function of torch that is wrapped: a table, nothing else. */
#include "watch_list.h"
#include "torch/names.h"
#include "torch/watch.h"
#include "guards/guard_lines.h"
#include "observe/backend_stages.h"
#include "observe/excluded.h"
#include "observe/line_starts.h"
#include "observe/observe.h"
#include "observe/side_effects.h"
#include "observe/symbolic.h"
#include "edit/precompiled.h"
#include "event/ev_graph_break.h"
#include "event/ev_recompile.h"

const struct watcher *const watch_list[NAME_COUNT] = {
	[NAME_COMPILE] = &watch_compile,
	[NAME_CATCH] = &watch_catch,
	[NAME_REASONS] = &watch_reasons,
	[NAME_GUARDS] = &watch_guards,
	[NAME_LOG_BREAK] = &watch_log_break,
	[NAME_USER_COMPILER] = &watch_user_compiler,
	[NAME_RESUME_GLOBAL] = &watch_resume_global,
	[NAME_SAID_BREAK] = &watch_said_break,
	[NAME_GLOBAL] = &watch_global,
	[NAME_RUN] = &watch_run,
	[NAME_STARTS_LINE] = &watch_starts_line,
	[NAME_ADD_GUARD] = &watch_add_guard,
	[NAME_REASON] = &watch_reasons,
	[NAME_SUBGRAPH] = &watch_subgraph,
	[NAME_EFFECTS] = &watch_effects,
	[NAME_WRAP] = &watch_wrap,
	[NAME_DISABLE] = &watch_disable,
	[NAME_RESET] = &watch_reset,
	[NAME_SET_STANCE] = &watch_stance,
	[NAME_UNSUPPORTED] = &watch_unsupported,
	[NAME_STEP] = &watch_step,
	[NAME_JOINT] = &watch_joint,
	[NAME_FORWARD_BACKWARD] = &watch_forward_backward,
	[NAME_INFERENCE] = &watch_inference,
	[NAME_CACHED] = &watch_cached,
	[NAME_LOGS_TRAINED] = &watch_logs_trained,
	[NAME_LOGS_INFERENCE] = &watch_logs_inference,
	[NAME_CACHED_OLD] = &watch_cached,
	[NAME_LOWERED] = &watch_lowered,
	[NAME_SHAPE_LINE] = &watch_shape_line,
	[NAME_LOAD_PRECOMPILED] = &watch_precompiled,
};

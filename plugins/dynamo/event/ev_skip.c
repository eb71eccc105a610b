/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: Dynamo decided to run a frame in eager mode. */
#include "event/ev_skip.h"
#include "model/compiling.h"
#include "model/func.h"
#include "model/qualname.h"
#include "event/compile_event.h"

void ev_skip_emit(struct compiling *c, const char *reason)
{
	struct val *map;

	if (!host->catching("skip"))
		return;
	map = val_map();
	val_put(map, "function", val_str(c->func->name));
	val_put(map, "file", val_str(c->func->file));
	val_put(map, "line", val_int(c->func->line));
	val_put(map, "reason", val_str(c->func->seen.reason ? c->func->seen.reason : reason));
	compiling_event(&ev_skip, c, 0, NULL, map, NULL, NULL);
}

static void skip_describe(const struct event *ev, struct buf *out)
{
	struct compiling *c = compiling_top();
	const char *reason = c && c->func->seen.reason ? c->func->seen.reason : "no reason given";
	int len = 0;

	(void)ev;
	while (reason[len] && reason[len] != '\n')
		len++;
	buf_addf(out, "Dynamo skips %s: %.*s", c ? qualname_compiling(c) : "?", len, reason);
}

const struct event_kind ev_skip = {
	.name = "skip",
	.args = "[FUNC]",
	.help = "Dynamo does not compile a frame; shows the reason",
	.matches = compiling_matches,
	.describe = skip_describe,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: Dynamo decided to run a frame as it is written. */
#include "dynamo.h"

void ev_skip_emit(struct compiling *c, const char *reason)
{
	struct val *map;

	if (!host->catching("skip"))
		return;
	map = host->val_map();
	host->val_put(map, "function", host->val_str(c->func->name));
	host->val_put(map, "file", host->val_str(c->func->file));
	host->val_put(map, "line", host->val_int(c->func->line));
	host->val_put(map, "reason", host->val_str(c->func->reason ? c->func->reason : reason));
	compiling_event(&ev_skip, c, 0, NULL, map, NULL, NULL);
}

static void describe(const struct event *ev, struct buf *out)
{
	struct compiling *c = compiling_top();
	const char *reason = c && c->func->reason ? c->func->reason : "no reason given";
	int len = 0;

	(void)ev;
	while (reason[len] && reason[len] != '\n')
		len++;
	host->buf_addf(out, "Dynamo skips %s: %.*s", c ? qualname_compiling(c) : "?", len, reason);
}

const struct event_kind ev_skip = {
	.name = "skip", .args = "[FUNC]", .help = "Dynamo leaves a frame as it is written, and why",
	.matches = compiling_matches, .describe = describe,
};

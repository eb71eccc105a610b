/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: Dynamo decided to run a frame in eager mode. */
#include "code/select.h"
#include "event/dynamo_event.h"
#include "model/compiling.h"
#include "model/func.h"
#include "model/qualname.h"

void ev_skip_emit(struct compiling *c, const char *reason)
{
	struct val *map;

	if (!host->stops.catching("skip"))
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

/* Dynamo skips hundreds of library functions, which say nothing about the program: they count when asked for. */
static bool skip_matches(const struct event *ev, const char *words)
{
	const struct compiling *c = compiling_top();
	bool all = select_option_all(&words);

	if (!all && !*words && c && c->func && !host->files.is_user(c->func->file))
		return false;
	return compiling_matches(ev, words);
}

const struct event_kind ev_skip = {
	.name = "skip",
	.args = "[-a] [FUNC]",
	.help = "Dynamo does not compile a frame of the program, with -a of any code; shows the reason",
	.matches = skip_matches,
	.describe = skip_describe,
};

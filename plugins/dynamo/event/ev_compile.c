/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: Dynamo has compiled a frame; its generated code is about to run for the first time. */
#include "dynamo.h"

void ev_compile_emit(struct compiling *c)
{
	struct entry *e = c->entry;
	struct code *code;
	struct val *map;
	int i, nodes = 0;

	if (!host->catching("compile"))
		return;
	code = host->code_get((struct py_code *)c->generated);
	host->code_decode(code);
	for (i = 0; i < e->ngraphs; i++)
		nodes += e->graph[i].nodes;
	map = host->val_map();
	host->val_put(map, "function", host->val_str(c->func->name));
	host->val_put(map, "entry", host->val_str(e->id));
	host->val_put(map, "guards", e->guards < 0 ? host->val_null() : host->val_int(e->guards));
	host->val_put(map, "nodes", host->val_int(nodes));
	host->val_put(map, "instructions", host->val_int(code->n));
	host->val_put(map, "seconds", host->val_real(e->seconds));
	compiling_event(&ev_compile, c, 0, e->id, map, NULL, NULL);
}

static void describe(const struct event *ev, struct buf *out)
{
	struct compiling *c = compiling_top();

	(void)ev;
	if (!c || !c->entry)
		return;
	host->buf_addf(out, "compiled %s, entry %s, in %.2f s", qualname_entry(c->entry), c->entry->id,
		       c->entry->seconds);
}

const struct event_kind ev_compile = {
	.name = "compile", .args = "[FUNC]", .help = "Dynamo has compiled a frame, before its generated code runs",
	.matches = compiling_matches, .describe = describe,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: Dynamo has compiled a frame; its generated code is about to run for the first time. */
#include "event/dynamo_event.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/graph.h"
#include "model/qualname.h"

void ev_compile_emit(struct compiling *c)
{
	struct entry *e = c->entry;
	struct code *code;
	struct val *map;
	int i, nodes = 0;

	if (!host->stops.catching("compile"))
		return;
	code = host->code.get((struct py_code *)c->generated);
	host->code.decode(code);
	for (i = 0; i < e->made.ngraphs; i++)
		nodes += e->made.graph[i].part ? 0 : e->made.graph[i].nodes;
	map = val_map();
	val_put(map, "function", val_str(c->func->name));
	val_put(map, "entry", val_str(e->id));
	val_put(map, "guards", e->made.guards < 0 ? val_null() : val_int(e->made.guards));
	val_put(map, "nodes", val_int(nodes));
	val_put(map, "instructions", val_int(code->n));
	val_put(map, "seconds", val_real(e->made.seconds));
	compiling_event(&ev_compile, c, 0, e->id, map, NULL, NULL);
}

static void compile_describe(const struct event *ev, struct buf *out)
{
	struct compiling *c = compiling_top();

	(void)ev;
	if (!c || !c->entry)
		return;
	buf_addf(out, "compiled %s, entry %s, in %.2f s", qualname_entry(c->entry), c->entry->id,
		 c->entry->made.seconds);
}

const struct event_kind ev_compile = {
	.name = "compile",
	.args = "[FUNC]",
	.help = "Dynamo has compiled a frame, before its generated code runs",
	.matches = compiling_matches,
	.describe = compile_describe,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: a call whose entry fits although a value has changed that Dynamo read and no guard covers.  It is asked
   where generated code begins, whose frame still has the arguments. */
#include "code/locate.h"
#include "code/select.h"
#include "event/dynamo_event.h"
#include "guards/guard_args.h"
#include "guards/unguarded.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/qualname.h"
#include "model/reads.h"
#include <stdlib.h>

/* {"function", "entry", "changed": [...]} */
static struct val *stale_detail(const struct entry *e, const struct unguarded *u, int changed)
{
	struct val *map = val_map(), *list, *row;
	struct buf text = { 0 };
	int i;

	val_put(map, "function", val_str(e->func->name));
	val_put(map, "entry", val_str(e->id));
	list = val_put(map, "changed", val_list());
	for (i = 0; i < changed; i++) {
		row = val_push(list, val_map());
		text.len = 0;
		unguarded_text(&u[i], &text);
		val_put(row, "text", val_str(text.s));
		val_put(row, "source", val_str(u[i].source));
		val_put(row, "was", val_str(u[i].was));
		val_put(row, "is", val_str(u[i].is));
		val_put(row, "line", u[i].read->line ? val_int(u[i].read->line) : val_null());
		val_put(row, "file", val_str(u[i].read->file));
		val_put(row, "why", val_str(u[i].why));
		val_put(row, "remedy", val_str(u[i].remedy));
	}
	buf_release(&text);
	return map;
}

static void stale_emit(struct entry *e, struct py_frame *frame, struct val *detail)
{
	struct compiling *c = compiling_push((PyObject *)frame);

	Py_XSETREF(c->caller, (PyObject *)PyFrame_GetBack((PyFrameObject *)frame));
	c->func = e->func;
	compiling_event(&ev_stale, c, 0, e->id, detail, NULL, NULL);
	compiling_pop();
}

static bool stale_happens(const char *words, struct py_frame *frame, struct code *code, int index)
{
	struct entry *e = model_entry((PyCodeObject *)code->co);
	struct unguarded *u = NULL;
	struct err err = { "" };
	struct scene scene;
	int n, changed = 0;

	(void)words;
	(void)index;
	if (!e || !e->made.reads)
		return false;
	scene_compiling((PyObject *)frame, &scene);
	n = unguarded_of(e, &scene, &u, &err);
	while (changed < n && u[changed].changed)
		changed++;
	scene_release(&scene);
	if (changed)
		stale_emit(e, frame, stale_detail(e, u, changed));
	unguarded_free(u, n);
	return false; /* reported already, with the function that was called */
}

static int stale_places(const char *words, struct places *out)
{
	struct entry *e;
	struct code *c;
	int n = 0;

	for (e = model_entries; e; e = e->next) {
		if (!e->co || !e->made.reads || !select_names(e->func, words))
			continue;
		c = host->code.get((struct py_code *)e->co);
		host->files.add_place(out, c, locate_first(c), e->func->line, NULL);
		n++;
	}
	return n;
}

static void stale_describe(const struct event *ev, struct buf *out)
{
	struct compiling *c = compiling_top();
	const struct val *list = val_get(ev->detail, "changed");

	buf_addf(out, "entry %s serves a call of %s, and what it was compiled with has changed: ",
		 val_text(ev->detail, "entry"), c && c->func ? qualname_func(c->func) : "?");
	buf_adds(out, val_text(list->u.list.item[0], "text"));
	if (list->u.list.n > 1)
		buf_addf(out, " (and %zu more: 'info unguarded')", list->u.list.n - 1);
}

const struct event_kind ev_stale = {
	.name = "stale",
	.args = "[FUNC]",
	.help = "an entry serves a call although something that no guard covers has changed since it was compiled",
	.places = stale_places,
	.happens = stale_happens,
	.matches = compiling_matches,
	.describe = stale_describe,
};

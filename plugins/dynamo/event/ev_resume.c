/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: the generated code of a resume function starts, each time it runs. */
#include "code/locate.h"
#include "code/select.h"
#include "event/dynamo_event.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/qualname.h"

/* Matches its own name and that of the function it belongs to. */
static bool meant(struct func *f, const char *words)
{
	return f->root && (select_names(f, words) || select_names(f->root, words));
}

static int resume_places(const char *words, struct places *out)
{
	struct entry *e;
	struct code *c;
	int n = 0;

	for (e = model_entries; e; e = e->next)
		if (e->co && meant(e->func, words)) {
			c = host->code.get((struct py_code *)e->co);
			host->files.add_place(out, c, locate_first(c), e->func->resume_line, NULL);
			n++;
		}
	return n;
}

static struct val *resume_detail(struct code *c, int index)
{
	struct entry *e = model_entry((PyCodeObject *)c->co);
	struct val *map;

	(void)index;
	if (!e)
		return NULL;
	map = val_map();
	val_put(map, "function", val_str(e->func->name));
	val_put(map, "root", val_str(model_root(e->func)->name));
	val_put(map, "file", val_str(e->func->file));
	val_put(map, "line", e->func->resume_line ? val_int(e->func->resume_line) : val_null());
	val_put(map, "entry", val_str(e->id));
	return map;
}

static void resume_describe(const struct event *ev, struct buf *out)
{
	struct entry *e = ev->code ? model_entry((PyCodeObject *)ev->code->co) : NULL;

	if (!e)
		buf_adds(out, "a resume function starts");
	else if (e->func->resume_line)
		buf_addf(out, "%s resumes at line %d, entry %s", qualname_func(model_root(e->func)),
			 e->func->resume_line, e->id);
	else
		buf_addf(out, "%s resumes, entry %s", qualname_func(model_root(e->func)), e->id);
}

const struct event_kind ev_resume = {
	.name = "resume",
	.args = "[FUNC]",
	.help = "a resume function starts: the frame continues after a graph break",
	.places = resume_places,
	.detail = resume_detail,
	.describe = resume_describe,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugins' answers: who is asked, in which order, and the first one that knows.  Knows no plugin by name. */
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "engine/plug.h"
#include "engine/session.h"

struct plug {
	const char *name;                    /* borrowed */
	struct plug_ops ops;                 /* whole: what the plugin lacks is NULL */
};

struct plugs {
	struct plug **plug;                  /* owned; pointers, so that plug_at()'s answer stays valid */
	int n;
	size_t cap;
};

const char *const region_names[] = {
	"prologue", "graph call", "outputs", "side effects", "break", "resume call", "original", "return", NULL
};

const struct plug_ops *plug_at(const struct session *s, int i)
{
	return s->plugs && i < s->plugs->n ? &s->plugs->plug[i]->ops : NULL;
}

const char *plug_name(const struct session *s, int i)
{
	return s->plugs && i < s->plugs->n ? s->plugs->plug[i]->name : NULL;
}

void plug_add(struct session *s, const char *name, const struct plug_ops *ops)
{
	struct plug *p = mem_alloc(sizeof(*p));
	struct plugs *all;

	if (!s->plugs)
		s->plugs = mem_alloc(sizeof(*s->plugs));
	all = s->plugs;
	if (all->n == PLUG_MAX)
		BUG("more than %d plugins", PLUG_MAX);       /* the loader counts them */
	p->name = name;
	if (ops)
		memcpy(&p->ops, ops, ops->size < sizeof(p->ops) ? ops->size : sizeof(p->ops));
	p->ops.size = sizeof(p->ops);
	all->plug = mem_grow(all->plug, &all->cap, (size_t)all->n + 1, sizeof(*all->plug));
	all->plug[all->n++] = p;
}

void plug_drop(struct session *s, const char *name)
{
	struct plugs *all = s->plugs;
	int i;

	for (i = 0; all && i < all->n; i++)
		if (!strcmp(all->plug[i]->name, name)) {
			/* Not freed: its answer may be in use by the caller of the one that failed. */
			memset(&all->plug[i]->ops, 0, sizeof(all->plug[i]->ops));
			return;
		}
}

void plug_release(struct session *s)
{
	int i;

	if (!s->plugs)
		return;
	for (i = 0; i < s->plugs->n; i++)
		free(s->plugs->plug[i]);
	free(s->plugs->plug);
	free(s->plugs);
	s->plugs = NULL;
}

int plug_code(struct session *s, struct py_code *co, struct code_info *out)
{
	const struct plug_ops *ops;
	int i;

	memset(out, 0, sizeof(*out));
	for (i = 0; (ops = plug_at(s, i)); i++)
		if (ops->code && ops->code(co, out))
			return 1;
	return 0;
}

int plug_regions(struct session *s, struct code *c, const struct region **out, int *n)
{
	const struct plug_ops *ops;
	int i;

	for (i = 0; (ops = plug_at(s, i)); i++)
		if (ops->regions && ops->regions(c, out, n))
			return 1;
	*out = NULL;
	*n = 0;
	return 0;
}

const struct region *plug_region(struct session *s, struct code *c, int index)
{
	const struct region *r;
	int n, low = 0, high, mid;

	if (!plug_regions(s, c, &r, &n))
		return NULL;
	/* In instruction order, without gaps: steps ask for each instruction. */
	high = n;
	while (low < high) {
		mid = (low + high) / 2;
		if (index >= r[mid].end)
			low = mid + 1;
		else if (index < r[mid].start)
			high = mid;
		else
			return &r[mid];
	}
	return NULL;
}

int plug_entry(struct session *s, const char *entry, struct py_code **out, struct err *err)
{
	const struct plug_ops *ops;
	int i, rc;

	*out = NULL;
	for (i = 0; (ops = plug_at(s, i)); i++)
		if (ops->entry && (rc = ops->entry(entry, out, err)) != 0)
			return rc;
	return 0;
}

int plug_links(struct session *s, const char *what, const char *id,
	       void (*add)(void *arg, const char *what, const char *id, int line), void *arg)
{
	const struct plug_ops *ops;
	int i, known = 0;

	for (i = 0; (ops = plug_at(s, i)); i++)
		known |= ops->links && ops->links(what, id, add, arg) > 0;
	return known;
}

void plug_changed(struct session *s, struct code *c, const char *what, const char *text)
{
	const struct plug_ops *ops;
	int i;

	for (i = 0; c && (ops = plug_at(s, i)); i++)
		if (ops->changed)
			ops->changed(c, what, text);
}

int plug_line(struct session *s, struct code *c, int index, int *line)
{
	const struct plug_ops *ops;
	int i;

	*line = 0;
	for (i = 0; (ops = plug_at(s, i)); i++)
		if (ops->line && ops->line(c, index, line))
			return 1;
	return 0;
}

void plug_stop_enter(struct session *s, void *saved[PLUG_MAX])
{
	const struct plug_ops *ops;
	int i;

	memset(saved, 0, PLUG_MAX * sizeof(*saved));
	for (i = 0; i < PLUG_MAX && (ops = plug_at(s, i)); i++)
		if (ops->stop_enter)
			saved[i] = ops->stop_enter();
}

void plug_stop_leave(struct session *s, void *saved[PLUG_MAX])
{
	const struct plug_ops *ops;
	int i;

	for (i = PLUG_MAX - 1; i >= 0; i--)
		if ((ops = plug_at(s, i)) && ops->stop_leave)
			ops->stop_leave(saved[i]);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes questions to the plugins; no other file loops over them.  Knows no plugin by name. */
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "engine/plug.h"
#include "engine/session.h"
#include "py/interp/host.h"

struct plug {
	const char *name;    /* borrowed */
	struct plug_ops ops; /* whole: what the plugin lacks is NULL */
};

struct plugs {
	struct plug **plug; /* owned; pointers, so that plug_at()'s answer stays valid */
	int n;
	size_t cap;
};

static const struct plug_ops *plug_at(const struct session *s, int i)
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
		BUG("more than %d plugins", PLUG_MAX); /* the caller checks the number */
	p->name = name;
	if (ops)
		p->ops = *ops;
	all->plug = mem_grow(all->plug, &all->cap, (size_t)all->n + 1, sizeof(*all->plug));
	all->plug[all->n++] = p;
}

void plug_drop(struct session *s, const char *name)
{
	struct plugs *all = s->plugs;
	int i;

	for (i = 0; all && i < all->n; i++)
		if (!strcmp(all->plug[i]->name, name)) {
			/* Not freed: a caller may still use its answer. */
			memset(&all->plug[i]->ops, 0, sizeof(all->plug[i]->ops));
			return;
		}
}

/* ---- the first answer counts ---------------------------------------------------------------------------------- */

/* Ask each plugin that takes the question until one answers.  Hooks ask too, while an exception of the program is
   pending: it stays pending. */
#define ASK_FIRST(answer, s, question, ...) \
	do { \
		const struct plug_ops *ask_; \
		struct host_pending kept_; \
		int i_; \
		host_pending_keep(&kept_); \
		for (i_ = 0, (answer) = 0; !(answer) && (ask_ = plug_at((s), i_)); i_++) \
			if (ask_->question) \
				(answer) = ask_->question(__VA_ARGS__); \
		host_pending_give_back(&kept_); \
	} while (0)

/* Ask all of them, and add up their answers. */
#define ASK_ALL(sum, s, question, ...) \
	do { \
		const struct plug_ops *ask_; \
		struct host_pending kept_; \
		int i_, n_; \
		host_pending_keep(&kept_); \
		for (i_ = 0, (sum) = 0; (ask_ = plug_at((s), i_)); i_++) { \
			n_ = ask_->question ? ask_->question(__VA_ARGS__) : 0; \
			(sum) += n_ > 0 ? n_ : 0; \
		} \
		host_pending_give_back(&kept_); \
	} while (0)

#define TELL_ALL(s, question, ...) \
	do { \
		const struct plug_ops *ask_; \
		int i_; \
		for (i_ = 0; (ask_ = plug_at((s), i_)); i_++) \
			if (ask_->question) \
				ask_->question(__VA_ARGS__); \
	} while (0)

int plug_code(struct session *s, struct py_code *co, struct code_info *out)
{
	int answer;

	memset(out, 0, sizeof(*out));
	ASK_FIRST(answer, s, code.of, co, out);
	return answer;
}

int plug_lines(struct session *s, struct code *c, const char *file, int first, int n, struct line_mark *out)
{
	int answer;

	ASK_FIRST(answer, s, code.lines, c, file, first, n, out);
	return answer;
}

int plug_regions(struct session *s, struct code *c, const struct region **out, int *n)
{
	int answer;

	*out = NULL;
	*n = 0;
	ASK_FIRST(answer, s, code.regions, c, out, n);
	return answer;
}

const struct region *plug_region(struct session *s, struct code *c, int index)
{
	const struct region *r;
	int n, low = 0, high, mid;

	if (!plug_regions(s, c, &r, &n))
		return NULL;
	/* a binary search: steps ask for each instruction */
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
	int answer;

	*out = NULL;
	ASK_FIRST(answer, s, names.entry, entry, out, err);
	return answer;
}

int plug_line(struct session *s, struct code *c, int index, int *line)
{
	int answer;

	*line = 0;
	ASK_FIRST(answer, s, code.line, c, index, line);
	return answer;
}

int plug_unwrap(struct session *s, struct py_obj *v, void (*add)(void *arg, struct py_code *co), void *arg)
{
	int answer;

	ASK_FIRST(answer, s, names.unwrap, v, add, arg);
	return answer;
}

int plug_steady(struct session *s, struct code *c, const char *name)
{
	int answer;

	ASK_FIRST(answer, s, source.steady, c, name);
	return answer;
}

const char *plug_reads_as(struct session *s, const char *name)
{
	const char *answer;

	ASK_FIRST(answer, s, source.reads_as, name);
	return answer;
}

const char *plug_class_of(struct session *s, struct code *c, const char *object)
{
	const char *answer;

	ASK_FIRST(answer, s, source.class_of, c, object);
	return answer;
}

const char *plug_boilerplate(struct session *s, struct code *c, int index)
{
	const char *answer;

	ASK_FIRST(answer, s, source.boilerplate, c, index);
	return answer;
}

int plug_name_length(struct session *s, const char *name)
{
	int answer;

	ASK_FIRST(answer, s, source.name_length, name);
	return answer;
}

const char *plug_kept(struct session *s, struct code *c, int index)
{
	const char *answer;

	ASK_FIRST(answer, s, source.kept, c, index);
	return answer;
}

int plug_node(struct session *s, struct code *c, int line, struct graph_node *out)
{
	int answer;

	memset(out, 0, sizeof(*out));
	ASK_FIRST(answer, s, code.node, c, line, out);
	return answer;
}

int plug_raised_at(struct session *s, struct py_obj *exc, const char **file, const char **function, int *line)
{
	int answer;

	ASK_FIRST(answer, s, steps.raised_at, exc, file, function, line);
	return answer;
}

int plug_node_places(struct session *s, const char *pattern, struct places *out)
{
	int n;

	ASK_ALL(n, s, places.node, pattern, out);
	return n;
}

int plug_node_names(struct session *s, void (*add)(void *arg, const char *name), void *arg)
{
	int n;

	ASK_ALL(n, s, names.nodes, add, arg);
	return n;
}

int plug_names(struct session *s, void (*add)(void *arg, const char *name), void *arg)
{
	int n;

	ASK_ALL(n, s, names.list, add, arg);
	return n;
}

bool plug_graph_line(struct session *s, struct py_frame *f, struct code *c, int index)
{
	bool answer;

	ASK_FIRST(answer, s, steps.graph_line, f, c, index);
	return answer;
}

int plug_value_state(struct session *s, struct py_obj *v, struct buf *out)
{
	int answer;

	ASK_FIRST(answer, s, values.state, v, out);
	return answer;
}

int plug_children(struct session *s, struct py_obj *v, struct child_sink *sink)
{
	int answer;

	ASK_FIRST(answer, s, values.children, v, sink);
	return answer;
}

int plug_traced(struct session *s, struct code *c)
{
	int answer;

	ASK_FIRST(answer, s, code.traced, c);
	return answer;
}

int plug_body(struct session *s, struct py_code *body)
{
	int n;

	ASK_ALL(n, s, code.body, body);
	return n;
}

bool plug_inside(struct session *s, struct code *c, bool generated)
{
	const struct plug_ops *ops;
	struct host_pending pending;
	struct code_info info;
	int i, answer = 0;

	if (!generated) {
		ASK_FIRST(answer, s, code.inside, c->co);
		return answer > 0;
	}
	/* asked of the plugin that the code belongs to */
	host_pending_keep(&pending);
	for (i = 0; !answer && (ops = plug_at(s, i)); i++) {
		memset(&info, 0, sizeof(info));
		answer = ops->code.of && ops->code.of(c->co, &info);
	}
	host_pending_give_back(&pending);
	return answer && ops->code.inside;
}

/* ---- all answers count ---------------------------------------------------------------------------------------- */

int plug_links(struct session *s, const char *what, const char *id,
	       void (*add)(void *arg, const char *what, const char *id, int line), void *arg)
{
	int sum;

	ASK_ALL(sum, s, names.links, what, id, add, arg);
	return sum;
}

int plug_line_places(struct session *s, const char *file, int line, struct places *out)
{
	int sum;

	ASK_ALL(sum, s, places.line, file, line, out);
	return sum;
}

int plug_function_places(struct session *s, struct py_code *original, struct places *out)
{
	int sum;

	ASK_ALL(sum, s, places.function, original, out);
	return sum;
}

int plug_inlined_places(struct session *s, struct py_code *original, struct places *out)
{
	int sum;

	ASK_ALL(sum, s, places.inlined, original, out);
	return sum;
}

int plug_pieces(struct session *s, struct py_code *original, void (*add)(void *arg, struct py_code *co), void *arg)
{
	int sum;

	ASK_ALL(sum, s, code.pieces, original, add, arg);
	return sum;
}

int plug_by_name(struct session *s, const char *name, void (*add)(void *arg, struct py_code *co), void *arg)
{
	int sum;

	ASK_ALL(sum, s, names.code, name, add, arg);
	return sum;
}

/* ---- notifications -------------------------------------------------------------------------------------------- */

void plug_changed(struct session *s, struct code *c, const char *what, const char *text)
{
	if (c)
		TELL_ALL(s, steps.changed, c, what, text);
}

void plug_watched(struct session *s, bool on)
{
	TELL_ALL(s, steps.watched, on);
}

void plug_detach(struct session *s)
{
	TELL_ALL(s, life.detach);
}

void plug_finish(struct session *s)
{
	TELL_ALL(s, life.finish);
}

void plug_stop_enter(struct session *s, void *saved[PLUG_MAX])
{
	const struct plug_ops *ops;
	int i;

	memset(saved, 0, PLUG_MAX * sizeof(*saved));
	for (i = 0; i < PLUG_MAX && (ops = plug_at(s, i)); i++)
		if (ops->steps.enter)
			saved[i] = ops->steps.enter();
}

void plug_stop_leave(struct session *s, void *saved[PLUG_MAX])
{
	const struct plug_ops *ops;
	int i;

	for (i = s->plugs ? s->plugs->n - 1 : -1; i >= 0; i--)
		if ((ops = plug_at(s, i)) && ops->steps.leave)
			ops->steps.leave(saved[i]);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What happened to a function: its entries, the breaks between them and the resume functions, as one story; and its
   entries side by side.  Made from the data tree. */
#include "report/page.h"
#include "report/data.h"
#include "report/html.h"
#include "report/items.h"
#include "code/source_text.h"
#include <stdlib.h>
#include <string.h>

static void entry_link(struct page *p, const char *id)
{
	char *name = page_anchor(id);

	html(p->out, "<a href=\"#entry-%s\">%s</a>", name, id);
	free(name);
}

/* "Compiled as entry 0/0 in 3.62 s with 11 guards, __compiled_fn_2 with 5 nodes" */
static void tell_entry(struct page *p, const struct val *e)
{
	const struct val *graphs = data_list(e, "graphs");
	const char *state = val_text(e, "state");
	size_t i;

	html(p->out, "Compiled as entry ");
	entry_link(p, val_text(e, "entry"));
	if (data_real(e, "seconds") > 0) {
		html(p->out, " in ");
		html_seconds(p->out, data_real(e, "seconds"));
	}
	html(p->out, " with %l guard%S", val_number(e, "guards_made", 0),
	     val_number(e, "guards_made", 0) == 1 ? "" : "s");
	for (i = 0; i < graphs->u.list.n; i++)
		html(p->out, ", <code>%s</code> with %l node%S", val_text(graphs->u.list.item[i], "graph"),
		     val_number(graphs->u.list.item[i], "operations", 0),
		     val_number(graphs->u.list.item[i], "operations", 0) == 1 ? "" : "s");
	if (!graphs->u.list.n)
		html(p->out, ", without a graph");
	if (strcmp(state, "live"))
		html(p->out, " <span class=\"tag %s\">%s</span>", state, state);
	if (*val_text(e, "recompiled_because"))
		page_why_no_entry(p, e);
}

static void tell_break(struct page *p, const struct val *b)
{
	unsigned item = items_number(p->items, "break %lld", val_number(b, "break", 0));
	const char *state = val_text(b, "state");
	const char *file = *val_text(b, "own_file") ? val_text(b, "own_file") : val_text(b, "file");

	html(p->out, "<li class=\"break\"");
	page_item(p, item);
	page_join_line(p, item, b);
	html(p->out, ">The graph breaks at ");
	page_place(p, file, val_number(b, "own_line", val_number(b, "line", 0)));
	html(p->out, "%s%S", val_text(b, "inner"),
	     !strcmp(state, "resumed") ? "; a resume function continues after it." :
	     !strcmp(state, "skipped") ? "; the frame runs in eager mode." :
	     !strcmp(state, "failed")  ? "; compiling ended with an exception." :
					 "; the rest runs in eager mode.");
	page_break_reason(p->out, b);
	html(p->out, "</li>\n");
}

static const struct val *entry_named(const struct page *p, const char *id)
{
	const struct val *list = data_list(p->f, "entry");
	size_t i;

	for (i = 0; i < list->u.list.n; i++)
		if (!strcmp(val_text(list->u.list.item[i], "entry"), id))
			return list->u.list.item[i];
	return NULL;
}

enum { DEEPEST = 40 };

/* An entry, what broke it, and the resume functions after it, each with all entries of its own. */
static void story_entry(struct page *p, const struct val *e, int depth)
{
	const struct val *breaks = data_list(e, "breaks"), *resumes = data_list(e, "resumes"), *r, *to;
	const struct val *all = data_list(p->f, "entry"), *newest;
	unsigned told;
	size_t i, k, n;

	html(p->out, "<li");
	page_item(p, items_number(p->items, "entry %s", val_text(e, "entry")));
	html(p->out, ">");
	tell_entry(p, e);
	html(p->out, "</li>\n");
	for (i = 0; i < breaks->u.list.n; i++)
		tell_break(p, breaks->u.list.item[i]);
	for (i = 0; i < resumes->u.list.n && depth < DEEPEST; i++) {
		r = resumes->u.list.item[i];
		html(p->out,
		     "<li class=\"resume\">After it <code>%s</code> continues from line %l with the values <code>%s"
		     "</code>\n<ol>\n",
		     val_text(r, "function"), val_number(r, "line", 0),
		     *val_text(r, "live") ? val_text(r, "live") : "nothing");
		newest = entry_named(p, val_text(r, "entry")); /* names are shared: by both branches of an `if` */
		told = items_number(p->items, "told %lld", newest ? val_number(newest, "resume_number", 0) : 0);
		for (k = n = 0; newest && k < all->u.list.n; k++) {
			to = all->u.list.item[k];
			if (!data_same_code(to, newest))
				continue;
			if (!p->items->shown[told])
				story_entry(p, to, depth + 1);
			n++;
		}
		if (n && p->items->shown[told])
			html(p->out, "<li class=\"dim\">as above</li>\n");
		if (n)
			items_show(p->items, told);
		else
			html(p->out, "<li>No entry: it has not run, or it runs in eager mode.</li>\n");
		html(p->out, "</ol></li>\n");
	}
}

void page_story(struct page *p)
{
	const struct val *list = data_list(p->f, "entry"), *breaks = data_list(p->f, "breaks");
	size_t i, n = 0;

	html(p->out, "<section aria-labelledby=\"story\">\n<h2 id=\"story\">What happened</h2>\n<ol "
		     "class=\"story\" data-group=\"story\">\n");
	for (i = 0; i < list->u.list.n; i++)
		if (!*val_text(list->u.list.item[i], "resume_function")) {
			story_entry(p, list->u.list.item[i], 0);
			n++;
		}
	for (i = 0; i < breaks->u.list.n; i++)
		if (!entry_named(p, val_text(breaks->u.list.item[i], "entry"))) {
			tell_break(p, breaks->u.list.item[i]);
			n++;
		}
	if (!n)
		html(p->out, "<li>Nothing was compiled for it%S%s.</li>\n", *val_text(p->f, "reason") ? ": " : "",
		     val_text(p->f, "reason"));
	html(p->out, "</ol>\n</section>\n");
}

/* ---- entries side by side ------------------------------------------------------------------------------ */

enum { MOST_SIDES = 8, MOST_DIFFERENT = 200 };

static void story_fact(struct page *p, const struct val *list, const char *name, const char *key)
{
	const struct val *v;
	size_t i, n = 0;

	for (i = 0; i < list->u.list.n; i++)
		n += val_get(list->u.list.item[i], key) != NULL;
	if (!n)
		return;
	html(p->out, "<tr><th scope=\"row\">%S</th>", name);
	for (i = 0; i < list->u.list.n; i++) {
		v = val_get(list->u.list.item[i], key);
		html(p->out, "<td>");
		if (v && v->type == VAL_STR && !strcmp(key, "recompiled_because"))
			page_why(p, list->u.list.item[i]);
		else if (v && v->type == VAL_STR)
			html(p->out, "<span class=\"pre\">%s</span>", v->u.s);
		else if (v && v->type == VAL_INT)
			html(p->out, "%l", v->u.i);
		else if (v && v->type == VAL_REAL)
			html_seconds(p->out, strcmp(key, "seconds") ? v->u.r * 1e-9 : v->u.r);
		else
			html(p->out, "<span class=\"dim\">\xe2\x80\x93</span>");
		html(p->out, "</td>");
	}
	html(p->out, "</tr>\n");
}

/* The guards of one of the entries that are compared. */
struct side {
	const struct val *guards; /* a list, borrowed */
	char **source;		  /* owned: of each guard, as people read it */
};

static struct side side_of(const struct val *e)
{
	struct side s = { .guards = data_list(e, "guards") };
	struct buf b = { 0 };
	size_t i;

	s.source = mem_alloc((s.guards->u.list.n + 1) * sizeof(*s.source));
	for (i = 0; i < s.guards->u.list.n; i++) {
		source_people(val_text(s.guards->u.list.item[i], "source"), &b);
		s.source[i] = buf_detach(&b);
	}
	return s;
}

static void side_release(struct side *s)
{
	size_t i;

	for (i = 0; i < s->guards->u.list.n; i++)
		free(s->source[i]);
	free(s->source);
}

/* expected: NULL, or it must be the same, too. */
static const struct val *guard_like(const struct side *s, const char *source, const char *kind, const char *expected)
{
	const struct val *g;
	size_t i;

	for (i = 0; i < s->guards->u.list.n; i++) {
		g = s->guards->u.list.item[i];
		if (!strcmp(s->source[i], source) && !strcmp(val_text(g, "kind"), kind) &&
		    (!expected || !strcmp(val_text(g, "expected"), expected)))
			return g;
	}
	return NULL;
}

/* What guard k expects, where there are several of its kind for one value, as of keys of a dict; else NULL. */
static const char *one_of_several(const struct side *s, size_t k)
{
	const struct val *g = s->guards->u.list.item[k];
	size_t i, n = 0;

	for (i = 0; i < s->guards->u.list.n; i++)
		n += !strcmp(s->source[i], s->source[k]) &&
		     !strcmp(val_text(s->guards->u.list.item[i], "kind"), val_text(g, "kind"));
	return n > 1 ? val_text(g, "expected") : NULL;
}

/* Is guard k first seen in this entry, and not the same in all of them? */
static bool differs(const struct side *side, size_t n, size_t at, size_t k)
{
	const struct val *g = side[at].guards->u.list.item[k], *other;
	const char *expected = one_of_several(&side[at], k);
	bool same = true;
	size_t i;

	for (i = 0; i < n; i++) {
		other = guard_like(&side[i], side[at].source[k], val_text(g, "kind"), expected);
		if (other && i < at)
			return false;
		same = same && other && !strcmp(val_text(other, "expected"), val_text(g, "expected"));
	}
	return !same;
}

static void different_guard(struct page *p, const struct side *side, size_t n, size_t at, size_t k)
{
	const struct val *g = side[at].guards->u.list.item[k], *other;
	const char *expected = one_of_several(&side[at], k);
	struct buf shown = { 0 };
	size_t i;

	html(p->out, "<tr><th scope=\"row\"><code>%s</code> <small>%s</small></th>", side[at].source[k],
	     val_text(g, "kind"));
	for (i = 0; i < n; i++) {
		other = guard_like(&side[i], side[at].source[k], val_text(g, "kind"), expected);
		if (other && !source_marks(val_text(other, "expected"), &shown))
			source_people(val_text(other, "expected"), &shown);
		html(p->out, other ? "<td><code>%s</code></td>" : "<td><span class=\"dim\">no such guard</span></td>",
		     buf_str(&shown));
		buf_release(&shown);
	}
	html(p->out, "</tr>\n");
}

static void different_guards(struct page *p, const struct val *list)
{
	struct side side[MOST_SIDES];
	size_t i, k, n = 0;

	for (i = 0; i < list->u.list.n; i++)
		side[i] = side_of(list->u.list.item[i]);
	for (i = 0; i < list->u.list.n; i++)
		for (k = 0; k < side[i].guards->u.list.n && k < 1000 && n < MOST_DIFFERENT; k++) {
			if (!differs(side, list->u.list.n, i, k))
				continue;
			if (!n++)
				html(p->out,
				     "<tr class=\"head\"><th scope=\"rowgroup\" colspan=\"%d\">Guards that "
				     "differ</th></tr>\n",
				     (int)list->u.list.n + 1);
			different_guard(p, side, list->u.list.n, i, k);
		}
	for (i = 0; i < list->u.list.n; i++)
		side_release(&side[i]);
}

/* Of the function itself: entries of one resume function are compared by their own. */
static void sides(struct page *p, const struct val *first)
{
	struct val list = { .type = VAL_LIST };
	const char *name = *val_text(first, "qualname") ? val_text(first, "qualname") : page_name(p->f);
	const struct val *all = data_list(p->f, "entry");
	struct val *item[MOST_SIDES];
	size_t i;

	list.u.list.item = item;
	for (i = 0; i < all->u.list.n && list.u.list.n < MOST_SIDES; i++)
		if (data_same_code(all->u.list.item[i], first))
			item[list.u.list.n++] = all->u.list.item[i];
	html(p->out,
	     "<h3>%s</h3>\n<div class=\"scroll\"><table class=\"sides\"><caption>Entries of %s side by "
	     "side</caption>\n<thead><tr><th scope=\"col\">Entry</th>",
	     name, name);
	for (i = 0; i < list.u.list.n; i++) {
		html(p->out, "<th scope=\"col\"");
		page_item(p, items_number(p->items, "entry %s", val_text(item[i], "entry")));
		html(p->out, ">");
		entry_link(p, val_text(item[i], "entry"));
		html(p->out, "</th>");
	}
	html(p->out, "</tr></thead>\n<tbody>\n");
	story_fact(p, &list, "state", "state");
	story_fact(p, &list, "tried as", "order");
	story_fact(p, &list, "backend", "backend");
	story_fact(p, &list, "compile time", "seconds");
	story_fact(p, &list, "guards", "guards_made");
	story_fact(p, &list, "one check of its guards", "check_ns");
	story_fact(p, &list, "why it was compiled", "recompiled_because");
	different_guards(p, &list);
	html_table_end(p->out);
}

/* The first entry of a code object that has others, too. */
static bool begins_sides(const struct val *all, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (data_same_code(all->u.list.item[i], all->u.list.item[at]))
			return false;
	for (i = at + 1; i < all->u.list.n; i++)
		if (data_same_code(all->u.list.item[i], all->u.list.item[at]))
			return true;
	return false;
}

bool page_has_sides(const struct page *p)
{
	const struct val *all = data_list(p->f, "entry");
	size_t i;

	for (i = 0; i < all->u.list.n; i++)
		if (begins_sides(all, i))
			return true;
	return false;
}

void page_sides(struct page *p)
{
	const struct val *all = data_list(p->f, "entry");
	size_t i;

	if (!page_has_sides(p))
		return;
	html(p->out, "<section aria-labelledby=\"sides\">\n<h2 id=\"sides\">Entries side by side</h2>\n");
	for (i = 0; i < all->u.list.n; i++)
		if (begins_sides(all, i))
			sides(p, all->u.list.item[i]);
	html(p->out, "</section>\n");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees of splits: parsed, printed, placed, resized.  Knows no pane and no file. */
#include "config.h"
#include "ui/tui/layout.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"

enum { DEEPEST = 8, MOST = 32, HEAVIEST = 10000 }; /* the weight of a resized pane is its size on the screen */

/* ---- text --------------------------------------------------------------------------------------- */

static const char *skip_space(const char *p)
{
	return p + strspn(p, " \t");
}

void layout_free(struct layout *l)
{
	int i;

	if (!l)
		return;
	for (i = 0; i < l->n; i++)
		layout_free(l->child[i]);
	free(l->child);
	free(l);
}

static void adopt(struct layout *l, struct layout *child)
{
	size_t cap = (size_t)l->n;

	l->child = mem_grow(l->child, &cap, (size_t)l->n + 1, sizeof(*l->child));
	l->child[l->n++] = child;
}

static struct layout *parse_list(const char **p, int depth, struct err *err);

static struct layout *parse_item(const char **p, int depth, struct err *err)
{
	struct layout *l;
	size_t n;

	if (**p == '{') {
		++*p;
		l = parse_list(p, depth + 1, err);
		if (l && **p != '}') {
			layout_free(l);
			l = NULL;
			err_set(err, "a '{' is not closed");
		}
		*p += l != NULL;
		return l;
	}
	l = mem_alloc(sizeof(*l));
	if (**p == '*') {
		l->slot = true;
		++*p;
	}
	n = strcspn(*p, " \t{}");
	if (!n || n >= LAYOUT_NAME) {
		err_set(err, "missing pane name before '%.20s'", *p);
		layout_free(l);
		return NULL;
	}
	memcpy(l->name, *p, n);
	*p += n;
	return l;
}

static struct layout *parse_list(const char **p, int depth, struct err *err)
{
	struct layout *l = mem_alloc(sizeof(*l)), *item;
	char *end;
	long w;

	l->weight = 1;
	*p = skip_space(*p);
	if (!strncmp(*p, "-horizontal", 11)) {
		l->horizontal = true;
		*p = skip_space(*p + 11);
	}
	while (**p && **p != '}') {
		item = depth < DEEPEST && l->n < MOST ? parse_item(p, depth, err) : NULL;
		if (!item) {
			if (depth >= DEEPEST || l->n >= MOST)
				err_set(err, "more than %d panes or %d levels", MOST, DEEPEST);
			layout_free(l);
			return NULL;
		}
		adopt(l, item);
		*p = skip_space(*p);
		item->sized = **p == '=';
		*p += item->sized;
		w = strtol(*p, &end, 10);
		if (end == *p || w < 1 || w > HEAVIEST) {
			err_set(err, "missing weight after '%s': expected a number from 1 to %d",
				item->name[0] ? item->name : "}", HEAVIEST);
			layout_free(l);
			return NULL;
		}
		item->weight = (int)w;
		*p = skip_space(end);
	}
	if (!l->n) {
		err_set(err, "the layout names no pane");
		layout_free(l);
		return NULL;
	}
	return l;
}

struct layout *layout_parse(const char *spec, struct err *err)
{
	const char *p = spec;
	struct err why;
	struct layout *l = parse_list(&p, 0, &why);

	if (l && *p) {
		layout_free(l);
		l = NULL;
		err_set(&why, "unexpected '%.20s' at the end", p);
	}
	if (!l)
		err_set(err, "cannot read the layout '%.200s': %s", spec, why.text);
	return l;
}

void layout_print(const struct layout *l, struct buf *out)
{
	int i;

	if (*l->name) {
		buf_addf(out, "%s%s", l->slot ? "*" : "", l->name);
		return;
	}
	if (l->horizontal)
		buf_adds(out, "-horizontal ");
	for (i = 0; i < l->n; i++) {
		if (i)
			buf_addc(out, ' ');
		if (!*l->child[i]->name)
			buf_addc(out, '{');
		layout_print(l->child[i], out);
		if (!*l->child[i]->name)
			buf_addc(out, '}');
		buf_addf(out, " %s%d", l->child[i]->sized ? "=" : "", l->child[i]->weight);
	}
}

/* ---- rectangles --------------------------------------------------------------------------------- */

static bool pane_in_use(const struct layout *l, bool (*hidden)(const char *name))
{
	int i;

	if (*l->name)
		return !hidden(l->name);
	for (i = 0; i < l->n; i++)
		if (pane_in_use(l->child[i], hidden))
			return true;
	return false;
}

static void clear(struct layout *l)
{
	int i;

	l->shown = false;
	l->rect = (struct rect){ 0 };
	for (i = 0; i < l->n; i++)
		clear(l->child[i]);
}

static bool is_one_row(const struct layout *l, const struct placing *p)
{
	return p->one_row && !l->sized && !strcmp(l->name, p->one_row);
}

/* The least number of rows or columns that it needs. */
static int least(const struct layout *l, bool horizontal, const struct placing *p)
{
	int i, k, sum = 0, max = 0;

	if (*l->name)
		return horizontal ? LAYOUT_MIN_W : is_one_row(l, p) ? 1 : LAYOUT_MIN_H;
	for (i = 0; i < l->n; i++) {
		if (!pane_in_use(l->child[i], p->hidden))
			continue;
		k = least(l->child[i], horizontal, p);
		sum += k + (sum && horizontal);
		max = k > max ? k : max;
	}
	return l->horizontal == horizontal ? sum : max;
}

/* Sizes of the shown children: by weight, but none below its least size while there is room for all. */
static void share_sizes(struct layout *const *in, int n, int total, bool horizontal, int *size, const struct placing *p)
{
	int i, weights, left, min[MOST], done[MOST] = { 0 }, again, fixed = 0;

	for (i = 0; i < n; i++) {
		min[i] = least(in[i], horizontal, p);
		done[i] = !horizontal && is_one_row(in[i], p);
		fixed += done[i];
	}
	if (fixed == n) /* who else gets the room? */
		memset(done, 0, sizeof(done));
	do {
		again = 0;
		weights = 0;
		left = total;
		for (i = 0; i < n; i++) {
			if (done[i])
				left -= min[i];
			else
				weights += in[i]->weight;
		}
		for (i = 0; i < n; i++) {
			if (done[i])
				size[i] = min[i];
			else
				size[i] = left * in[i]->weight / weights;
			if (!done[i] && size[i] < min[i])
				done[i] = again = 1;
		}
	} while (again);
	for (i = 0, left = total; i < n; i++)
		left -= size[i];
	for (i = 0; left > 0; i = (i + 1) % n) /* distribute what rounding left over, beginning with the first */
		if (fixed == n || horizontal || !is_one_row(in[i], p)) {
			size[i]++;
			left--;
		}
}

/* The columns that one of its panes needs most; side by side they need them together. */
static int needs_most(const struct layout *l, const struct placing *p)
{
	int i, k, n = 0;

	if (*l->name)
		return p->needs(p->arg, l->name);
	for (i = 0; i < l->n; i++) {
		k = pane_in_use(l->child[i], p->hidden) ? needs_most(l->child[i], p) : 0;
		n = l->horizontal ? n + k + (n > 0) : k > n ? k : n;
	}
	return n;
}

/* The columns that a pane or group can lend: it keeps those that it needs, or else most of what it has. */
static int can_lend(const struct layout *l, int size, const struct placing *p)
{
	int needs = needs_most(l, p), most = size - size / 4, min = least(l, true, p);

	needs = needs < most ? needs : most;
	needs = needs > min ? needs : min;
	return l->sized || needs > size ? 0 : size - needs;
}

/* Side by side: the pane that wants to be wide gets what the others can lend, the widest of them first. */
static void lend_room(struct layout *const *in, int n, int *size, const struct placing *p)
{
	int i, k, widest, missing = 0, mine = -1, left[MOST];

	for (i = 0; p->wide && i < n; i++)
		if (layout_find(in[i], p->wide))
			mine = i;
	if (mine < 0 || in[mine]->sized)
		return;
	missing = needs_most(layout_find(in[mine], p->wide), p) - size[mine];
	for (i = 0; i < n; i++)
		left[i] = i == mine ? 0 : can_lend(in[i], size[i], p);
	while (missing > 0) {
		for (i = 0, widest = -1; i < n; i++)
			if (left[i] > 0 && (widest < 0 || size[i] > size[widest]))
				widest = i;
		if (widest < 0)
			break;
		k = left[widest] < missing ? left[widest] : missing;
		left[widest] = 0;
		size[widest] -= k;
		size[mine] += k;
		missing -= k;
	}
}

static void place_panes(struct layout *l, struct rect r, const struct placing *p)
{
	struct layout *in[MOST];
	int size[MOST], i, n = 0, total, at;

	clear(l);
	l->rect = r;
	l->shown = true;
	for (i = 0; i < l->n; i++)
		if (pane_in_use(l->child[i], p->hidden))
			in[n++] = l->child[i];
	total = l->horizontal ? r.w : r.h;
	for (at = i = 0; i < n; i++) { /* leave out what does not fit, from the end */
		at += least(in[i], l->horizontal, p) + (i && l->horizontal);
		if (i && at > total) {
			n = i;
			break;
		}
	}
	if (!n)
		return;
	total -= l->horizontal ? n - 1 : 0;
	share_sizes(in, n, total, l->horizontal, size, p);
	if (l->horizontal)
		lend_room(in, n, size, p);
	at = l->horizontal ? r.x : r.y;
	for (i = 0; i < n; i++) {
		if (size[i] > total) /* the screen is smaller than the least size */
			size[i] = total;
		total -= size[i];
		place_panes(in[i],
			    l->horizontal ? (struct rect){ r.y, at, r.h, size[i] } :
					    (struct rect){ at, r.x, size[i], r.w },
			    p);
		at += size[i] + l->horizontal;
	}
}

void layout_place(struct layout *l, struct rect r, const struct placing *p)
{
	place_panes(l, r, p);
}

/* ---- finding and changing ----------------------------------------------------------------------- */

void layout_each(struct layout *l, void (*each)(void *arg, struct layout *pane), void *arg)
{
	int i;

	if (*l->name)
		each(arg, l);
	for (i = 0; i < l->n; i++)
		layout_each(l->child[i], each, arg);
}

struct layout *layout_find(struct layout *l, const char *name)
{
	struct layout *found = NULL;
	int i;

	if (*l->name)
		return strcmp(l->name, name) ? NULL : l;
	for (i = 0; i < l->n && !found; i++)
		found = layout_find(l->child[i], name);
	return found;
}

struct layout *layout_slot(struct layout *l)
{
	struct layout *found = NULL;
	int i;

	if (l->slot)
		return l;
	for (i = 0; i < l->n && !found; i++)
		found = layout_slot(l->child[i]);
	return found;
}

/* The split of this direction that is nearest above the pane, and which of its children leads there. */
static struct layout *split_of(struct layout *l, const char *name, bool horizontal, int *which)
{
	struct layout *deeper;
	int i;

	for (i = 0; i < l->n; i++) {
		if (!layout_find(l->child[i], name))
			continue;
		deeper = split_of(l->child[i], name, horizontal, which);
		if (deeper)
			return deeper;
		if (l->horizontal == horizontal) {
			*which = i;
			return l;
		}
	}
	return NULL;
}

static int extent(const struct layout *l, bool horizontal)
{
	return horizontal ? l->rect.w : l->rect.h;
}

/* The present sizes become the weights, so that only these two change. */
static void move_border(struct layout *split, struct layout *grows, struct layout *shrinks, int by)
{
	int i;

	for (i = 0; i < split->n; i++)
		if (split->child[i]->shown)
			split->child[i]->weight = extent(split->child[i], split->horizontal);
	grows->weight += by;
	shrinks->weight -= by;
	grows->sized = shrinks->sized = true;
}

int layout_resize(struct layout *l, const char *name, bool horizontal, int by)
{
	int which, i, other = -1, min = horizontal ? LAYOUT_MIN_W : LAYOUT_MIN_H;
	struct layout *split = split_of(l, name, horizontal, &which);

	if (!split)
		return -1;
	for (i = which + 1; i < split->n && other < 0; i++)
		other = split->child[i]->shown ? i : -1;
	for (i = which - 1; i >= 0 && other < 0; i--)
		other = split->child[i]->shown ? i : -1;
	if (other < 0 || !split->child[which]->shown || extent(split->child[which], horizontal) + by < min ||
	    extent(split->child[other], horizontal) - by < min)
		return -1;
	move_border(split, split->child[which], split->child[other], by);
	return 0;
}

static bool inside(const struct rect *r, int y, int x)
{
	return y >= r->y && y < r->y + r->h && x >= r->x && x < r->x + r->w;
}

bool layout_border(struct layout *l, int y, int x, struct border *out)
{
	struct layout *before = NULL, *c;
	int i;

	if (!inside(&l->rect, y, x))
		return false;
	for (i = 0; i < l->n; i++) {
		c = l->child[i];
		if (!c->shown)
			continue;
		/* between panes side by side a column of its own, else the title of the lower pane */
		if (before && (l->horizontal ? x == c->rect.x - 1 : y == c->rect.y && !layout_border(c, y, x, out))) {
			*out = (struct border){ l, before, c };
			return true;
		}
		if (layout_border(c, y, x, out))
			return true;
		before = c;
	}
	return false;
}

int layout_move(const struct border *b, int y, int x)
{
	bool horizontal = b->split->horizontal;
	int min = horizontal ? LAYOUT_MIN_W : LAYOUT_MIN_H;
	int by = horizontal ? x - (b->second->rect.x - 1) : y - b->second->rect.y;
	int first = extent(b->first, horizontal), second = extent(b->second, horizontal);

	by = first + by < min ? min - first : by;
	by = second - by < min ? second - min : by;
	if (!by || first + by < min || second - by < min)
		return -1;
	move_border(b->split, b->first, b->second, by);
	return 0;
}

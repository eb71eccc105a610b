/* SPDX-License-Identifier: BSD-3-Clause */
/* Values reached by names, attributes and items: see variable.h.  Knows no command and no view. */
#include "engine/variable.h"
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "engine/plug.h"
#include "engine/session.h"
#include "py/interp/lookup.h"
#include "py/interp/names.h"
#include "py/value/children.h"
#include "py/value/value.h"

static int ask_plugins(void *arg, struct py_obj *v, struct child_sink *sink)
{
	return plug_children(arg, v, sink);
}

void variable_children(struct session *s, struct py_obj *v, struct child_sink *sink)
{
	children_of(v, ask_plugins, s, sink);
}

bool variable_has_children(struct session *s, struct py_obj *v)
{
	return children_possible(v, ask_plugins, s);
}

/* ---- one step ---------------------------------------------------------------------------------------- */

struct search {
	const char *suffix;
	struct py_obj *found; /* owned */
	size_t items;	      /* children that are items */
};

static void search_child(struct child_sink *k, const struct child *c)
{
	struct search *find = k->arg;

	if (!c->suffix)
		return;
	find->items += *c->suffix == '[';
	if (!find->found && c->v && !strcmp(c->suffix, find->suffix))
		find->found = py_ref(c->v);
}

static struct py_obj *child_with(struct session *s, struct py_obj *v, const char *suffix, size_t *items)
{
	struct search find = { .suffix = suffix };
	struct child_sink sink = { .to = SIZE_MAX, .only = suffix, .add = search_child, .arg = &find };
	long long n = children_numbered(v) ? children_items(v) : -1, at;
	char *end;

	at = n < 0 ? -1 : strtoll(suffix + 1, &end, 10);
	if (*suffix == '[' && at >= 0 && at < n && !strcmp(end, "]")) { /* not through all of a long list */
		sink.from = (size_t)at;
		sink.to = (size_t)at + 1;
	}
	variable_children(s, v, &sink);
	if (items)
		*items = n < 0 ? find.items : (size_t)n;
	return find.found;
}

/* "[-1]": counted from the end. */
static struct py_obj *item_from_end(struct session *s, struct py_obj *v, const char *suffix)
{
	char *end, *from_start;
	long long at = strtoll(suffix + 1, &end, 10);
	struct py_obj *found;
	size_t n = 0;

	if (at >= 0 || strcmp(end, "]") || (children_items(v) >= 0 && !children_numbered(v)))
		return NULL;
	py_unref(child_with(s, v, "[]", &n));
	if ((size_t)-at > n)
		return NULL;
	from_start = mem_fmt("[%lld]", (long long)n + at);
	found = child_with(s, v, from_start, NULL);
	free(from_start);
	return found;
}

/* suffix: ".name", or an item as its literal is printed. */
static struct py_obj *step_into(struct session *s, struct py_obj *v, const char *suffix)
{
	bool attribute = *suffix == '.';
	struct py_obj *of_class = attribute ? lookup_class_attribute(v, suffix + 1) : NULL, *found = NULL;

	if (!of_class || !children_computed(of_class, true))
		found = child_with(s, v, suffix, NULL);
	if (!found && !attribute)
		found = item_from_end(s, v, suffix);
	if (!found && attribute && !of_class)
		found = lookup_member(v, suffix + 1); /* v is a class: of its bases */
	else if (!found && of_class && !children_computed(of_class, false))
		found = py_ref(of_class);
	return found;
}

/* ---- the text ------------------------------------------------------------------------------------------- */

static bool variable_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* After the literal that begins here; NULL: it does not end. */
static const char *literal_end(const char *p)
{
	char quote = *p++;

	for (; *p && *p != quote; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p + 1 : NULL;
}

/* After the bracket that closes what begins here; NULL: it is not closed. */
static const char *bracket_end(const char *p, const char *end)
{
	int deep = 0;

	while (p && p < end) {
		if (*p == '\'' || *p == '"') {
			p = literal_end(p);
			continue;
		}
		deep += (*p == '[' || *p == '(') - (*p == ']' || *p == ')');
		p++;
		if (!deep)
			return p;
	}
	return NULL;
}

/* A step as children_of() writes it: without spaces around the key, a simple text in single quotes. */
static char *suffix_from(const char *p, size_t n)
{
	struct buf b = { 0 };
	size_t inner;

	if (*p != '[') {
		buf_add(&b, p, n);
		return buf_detach(&b);
	}
	p++;
	for (inner = n - 2; inner && isspace((unsigned char)*p); inner--)
		p++;
	while (inner && isspace((unsigned char)p[inner - 1]))
		inner--;
	buf_addc(&b, '[');
	buf_add(&b, p, inner);
	buf_addc(&b, ']');
	if (inner >= 2 && p[0] == '"' && p[inner - 1] == '"' && !memchr(p, '\\', inner) && !memchr(p, '\'', inner))
		b.s[1] = b.s[inner] = '\'';
	return buf_detach(&b);
}

struct name_search {
	const char *name;
	size_t n;
	struct py_obj *found; /* owned */
};

static void search_name(void *arg, const char *name, struct py_obj *value)
{
	struct name_search *find = arg;

	if (!find->found && strlen(name) == find->n && !strncmp(name, find->name, find->n))
		find->found = py_ref(value);
}

void variable_names(const struct frame *f, void (*each)(void *arg, const char *name, struct py_obj *value), void *arg)
{
	if (f->fake)
		names_each(f->fake->locals, each, arg);
	else if (f->fo)
		names_visible(f->fo, each, arg);
}

static struct py_obj *frame_variable(struct session *s, const char *name, size_t n, struct err *err)
{
	struct name_search find = { .name = name, .n = n };
	struct frame *f = session_frame(s, err);

	if (!f)
		return NULL;
	variable_names(f, search_name, &find);
	if (!find.found && f->fo)
		names_each(stack_kept(s, f), search_name, &find);
	if (!find.found)
		err_set(err, "no variable '%.*s' in this frame", (int)n, name);
	return find.found;
}

/* After the step that begins here; NULL: no step does. */
static const char *step_end(const char *p, const char *end)
{
	if (*p == '[')
		return bracket_end(p, end);
	if (*p != '.' || p + 1 == end || !variable_char(p[1]))
		return NULL;
	for (p++; p < end && variable_char(*p); p++)
		;
	return p;
}

struct py_obj *variable_find(struct session *s, const char *path, size_t n, struct err *err)
{
	const char *p = path, *end = path + n, *next;
	struct py_obj *v, *inner;
	char *suffix;

	while (p < end && variable_char(*p))
		p++;
	v = frame_variable(s, path, (size_t)(p - path), err);
	for (; v && p < end; p = next) {
		next = step_end(p, end);
		suffix = next ? suffix_from(p, (size_t)(next - p)) : NULL;
		inner = suffix ? step_into(s, v, suffix) : NULL;
		if (!inner)
			err_set(err, "cannot look up '%.*s' without running the program's code: 'print %.*s' does",
				(int)((next ? next : end) - path), path, (int)n, path);
		free(suffix);
		py_unref(v);
		v = inner;
	}
	return v;
}

/* ---- where an expression begins -------------------------------------------------------------------------- */

enum { DEEP = 32 };

static const char *dotted_start(const char *text)
{
	const char *p = text + strlen(text);

	while (p > text && (variable_char(p[-1]) || p[-1] == '.'))
		p--;
	return p;
}

const char *variable_start(const char *text)
{
	const char *start[DEEP], *p = text, *begin = NULL, *next;
	int deep = 0;

	while (*p) {
		if (*p == '\'' || *p == '"') {
			next = literal_end(p);
			if (!next) /* within a text: that of a key, or one with no meaning */
				return deep && start[deep - 1] && p[-1] == '[' ? start[deep - 1] : dotted_start(p);
			p = next;
			begin = NULL;
			continue;
		}
		if (*p == '[' || *p == '(' || *p == '{') {
			if (deep == DEEP)
				return dotted_start(p);
			start[deep++] = *p == '[' ? begin : NULL;
			begin = NULL;
		} else if (*p == ']' || *p == ')' || *p == '}') {
			begin = deep ? start[--deep] : NULL;
			if (*p != ']')
				begin = NULL;
		} else if (variable_char(*p) || *p == '.') {
			begin = begin ? begin : p;
		} else {
			begin = NULL;
		}
		p++;
	}
	if (begin)
		return begin;
	/* an item that has not begun */
	return deep && start[deep - 1] && p[-1] == '[' ? start[deep - 1] : p;
}

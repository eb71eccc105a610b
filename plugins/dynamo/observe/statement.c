/* SPDX-License-Identifier: BSD-3-Clause */
/* The statements of a graph that torch printed: see statement.h.  Knows text only. */
#include "observe/statement.h"
#include <string.h>

enum { GROUPS = 64 };

/* A comment at p, to the end of its line. */
static const char *skip_comment(struct statement *r, const char *p, bool alone)
{
	size_t n = strcspn(p, "\n");

	if (alone)
		r->comment(r->arg, p, n);
	return p + n;
}

static const char *take_string(struct statement *r, const char *p)
{
	const char *end = p + 1;

	while (*end && *end != *p && *end != '\n')
		end += *end == '\\' && end[1] ? 2 : 1;
	end += *end == *p;
	buf_add(&r->text, p, (size_t)(end - p));
	return end;
}

static void drop_spaces(struct buf *b)
{
	while (b->len && b->s[b->len - 1] == ' ')
		b->s[--b->len] = '\0';
}

/* A bracket that closes: "[a, b,]" loses its last comma, "(a,)" keeps it. */
static void close_group(struct buf *b, char bracket, int commas)
{
	drop_spaces(b);
	if (b->len && b->s[b->len - 1] == ',' && (commas > 1 || bracket != ')'))
		b->s[--b->len] = '\0';
	buf_addc(b, bracket);
}

/* One character outside of strings and comments. */
static void add_code_char(struct buf *b, char c)
{
	char last = b->len ? b->s[b->len - 1] : '\0';

	if (c != ' ' && c != '\t' && c != '\n')
		buf_addc(b, c);
	else if (last && last != ' ' && last != '(' && last != '[')
		buf_addc(b, ' ');
}

bool statement_next(struct statement *r)
{
	int depth = 0, commas[GROUPS] = { 0 };
	const char *p = r->p, *begin = p;

	buf_reset(&r->text);
	while (*p) {
		if (*p == '#') {
			p = skip_comment(r, p, !r->text.len);
		} else if (*p == '"' || *p == '\'') {
			p = take_string(r, p);
		} else if (*p == '\n' && !depth && r->text.len) {
			break;
		} else {
			if (*p == '\n')
				begin = p + 1;
			else if (!r->text.len && *p != ' ' && *p != '\t')
				r->indent = (int)(p - begin);
			if (*p == ',')
				commas[depth < GROUPS ? depth : GROUPS - 1]++;
			if (strchr("([{", *p)) {
				depth++;
				commas[depth < GROUPS ? depth : GROUPS - 1] = 0;
			}
			if (strchr(")]}", *p)) {
				close_group(&r->text, *p, commas[depth < GROUPS ? depth : GROUPS - 1]);
				depth -= depth > 0;
			} else
				add_code_char(&r->text, *p);
			p++;
		}
	}
	r->p = p;
	drop_spaces(&r->text);
	return r->text.len > 0;
}

/* ---- types --------------------------------------------------------------------------------------------------- */

static void add_tight(struct buf *out, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (s[i] != ' ')
			buf_addc(out, s[i]);
}

const char *statement_group_end(const char *s)
{
	const char *p = s;
	int depth = 0;

	do {
		depth += *p == '[' || *p == '(';
		depth -= *p == ']' || *p == ')';
		p += *p != '\0';
	} while (*p && depth);
	return depth ? s : p;
}

char *statement_type(const char *type, char **stride)
{
	const char *shape = strchr(type, '['), *end = shape ? statement_group_end(shape) : NULL, *after;
	struct buf b = { 0 }, strides = { 0 };
	size_t n = strlen(type);

	*stride = NULL;
	if (!strncmp(type, "Sym(", 4) && type[n - 1] == ')')
		return mem_fmt("%.*s", (int)(n - 5), type + 4);
	if (!shape || end == shape)
		return mem_str("");
	add_tight(&b, type, (size_t)(shape - type));
	if (b.s && !strcmp(b.s, "b8")) {
		buf_reset(&b);
		buf_adds(&b, "bool");
	}
	add_tight(&b, shape, (size_t)(end - shape));
	after = *end == '[' ? statement_group_end(end) : end;
	if (after > end) {
		add_tight(&strides, end, (size_t)(after - end));
		*stride = buf_detach(&strides);
	}
	if (*after)
		buf_addf(&b, " %s", after);
	return buf_detach(&b);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the source of functions: see diff_body.h. */
#include "report/diff_body.h"
#include "report/data.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 4000 }; /* the time of a comparison grows with the square of it */

static bool continues_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* FNV-1a.  The name is one byte that no source has. */
static uint64_t line_hash(const char *text, const char *name)
{
	const size_t n = strlen(name);
	uint64_t h = 14695981039346656037u;
	const char *p, *end;
	unsigned char c;

	text += strspn(text, " \t\f");
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	for (p = text; p < end; p++) {
		c = (unsigned char)*p;
		if (n && !strncmp(p, name, n) && !continues_name(p[n]) && (p == text || !continues_name(p[-1]))) {
			p += n - 1;
			c = 1;
		}
		h = (h ^ c) * 1099511628211u;
	}
	return h;
}

static bool begins_function(const char *text)
{
	text += strspn(text, " \t\f");
	if (!strncmp(text, "async ", 6))
		text += 6 + strspn(text + 6, " \t");
	return !strncmp(text, "def ", 4);
}

/* Decorators come before; a lambda has no 'def'. */
static size_t first_line(const struct val *source)
{
	size_t i;

	for (i = 0; i < source->u.list.n; i++)
		if (begins_function(val_text(source->u.list.item[i], "text")))
			return i;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void body_read(const struct val *f, struct body *b)
{
	const struct val *source = data_list(f, "source");
	const char *text;
	size_t i;

	b->line = mem_alloc(source->u.list.n * sizeof(*b->line) + 1);
	b->sorted = mem_alloc(source->u.list.n * sizeof(*b->sorted) + 1);
	b->n = 0;
	for (i = first_line(source); i < source->u.list.n; i++) {
		text = val_text(source->u.list.item[i], "text");
		if (!strchr("#\r\n", text[strspn(text, " \t\f")])) /* the NUL of an empty line is found, too */
			b->line[b->n++] = line_hash(text, val_text(f, "function"));
	}
	if (b->n) {
		memcpy(b->sorted, b->line, b->n * sizeof(*b->line));
		qsort(b->sorted, b->n, sizeof(*b->sorted), by_value);
	}
}

void body_release(struct body *b)
{
	free(b->line);
	free(b->sorted);
}

/* Lines that both have, in any order. */
static size_t lines_shared(const struct body *a, const struct body *b)
{
	size_t i = 0, k = 0, n = 0;

	while (i < a->n && k < b->n)
		if (a->sorted[i] == b->sorted[k]) {
			n++;
			i++;
			k++;
		} else if (a->sorted[i] < b->sorted[k]) {
			i++;
		} else {
			k++;
		}
	return n;
}

/* The length of the longest common subsequence, row by row of its table. */
static size_t common_lines(const uint64_t *a, size_t na, const uint64_t *b, size_t nb)
{
	size_t *row = mem_alloc((nb + 1) * sizeof(*row)), i, k, before, above, n;

	for (i = 0; i < na; i++)
		for (k = 1, before = 0; k <= nb; k++) {
			above = row[k];
			if (a[i] == b[k - 1])
				row[k] = before + 1;
			else if (row[k - 1] > row[k])
				row[k] = row[k - 1];
			before = above;
		}
	n = row[nb];
	free(row);
	return n;
}

size_t body_same(const struct body *a, const struct body *b, size_t least)
{
	const size_t shorter = a->n < b->n ? a->n : b->n;
	size_t head = 0, tail = 0, n;

	if (shorter < least || lines_shared(a, b) < least)
		return 0;
	while (head < shorter && a->line[head] == b->line[head])
		head++;
	while (tail < shorter - head && a->line[a->n - 1 - tail] == b->line[b->n - 1 - tail])
		tail++;
	n = head + tail;
	if (n < shorter && a->n - n <= MOST_LINES && b->n - n <= MOST_LINES)
		n += common_lines(a->line + head, a->n - n, b->line + head, b->n - n);
	return n < least ? 0 : n;
}

uint64_t body_line(const struct val *f, long long line)
{
	const struct val *source = data_list(f, "source"), *row;
	const long long first = source->u.list.n ? val_number(source->u.list.item[0], "line", 0) : 0;

	if (line < first || line >= first + (long long)source->u.list.n)
		return 0;
	row = source->u.list.item[line - first];
	return val_number(row, "line", 0) == line ? line_hash(val_text(row, "text"), val_text(f, "function")) : 0;
}

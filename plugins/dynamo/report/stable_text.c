/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of values, so that those of two processes can be compared: see stable_text.h.  Knows no report. */
#include "report/stable_text.h"
#include "torch/cdbg_host.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 50, ADDRESS = 9 /* digits that an address has at least */ };

static void put_stable(const char *s, const char *end, int depth, struct buf *out);

/* After the string that begins here. */
static const char *after_quoted(const char *s)
{
	char quote = *s++;

	while (*s && *s != quote)
		s += *s == '\\' && s[1] ? 2 : 1;
	return *s ? s + 1 : s;
}

/* The comma or the bracket that ends the element that begins here; with colon, a colon ends it, too. */
static const char *element_end(const char *s, bool colon)
{
	int open = 0;

	while (*s) {
		if (*s == '\'' || *s == '"') {
			s = after_quoted(s);
			continue;
		}
		if (!open && (*s == ',' || (colon && *s == ':')))
			return s;
		open += strchr("([{", *s) != NULL;
		if (strchr(")]}", *s) && !open--)
			return s;
		s++;
	}
	return s;
}

/* The bracket that closes the set which begins after s - 1; NULL: it is a dict, or is cut. */
static const char *set_end(const char *s)
{
	const char *end = element_end(s, true);

	if (end == s)
		return NULL;
	while (*end == ',')
		end = element_end(end + 1, true);
	return *end == '}' ? end : NULL;
}

static int compare_elements(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void put_set(const char *s, const char *end, int depth, struct buf *out)
{
	char **element = NULL;
	size_t n = 0, cap = 0, i;
	const char *last;
	struct buf b;

	for (; s < end; s = last + (*last == ',')) {
		s += strspn(s, " ");
		last = element_end(s, false);
		b = (struct buf){ 0 };
		put_stable(s, last, depth, &b);
		element = mem_grow(element, &cap, n + 1, sizeof(*element));
		element[n++] = buf_detach(&b);
	}
	if (n)
		qsort(element, n, sizeof(*element), compare_elements);
	for (i = 0; i < n; i++) {
		buf_addf(out, "%s%s", i ? ", " : "", element[i] ? element[i] : "");
		free(element[i]);
	}
	free(element);
}

/* "device(type='cuda', index=0)" as "'cuda:0'": the same device in a graph that came from inductor's cache and in one
   that did not.  Where it ends; NULL: it is another text. */
static const char *put_device(const char *s, struct buf *out)
{
	static const char begin[] = "device(type='", index[] = "', index=";
	const char *type = s + strlen(begin), *end, *number = NULL;
	size_t digits = 0;

	if (strncmp(s, begin, strlen(begin)) != 0)
		return NULL;
	end = type + strspn(type, "abcdefghijklmnopqrstuvwxyz");
	if (!strncmp(end, index, strlen(index))) {
		number = end + strlen(index);
		digits = strspn(number, "0123456789");
	}
	if (number ? !digits || number[digits] != ')' : strncmp(end, "')", 2) != 0)
		return NULL;
	buf_addf(out, "'%.*s", (int)(end - type), type);
	if (number)
		buf_addf(out, ":%.*s", (int)digits, number);
	buf_addc(out, '\'');
	return number ? number + digits + 1 : end + 2;
}

/* A name that Dynamo made of an object's address, __optimizer_140673377457360_c10, without that; another word as it is.
   Where it ends. */
static const char *put_word(const char *s, const char *end, struct buf *out)
{
	const bool made = !strncmp(s, "__", 2);
	size_t digits;

	while (s < end && (isalnum((unsigned char)*s) || *s == '_')) {
		digits = made && *s == '_' ? strspn(s + 1, "0123456789") : 0;
		if (digits >= ADDRESS && s[1 + digits] == '_')
			s += 1 + digits;
		else
			buf_addc(out, *s++);
	}
	return s;
}

static void put_quoted(const char *s, const char *end, struct buf *out)
{
	while (s < end) {
		if (isalnum((unsigned char)*s) || *s == '_')
			s = put_word(s, end, out);
		else
			buf_addc(out, *s++);
	}
}

static void put_stable(const char *s, const char *end, int depth, struct buf *out)
{
	const char *next;

	while (s < end) {
		next = s + 1;
		if (*s == '\'' || *s == '"') {
			next = after_quoted(s);
			next = next > end ? end : next;
			put_quoted(s, next, out);
			s = next;
			continue;
		} else if (!strncmp(s, " at 0x", 6) && isxdigit((unsigned char)s[6])) {
			s += 6 + strspn(s + 6, "0123456789abcdefABCDEF");
			continue;
		} else if (*s == 'd' && (next = put_device(s, out))) {
			s = next;
			continue;
		} else if (isalnum((unsigned char)*s) || *s == '_') {
			s = put_word(s, end, out);
			continue;
		} else if (*s == '{' && depth < DEEPEST && (next = set_end(s + 1)) != NULL && next < end) {
			buf_addc(out, '{');
			put_set(s + 1, next, depth + 1, out);
			s = next;
			continue;
		} else {
			next = s + 1;
		}
		buf_add(out, s, (size_t)(next - s));
		s = next;
	}
}

char *stable_text(const char *text)
{
	struct buf out = { 0 };

	put_stable(text, text + strlen(text), 0, &out);
	return out.len ? buf_detach(&out) : mem_str("");
}

bool stable_same(const char *a, const char *b)
{
	char *x = NULL, *y = NULL;
	bool same = !strcmp(a, b);

	if (!same) {
		x = stable_text(a);
		y = stable_text(b);
		same = !strcmp(x, y);
	}
	free(x);
	free(y);
	return same;
}

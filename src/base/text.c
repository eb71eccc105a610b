/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8 and its columns on a terminal, whatever the locale (the debugged program owns that).  The only file that knows
   utf8proc. */
#include "config.h"

#include "base/buf.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

/*
 * utf8proc's own width is that of a font; terminals differ from it in what follows: a vowel sign that takes room
 * (category Mc) has a column, medials and finals of Hangul join what comes before, and what Unicode has not assigned
 * has a column, two in the planes that are reserved for ideographs.
 */
size_t text_char_width(uint32_t c)
{
	const utf8proc_property_t *p;

	if (c < 0x300)
		return c >= 0x20 && (c < 0x7f || c >= 0xa0);
	if (c >= 0x1f1e6 && c <= 0x1f1ff) /* half of a flag: one column on some terminals, two on others */
		return 2;
	p = utf8proc_get_property((utf8proc_int32_t)c);
	if (p->category == UTF8PROC_CATEGORY_MC || p->category == UTF8PROC_CATEGORY_ZL ||
	    p->category == UTF8PROC_CATEGORY_ZP)
		return 1;
	if (p->category == UTF8PROC_CATEGORY_CN)
		return c >= 0x20000 && c <= 0x3fffd ? 2 : 1;
	if (p->boundclass == UTF8PROC_BOUNDCLASS_V || p->boundclass == UTF8PROC_BOUNDCLASS_T)
		return 0;
	return p->charwidth;
}

size_t text_next(const char *s, size_t n, uint32_t *c)
{
	utf8proc_int32_t found;
	utf8proc_ssize_t used;

	if ((unsigned char)*s < 0x80) {
		*c = (unsigned char)*s;
		return 1;
	}
	used = utf8proc_iterate((const utf8proc_uint8_t *)s, (utf8proc_ssize_t)n, &found);
	*c = used > 0 ? (uint32_t)found : 0xfffd;
	return used > 0 ? (size_t)used : 1;
}

size_t text_decode(const char *s, uint32_t *c)
{
	return text_next(s, 4, c); /* stops at the NUL, which continues nothing */
}

size_t text_encode(char *o, uint32_t c)
{
	return (size_t)utf8proc_encode_char((utf8proc_int32_t)c, (utf8proc_uint8_t *)o);
}

size_t text_lead(unsigned char c)
{
	return c < 0xc2 || c > 0xf4 ? 1 : (size_t)utf8proc_utf8class[c];
}

/* Is there a character that begins with these bytes? */
static bool begins_character(const char *s, size_t n)
{
	static const char fill[] = { '\x80', '\xbf' }; /* the least and the greatest of what may follow */
	size_t size = text_lead((unsigned char)*s), i;
	char whole[4];
	uint32_t c;

	if (size == 1 || n >= size)
		return size == 1 ? (unsigned char)*s < 0x80 : text_next(s, size, &c) == size;
	for (i = 0; i < sizeof(fill); i++) {
		memset(whole, fill[i], sizeof(whole));
		memcpy(whole, s, n);
		if (text_next(whole, size, &c) == size)
			return true;
	}
	return false;
}

size_t text_start(const char *s, size_t n, bool *cut)
{
	size_t size = text_lead((unsigned char)*s), k = 1;

	while (k < n && k < size && begins_character(s, k + 1))
		k++;
	*cut = k == n && k < size;
	return k;
}

size_t text_unfinished(const char *s, size_t n)
{
	size_t back = 1;
	bool cut;

	while (back < n && back < 3 && ((unsigned char)s[n - back] & 0xc0) == 0x80)
		back++;
	return n && text_start(s + n - back, back, &cut) == back && cut ? back : 0;
}

size_t text_whole(const char *s, size_t n)
{
	while (n && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	return n;
}

int text_byte(struct text_part *p, unsigned char b, uint32_t *c)
{
	size_t size;

	if (p->n && (b & 0xc0) != 0x80) {
		p->n = 0;
		return -1;
	}
	p->s[p->n++] = (char)b;
	size = text_lead((unsigned char)p->s[0]);
	if (p->n < size)
		return 0;
	text_next(p->s, size, c);
	p->n = 0;
	return 1;
}

enum { TAB = 8 };

/* The columns of a character in this column: a tab goes to the next 8th. */
static size_t width_at(size_t column, uint32_t c)
{
	return c == '\t' ? TAB - column % TAB : text_char_width(c);
}

size_t text_width(const char *s)
{
	size_t width = 0;
	uint32_t c;

	while (*s) {
		s += text_decode(s, &c);
		width += width_at(width, c);
	}
	return width;
}

size_t text_fit(const char *s, size_t columns)
{
	size_t width = 0, len = 0, n;
	uint32_t c;

	while (s[len]) {
		n = text_decode(s + len, &c);
		width += width_at(width, c);
		if (width > columns)
			break;
		len += n;
	}
	return len;
}

size_t text_break(const char *s, size_t n, size_t columns)
{
	size_t fits = text_fit(s, columns), cut, lead = strspn(s, " "), word;
	uint32_t c;

	if (!fits && n)
		fits = text_decode(s, &c);
	if (fits >= n)
		return n;
	for (cut = fits; cut > lead && s[cut] != ' '; cut--)
		;
	if (cut <= lead)
		return fits;
	for (word = cut + 1; word < n && s[word] != ' '; word++)
		;
	return cut > fits / 2 || word - cut - 1 <= columns ? cut :
							     fits; /* a word that fits no row begins in this one */
}

const char *text_path_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Drops the last part of the n bytes at out; a ".." that begins them stays. */
static size_t parent_length(const char *out, size_t n)
{
	size_t from = n;

	while (from && out[from - 1] != '/')
		from--;
	if (n - from == 2 && !memcmp(out + from, "..", 2))
		return n;
	return from > 1 ? from - 1 : from;
}

const char *text_path_plain(const char *path, char *out)
{
	const char *p, *end;
	size_t n = 0, cut;

	if ((!strstr(path, "/.") && !strstr(path, "//") && path[0] != '.') || strlen(path) >= PATH_MAX)
		return path;
	if (path[0] == '/')
		out[n++] = '/';
	for (p = path; *p; p = end) {
		p += strspn(p, "/");
		end = p + strcspn(p, "/");
		if (end == p || (end - p == 1 && *p == '.'))
			continue;
		if (end - p == 2 && !memcmp(p, "..", 2) && n) {
			cut = parent_length(out, n);
			if (cut < n || (n == 1 && *out == '/')) {
				n = cut;
				continue;
			}
		}
		if (n && out[n - 1] != '/')
			out[n++] = '/';
		memcpy(out + n, p, (size_t)(end - p));
		n += (size_t)(end - p);
	}
	out[n] = '\0';
	return out;
}

bool text_path_below(const char *file, const char *folder)
{
	char room[2][PATH_MAX];
	const char *inner = text_path_plain(file, room[0]), *outer = text_path_plain(folder, room[1]);
	size_t n = strlen(outer);

	while (n && outer[n - 1] == '/')
		n--;
	return *outer && !strncmp(inner, outer, n) && inner[n] == '/' && inner[n + 1];
}

int text_number(const char **s, int most)
{
	int n = 0;

	for (; **s >= '0' && **s <= '9'; ++*s)
		n = n > (most - (**s - '0')) / 10 ? most : n * 10 + (**s - '0');
	return n;
}

bool text_is_number(const char *text, long least, long most, long *n)
{
	char *end;
	long read;

	errno = 0;
	read = strtol(text, &end, 10);
	if (end == text || *end || errno || read < least || read > most)
		return false;
	*n = read;
	return true;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Text in rows of some width, broken between words.  Knows no screen. */
#include "ui/tui/wrap.h"
#include <stdlib.h>
#include <string.h>

/* Tabs as spaces: a row of the text may begin in the middle of the line. */
static void expand_tabs(const char *s, size_t len, struct buf *out)
{
	size_t n, from = out->len;
	char *before;

	for (; len; s += n, len -= n) {
		for (n = 0; n < len && s[n] != '\t'; n++)
			;
		buf_add(out, s, n);
		if (n == len)
			break;
		before = mem_strn(out->s ? out->s + from : "", out->len - from);
		buf_addf(out, "%*s", 8 - (int)(text_width(before) % 8), "");
		free(before);
		n++;
	}
}

void wrap_line(const char *s, size_t len, int w, bool prose, struct buf *out)
{
	size_t lead, n, i;
	struct buf plain = { 0 };
	bool first = true;

	if (memchr(s, '\t', len)) {
		expand_tabs(s, len, &plain);
		s = buf_str(&plain);
		len = plain.len;
	}
	lead = strspn(s, " ");
	lead = !prose && lead + 2 < (size_t)w / 2 ? lead + 2 : 0;
	do {
		n = text_break(s, len, (size_t)w - (first ? 0 : lead));
		for (i = 0; !first && i < lead; i++)
			buf_addc(out, ' ');
		buf_add(out, s, n);
		buf_addc(out, '\n');
		first = false;
		for (s += n, len -= n; len && *s == ' '; s++)
			len--;
	} while (len);
	buf_release(&plain);
}

/* The lines of prose at s, which were broken for another width, as one; the bytes that they take. */
static size_t join_prose(const char *s, struct buf *out)
{
	const char *begin = s;
	size_t n;

	do {
		n = strcspn(s, "\n");
		if (s != begin)
			buf_addc(out, ' ');
		buf_add(out, s, n);
		s += n;
	} while (s[0] == '\n' && s[1] && s[1] != ' ' && s[1] != '\n' && s++);
	return (size_t)(s - begin);
}

/* Is a line of the prose at s wider than w columns? */
static bool too_wide(const char *s, int w)
{
	size_t n;

	do {
		n = strcspn(s, "\n");
		if (text_fit(s, (size_t)w) < n)
			return true;
		s += n;
	} while (s[0] == '\n' && s[1] && s[1] != ' ' && s[1] != '\n' && s++);
	return false;
}

void wrap_text(const char *s, int w, bool help, struct buf *out)
{
	struct buf joined = { 0 };
	size_t n;

	for (; *s; s += n + (s[n] == '\n')) {
		n = strcspn(s, "\n");
		if (help && *s != ' ' && too_wide(s, w)) {
			buf_reset(&joined);
			n = join_prose(s, &joined);
			wrap_line(buf_str(&joined), joined.len, w, true, out);
		} else {
			wrap_line(s, n, w, false, out);
		}
	}
	buf_release(&joined);
}

/* Columns of a table are two spaces apart. */
static bool is_sentence(const char *s, size_t len)
{
	size_t lead = strspn(s, " "), i;

	for (i = lead; i + 1 < len; i++)
		if (s[i] == ' ' && s[i + 1] == ' ')
			return false;
	return lead < len;
}

void wrap_table(const char *s, int w, struct buf *out)
{
	size_t n;

	for (; *s; s += n + (s[n] == '\n')) {
		n = strcspn(s, "\n");
		if (text_fit(s, (size_t)w) < n && is_sentence(s, n)) {
			wrap_line(s, n, w, false, out);
		} else {
			buf_add(out, s, n);
			buf_addc(out, '\n');
		}
	}
}

int wrap_rows(const char *s, int w, bool help)
{
	struct buf b = { 0 };
	int n = 0;
	size_t i;

	wrap_text(s, w, help, &b);
	for (i = 0; i < b.len; i++)
		n += b.s[i] == '\n';
	buf_release(&b);
	return n;
}

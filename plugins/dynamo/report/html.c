/* SPDX-License-Identifier: BSD-3-Clause */
/* HTML written into a buffer: see html.h. */
#include "report/html.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes the character at s in a visible form; returns the number of its bytes. */
static size_t add_char(struct buf *out, const char *s)
{
	uint32_t c;
	size_t n = text_decode(s, &c);

	if (n == 1 && (unsigned char)*s >= 0x80) {
		buf_adds(out, "\xef\xbf\xbd");
	} else if (c < 0x20 || c == 0x7f) {
		if (c == '\n' || c == '\t')
			buf_addc(out, (char)c);
		else
			buf_addf(out, "&#x%x;", c == 0x7f ? 0x2421 : 0x2400 + (unsigned)c);
	} else if (!visible_char(c) && c != ' ') {
		buf_addf(out, "\\u%04x", (unsigned)c); /* what turns or hides the text around it */
	} else {
		buf_add(out, s, n);
	}
	return n;
}

static void text_n(struct buf *out, const char *s, size_t n)
{
	static const char special[] = "&<>\"'";
	static const char *const name[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
	const char *end = s + n, *p;

	while (s < end) {
		p = strchr(special, *s);
		if (p && *p) {
			buf_adds(out, name[p - special]);
			s++;
		} else if ((unsigned char)*s >= 0x20 && (unsigned char)*s < 0x7f) {
			buf_addc(out, *s++);
		} else {
			s += add_char(out, s);
		}
	}
}

void html_text(struct buf *out, const char *s)
{
	text_n(out, s ? s : "", s ? strlen(s) : 0);
}

void html(struct buf *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	for (; *fmt; fmt++) {
		if (*fmt != '%') {
			buf_addc(out, *fmt);
			continue;
		}
		switch (*++fmt) {
		case 's':
			html_text(out, va_arg(ap, const char *));
			break;
		case 'S':
			buf_adds(out, va_arg(ap, const char *));
			break;
		case 'd':
			buf_addf(out, "%d", va_arg(ap, int));
			break;
		case 'l':
			buf_addf(out, "%lld", va_arg(ap, long long));
			break;
		case 'z':
			buf_addf(out, "%zu", va_arg(ap, size_t));
			break;
		case 'f':
			buf_addf(out, "%.2f", va_arg(ap, double));
			break;
		default:
			buf_addc(out, '%');
		}
	}
	va_end(ap);
}

void html_json(struct buf *out, const struct val *v)
{
	struct buf text = { 0 };
	const char *p;

	host->json(&text, v);
	for (p = buf_str(&text); *p; p++)
		if (*p == '<' || *p == '>' || *p == '&')
			buf_addf(out, "\\u%04x", (unsigned)*p);
		else
			buf_addc(out, *p);
	buf_release(&text);
}

void html_url(struct buf *out, const char *path)
{
	for (; *path; path++)
		if (isalnum((unsigned char)*path) || strchr("/._-", *path))
			buf_addc(out, *path);
		else
			buf_addf(out, "%%%02X", (unsigned char)*path);
}

void html_begin(struct buf *out, const char *title, const char *up)
{
	html(out,
	     "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	     "<meta name=\"color-scheme\" content=\"light dark\">\n"
	     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self' "
	     "'unsafe-inline' "
	     "file:; script-src 'self' file:; img-src data:\">\n"
	     "<title>%s \xe2\x80\x93 cdbg report</title>\n<link rel=\"stylesheet\" href=\"%Sassets/report.css\">\n"
	     "<script src=\"%Sassets/report.js\" defer></script>\n</head>\n<body>\n"
	     "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n",
	     title, up, up);
}

void html_end(struct buf *out, const char *up)
{
	html(out,
	     "<footer>Written by cdbg %s. The same as data: <a href=\"%Sindex.json\">index.json</a>."
	     "</footer>\n</body>\n</html>\n",
	     host->version(), up);
}

void html_seconds(struct buf *out, double s)
{
	static const struct {
		double least, unit;
		const char *name;
	} units[] = { { 1, 1, "s" }, { 1e-3, 1e-3, "ms" }, { 1e-6, 1e-6, "\xc2\xb5s" }, { 0, 1e-9, "ns" } };
	int i = 0;

	while (s < units[i].least)
		i++;
	s /= units[i].unit;
	buf_addf(out, s < 10 ? "%.2f %s" : s < 100 ? "%.1f %s" : "%.0f %s", s, units[i].name);
}

void html_bar(struct buf *out, double share, const char *kind)
{
	int percent = share <= 0 ? 0 : share >= 1 ? 100 : (int)(share * 100 + 0.5);

	html(out, "<span class=\"bar %S\" style=\"--share:%d%%\" aria-hidden=\"true\"></span>", kind, percent);
}

void html_table(struct buf *out, const char *kind, const char *caption, const char *group, const char *heads)
{
	const char *end;

	html(out, "<div class=\"scroll\"><table class=\"%S\"", kind);
	if (group)
		html(out, " data-group=\"%S\"", group);
	html(out, "><caption>%s</caption>\n%S", caption, heads ? "<thead><tr>" : "");
	for (; heads && *heads; heads = *end ? end + 1 : end) {
		end = heads + strcspn(heads, "|");
		html(out, "<th scope=\"col\"%S>", *heads == '#' ? " class=\"num\"" : "");
		heads += *heads == '#';
		text_n(out, heads, (size_t)(end - heads));
	}
	html(out, "%S<tbody>\n", heads ? "</tr></thead>\n" : "");
}

void html_table_end(struct buf *out)
{
	buf_adds(out, "</tbody></table></div>\n");
}

/* ---- Python -------------------------------------------------------------------------------------------- */

static bool is_keyword(const char *s, size_t n)
{
	static const char *const words[] = { "and",    "as",	   "assert", "async",  "await",	   "break",
					     "class",  "continue", "def",    "del",    "elif",	   "else",
					     "except", "finally",  "for",    "from",   "global",   "if",
					     "import", "in",	   "is",     "lambda", "nonlocal", "not",
					     "or",     "pass",	   "raise",  "return", "try",	   "while",
					     "with",   "yield",	   "None",   "True",   "False",	   NULL };
	int i;

	for (i = 0; words[i]; i++)
		if (strlen(words[i]) == n && !strncmp(words[i], s, n))
			return true;
	return false;
}

/* The end of a string that begins at s, on this line. */
static size_t string_end(const char *s)
{
	size_t n = 1;

	while (s[n] && s[n] != *s)
		n += s[n] == '\\' && s[n + 1] ? 2 : 1;
	return n + (s[n] != '\0');
}

static void add_span(struct buf *out, const char *kind, const char *s, size_t n)
{
	buf_addf(out, "<span class=\"%s\">", kind);
	text_n(out, s, n);
	buf_adds(out, "</span>");
}

/* Writes one token of the language; returns the number of its bytes. */
static size_t token(struct buf *out, const char *s)
{
	size_t n = 1;

	if (*s == '#') {
		n = strlen(s);
		add_span(out, "c", s, n);
	} else if (*s == '\'' || *s == '"') {
		n = string_end(s);
		add_span(out, "s", s, n);
	} else if (isalpha((unsigned char)*s) || *s == '_' || (unsigned char)*s >= 0x80) {
		while (isalnum((unsigned char)s[n]) || s[n] == '_' || (unsigned char)s[n] >= 0x80)
			n++;
		if (is_keyword(s, n))
			add_span(out, "k", s, n);
		else
			text_n(out, s, n);
	} else if (isdigit((unsigned char)*s)) {
		while (isalnum((unsigned char)s[n]) || s[n] == '.')
			n++;
		add_span(out, "n", s, n);
	} else {
		text_n(out, s, n);
	}
	return n;
}

enum { LONGEST_LINE = 2000 };

void html_python(struct buf *out, const char *line)
{
	size_t all = strlen(line), n = all;
	char *begin = NULL;
	const char *s = line;

	if (all > LONGEST_LINE) {
		n = text_whole(line, LONGEST_LINE);
		s = begin = mem_strn(line, n);
	}
	while (*s)
		s += token(out, s);
	if (n < all)
		html(out, "<small class=\"cut\"> \xe2\x80\xa6 and %z more bytes</small>", all - n);
	free(begin);
}

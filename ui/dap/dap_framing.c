/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages among bytes: see dap_framing.h.  What comes is not trusted. */
#include "ui/dap/dap_framing.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LINE_MAX_BYTES = 4096 };

static const char length_word[] = "content-length:";

void dap_framing_forget(struct dap_framing *f)
{
	buf_release(&f->line);
	buf_release(&f->body);
	*f = (struct dap_framing){ .length = 0 };
}

void dap_framing_head(struct buf *out, size_t n)
{
	buf_addf(out, "Content-Length: %zu\r\n\r\n", n);
}

void dap_framing_rest(const struct dap_framing *f, struct buf *out)
{
	if (f->inside)
		dap_framing_head(out, f->length);
	else if (f->known)
		buf_addf(out, "Content-Length: %zu\r\n", f->length);
	buf_add(out, buf_str(f->inside ? &f->body : &f->line), f->inside ? f->body.len : f->line.len);
}

/* After a message that was cut off, its rest is in the same line as the next header. */
static const char *find_length(const char *line)
{
	const char *p, *found = NULL;

	for (p = line; *p; p++)
		if ((*p == 'c' || *p == 'C') && !strncasecmp(p, length_word, strlen(length_word)))
			found = p + strlen(length_word);
	return found;
}

/* -1: it is not a number; one that is far too large is a number, too. */
static int read_length(const char *p, size_t *n)
{
	p += strspn(p, " \t");
	if (*p < '0' || *p > '9')
		return -1;
	for (*n = 0; *p >= '0' && *p <= '9'; p++)
		if (*n <= SIZE_MAX / 20)
			*n = *n * 10 + (size_t)(*p - '0');
	return p[strspn(p, " \t")] ? -1 : 0;
}

static void end_of_headers(struct dap_framing *f, const struct dap_framing_sink *to)
{
	char why[120];

	if (!f->known) {
		to->broken(to->arg, "a message without Content-Length was left out");
		return;
	}
	f->inside = true;
	f->skipped = f->length > DAP_MESSAGE_MAX;
	if (f->skipped) {
		snprintf(why, sizeof(why), "a message of %zu bytes was left out: one has at most %d", f->length,
			 DAP_MESSAGE_MAX);
		to->broken(to->arg, why);
	}
}

static void take_line(struct dap_framing *f, const struct dap_framing_sink *to)
{
	const char *value;

	while (f->line.len && f->line.s[f->line.len - 1] == '\r')
		f->line.s[--f->line.len] = '\0';
	if (!f->line.len) {
		end_of_headers(f, to);
		return;
	}
	value = find_length(f->line.s);
	if (value && read_length(value, &f->length) < 0)
		to->broken(to->arg, "a Content-Length that is no number was left out");
	else if (value)
		f->known = true;
}

/* Of the headers; returns the bytes it has taken. */
static size_t take_head(struct dap_framing *f, const char *s, size_t n, const struct dap_framing_sink *to)
{
	const char *nl = memchr(s, '\n', n);
	size_t part = nl ? (size_t)(nl - s) : n;

	if (f->line.len + part > LINE_MAX_BYTES) { /* garbage: its end may be the beginning of a header */
		buf_reset(&f->line);
		if (part > LINE_MAX_BYTES / 2)
			buf_add(&f->line, s + part - LINE_MAX_BYTES / 2, LINE_MAX_BYTES / 2);
		else
			buf_add(&f->line, s, part);
	} else {
		buf_add(&f->line, s, part);
	}
	if (!nl)
		return n;
	take_line(f, to);
	buf_reset(&f->line);
	return part + 1;
}

static void end_of_message(struct dap_framing *f, const struct dap_framing_sink *to)
{
	if (!f->skipped)
		to->message(to->arg, buf_str(&f->body), f->body.len);
	buf_release(&f->body);
	f->inside = f->known = f->skipped = false;
	f->length = 0;
}

static size_t take_body(struct dap_framing *f, const char *s, size_t n, const struct dap_framing_sink *to)
{
	size_t left = f->skipped ? f->length : f->length - f->body.len, part = n < left ? n : left;

	if (f->skipped)
		f->length -= part;
	else
		buf_add(&f->body, s, part);
	if (part == left)
		end_of_message(f, to);
	return part;
}

void dap_framing_take(struct dap_framing *f, const char *s, size_t n, const struct dap_framing_sink *to)
{
	size_t part;

	while (n) {
		part = f->inside ? take_body(f, s, n, to) : take_head(f, s, n, to);
		s += part;
		n -= part;
		if (f->inside && !f->length)
			end_of_message(f, to);
	}
}

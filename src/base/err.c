/* SPDX-License-Identifier: BSD-3-Clause */
/* Error values: see err.h.  Prints nothing. */
#include "config.h"

#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"

/* A text that did not fit ends in "..." after a whole character. */
static void err_mark_cut(char *s, size_t size)
{
	memcpy(s + text_whole(s, size - 4), "...", 4);
}

/* "%.60s" counts bytes: remove the rest of a character that it cut. */
static void err_whole_characters(char *s)
{
	const char *end = s + strlen(s);
	char *to = s;
	size_t n;
	bool cut;

	for (; *s; s += n) {
		n = text_start(s, (size_t)(end - s), &cut);
		if (n < text_lead((unsigned char)*s))
			continue;
		memmove(to, s, n);
		to += n;
	}
	*to = '\0';
}

int err_set(struct err *err, const char *fmt, ...)
{
	/* The arguments may point into err->text: "cannot do X: %s". */
	char text[sizeof(err->text)];
	va_list ap;
	int n;

	if (!err)
		return -1;
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		text[0] = '\0';
	else if ((size_t)n >= sizeof(text))
		err_mark_cut(text, sizeof(text));
	err_whole_characters(text);
	memcpy(err->text, text, sizeof(text));
	return -1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of several processes without what differs: see normal.h. */
#include "base/normal.h"
#include <stdbool.h>
#include <string.h>
#include "base/buf.h"

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

enum { LONG_NUMBER = 10 }; /* digits: an address in decimal */

/* The part of text[0..n) that is an address, or one character or number that is none; how long it is. */
static size_t add_part(struct buf *out, const char *text, size_t left)
{
	size_t n = left > 2 && text[0] == '0' && text[1] == 'x' ? strspn(text + 2, DIGITS "abcdef") : 0;

	if (n) {
		buf_adds(out, "0x#");
		return n + 2;
	}
	n = strspn(text, DIGITS);
	if (n >= LONG_NUMBER)
		buf_addc(out, '#');
	else
		buf_add(out, text, n ? n : 1);
	return n ? n : 1;
}

static void add_addresses(struct buf *out, const char *text, size_t n)
{
	const char *end = text + n;

	while (text < end)
		text += add_part(out, text, (size_t)(end - text));
}

void normal_addresses(struct buf *out, const char *text)
{
	add_addresses(out, text, strlen(text));
}

/* The length of what a device's index follows, at the beginning of text; 0: nothing like it. */
static size_t device(const char *text)
{
	static const char *const before[] = { "cuda:", "xpu:", "hpu:", "npu:", "mtia:", "device=" };
	size_t i, n;

	for (i = 0; i < sizeof(before) / sizeof(*before); i++) {
		n = strlen(before[i]);
		if (!strncmp(text, before[i], n) && strspn(text + n, DIGITS))
			return n;
	}
	return 0;
}

/* A name, of n bytes. */
static void add_name(struct buf *out, const char *text, size_t n)
{
	size_t kept = n;

	while (text[0] == '_' && text[1] == '_' && kept > 2 && strchr(DIGITS, text[kept - 1]))
		kept--;
	add_addresses(out, text, kept);
	if (kept < n)
		buf_addc(out, '#');
}

void normal_line(struct buf *out, const char *text)
{
	size_t n;

	while (*text) {
		n = device(text);
		if (n) {
			buf_add(out, text, n);
			buf_addc(out, '*');
			text += n + strspn(text + n, DIGITS);
			continue;
		}
		n = strspn(text, LETTERS);
		if (n) {
			n = strspn(text, LETTERS DIGITS);
			add_name(out, text, n);
		} else if (*text == '\n') {
			buf_addc(out, ' ');
			n = 1;
		} else {
			n = add_part(out, text, strlen(text));
		}
		text += n;
	}
}

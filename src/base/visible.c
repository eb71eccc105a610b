/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of the program made safe to show: see visible.h.  Knows libc only. */
#include "config.h"

#include "base/visible.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* What visible() returns, one for each thread that needed it. */
struct copies {
	struct buf text[16];
	unsigned next;
};

static pthread_key_t copies_key;
static pthread_once_t copies_once = PTHREAD_ONCE_INIT;

bool visible_char(uint32_t c)
{
	return c >= 0x20 && (c < 0x7f || c >= 0xa0) && c != 0x61c && c != 0x200b && c != 0x200e && c != 0x200f &&
	       c != 0xfeff && !(c >= 0x2028 && c <= 0x202e) && !(c >= 0x2060 && c <= 0x2069);
}

typedef int8_t block __attribute__((vector_size(16)));

enum { BLOCK = sizeof(block) };

/* A block of printable ASCII, with line feeds where they stay: no bit 7, else nothing below 0x20, and no 0x7f. */
static bool are_printable(const char *s, bool lines)
{
	union {
		block b;
		uint64_t half[2];
	} bad;
	block b;

	memcpy(&b, s, BLOCK);
	bad.b = (b < 0x20) | (b == 0x7f);
	if (lines)
		bad.b = bad.b & (b != '\n');
	return !(bad.half[0] | bad.half[1]);
}

/* Bytes at the start of s that are found to need no change a block at a time. */
static size_t printable(const char *s, size_t n, bool lines)
{
	size_t i = 0;

	while (n - i >= BLOCK && are_printable(s + i, lines))
		i += BLOCK;
	return n >= BLOCK && n - i < BLOCK && are_printable(s + n - BLOCK, lines) ? n : i;
}

/* Bytes at the start of s that need no change. */
static size_t harmless(const char *s, size_t n, bool lines)
{
	size_t i = printable(s, n, lines), k;
	uint32_t c;

	for (; i < n; i += (unsigned char)s[i - 1] < 0x20 ? printable(s + i, n - i, lines) : 0) {
		if (((unsigned char)s[i] >= 0x20 && (unsigned char)s[i] < 0x7f) || s[i] == '\t' ||
		    (lines && s[i] == '\n')) {
			i++;
			continue;
		}
		k = text_next(s + i, n - i, &c);
		if (!visible_char(c) || (k == 1 && (unsigned char)s[i] >= 0x80))
			break;
		i += k;
	}
	return i;
}

/* The character or byte at s; its bytes. */
static size_t add_escaped(struct buf *out, const char *s, size_t n)
{
	uint32_t c;
	size_t k = text_next(s, n, &c);

	if (k == 1)
		c = (unsigned char)*s;
	if (c == '\n' || c == '\r')
		buf_adds(out, c == '\n' ? "\\n" : "\\r");
	else if (c < 0x100)
		buf_addf(out, "\\x%02x", (unsigned)c);
	else
		buf_addf(out, "\\u%04x", (unsigned)c);
	return k;
}

void visible_add(struct buf *out, const char *s, size_t n, bool lines)
{
	size_t k;

	while (n) {
		k = harmless(s, n, lines);
		buf_add(out, s, k);
		if (k < n)
			k += add_escaped(out, s + k, n - k);
		s += k;
		n -= k;
	}
}

static void copies_free(void *p)
{
	struct copies *all = p;
	size_t i;

	for (i = 0; i < sizeof(all->text) / sizeof(*all->text); i++)
		buf_release(&all->text[i]);
	free(all);
}

static void copies_begin(void)
{
	if (pthread_key_create(&copies_key, copies_free))
		BUG("no key for the texts of a thread");
}

bool visible_is(const char *s, size_t n)
{
	return harmless(s, n, false) == n;
}

const char *visible(const char *s)
{
	struct copies *all;
	struct buf *b;
	size_t n;

	if (!s)
		return NULL;
	n = strlen(s);
	if (visible_is(s, n))
		return s;
	pthread_once(&copies_once, copies_begin);
	all = pthread_getspecific(copies_key);
	if (!all) {
		all = mem_alloc(sizeof(*all));
		pthread_setspecific(copies_key, all);
	}
	b = &all->text[all->next++ % (sizeof(all->text) / sizeof(*all->text))];
	buf_reset(b);
	visible_add(b, s, n, false);
	return buf_str(b);
}

void visible_value(struct buf *out, const char *s, size_t n)
{
	const char *end = s + n, *nl;

	for (; (nl = memchr(s, '\n', (size_t)(end - s))); s = nl + 1) {
		buf_add(out, s, (size_t)(nl + 1 - s));
		if (nl + 1 == end)
			return;
		buf_adds(out, nl[1] == ' ' ? "|" : "| ");
		nl += nl[1] == ' ';
	}
	buf_add(out, s, (size_t)(end - s));
}

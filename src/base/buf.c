/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing text and arrays, and BUG(): see buf.h.  Knows libc only. */
#include "config.h"

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*bug_restore_terminal)(void);

void bug_restore(void (*restore)(void))
{
	bug_restore_terminal = restore;
}

void bug_restore_now(void)
{
	if (bug_restore_terminal)
		bug_restore_terminal();
}

void bug_at(const char *file, int line, const char *fmt, ...)
{
	static bool again;
	char text[1000];
	va_list ap;
	int n;

	if (again)
		abort();
	again = true;
	bug_restore_now();
	n = snprintf(text, sizeof(text), "cdbg: bug at %s:%d: ", file, line);
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
	va_end(ap);
	n = (int)strlen(text);
	if (n == (int)sizeof(text) - 1)
		n--;
	text[n++] = '\n';
	/* No stdio: its locks and buffers may be what broke. */
	if (write(STDERR_FILENO, text, (size_t)n) < 0)
		abort();
	abort();
}

void *mem_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		BUG("out of memory for %zu bytes", size);
	return p;
}

void *mem_raw(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		BUG("out of memory for %zu bytes", size);
	return p;
}

enum { BUF_FIRST = 128 }; /* bytes of a text at first */

void *mem_room(void *p, size_t *cap, size_t want, size_t size)
{
	size_t n = *cap;

	if (want <= n)
		return p;
	if (n < 8)
		n = 8;
	while (n < want)
		n = n > SIZE_MAX / 2 ? want : n * 2;
	if (n > SIZE_MAX / size)
		BUG("an array of %zu items of %zu bytes", n, size);
	p = realloc(p, n * size);
	if (!p)
		BUG("out of memory for %zu items of %zu bytes", n, size);
	*cap = n;
	return p;
}

void *mem_grow(void *p, size_t *cap, size_t want, size_t size)
{
	size_t was = *cap;

	p = mem_room(p, cap, want, size);
	if (*cap > was)
		memset((char *)p + was * size, 0, (*cap - was) * size);
	return p;
}

char *mem_strn(const char *s, size_t n)
{
	char *copy = mem_raw(n + 1);

	if (n)
		memcpy(copy, s, n);
	copy[n] = '\0';
	return copy;
}

char *mem_str(const char *s)
{
	return s ? mem_strn(s, strlen(s)) : NULL;
}

char *mem_vfmt(const char *fmt, va_list ap)
{
	struct buf b = { 0 };
	char local[256];
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(local, sizeof(local), fmt, again);
	va_end(again);
	if (n >= 0 && (size_t)n < sizeof(local))
		return mem_strn(local, (size_t)n);
	buf_vaddf(&b, fmt, ap);
	return buf_detach(&b);
}

char *mem_fmt(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = mem_vfmt(fmt, ap);
	va_end(ap);
	return s;
}

/* Room for n more bytes and the NUL. */
static void buf_room(struct buf *b, size_t n)
{
	if (n > SIZE_MAX - b->len - 1)
		BUG("a text of %zu bytes", n);
	if (!b->cap && n < BUF_FIRST) /* most texts are one line */
		n = BUF_FIRST - 1;
	b->s = mem_room(b->s, &b->cap, b->len + n + 1, 1);
}

void buf_release(struct buf *b)
{
	free(b->s);
	*b = (struct buf){ 0 };
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	if (b->s)
		b->s[0] = '\0';
}

void buf_add(struct buf *b, const char *s, size_t n)
{
	if (n >= b->cap - b->len) /* the usual case calls nothing */
		buf_room(b, n);
	if (n)
		memcpy(b->s + b->len, s, n);
	b->len += n;
	b->s[b->len] = '\0';
}

void buf_repeat(struct buf *b, size_t from, size_t n)
{
	buf_room(b, n);
	memcpy(b->s + b->len, b->s + from, n);
	b->len += n;
	b->s[b->len] = '\0';
}

void buf_addc(struct buf *b, char c)
{
	if (b->len + 1 >= b->cap)
		buf_room(b, 1);
	b->s[b->len++] = c;
	b->s[b->len] = '\0';
}

void buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	size_t room = b->s ? b->cap - b->len : 0;
	bool small = room < 256;
	char local[256];
	va_list again;
	int n;

	/* most texts fit into what there is, or into this, and are formatted once */
	va_copy(again, ap);
	n = vsnprintf(small ? local : b->s + b->len, small ? sizeof(local) : room, fmt, again);
	va_end(again);
	if (n < 0)
		BUG("cannot format '%s'", fmt);
	if (small && (size_t)n < sizeof(local)) {
		buf_add(b, local, (size_t)n);
		return;
	}
	if ((size_t)n >= room) {
		buf_room(b, (size_t)n);
		vsnprintf(b->s + b->len, (size_t)n + 1, fmt, ap);
	}
	b->len += (size_t)n;
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(b, fmt, ap);
	va_end(ap);
}

void buf_number(struct buf *b, long n, size_t width)
{
	char digits[24], *end = digits + sizeof(digits), *p = end;
	unsigned long left = n < 0 ? -(unsigned long)n : (unsigned long)n;

	do {
		*--p = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (n < 0)
		*--p = '-';
	for (; (size_t)(end - p) < width; width--)
		buf_addc(b, ' ');
	buf_add(b, p, (size_t)(end - p));
}

void buf_pad(struct buf *b, size_t column, size_t from)
{
	size_t width = from < b->len ? text_width(b->s + from) : 0;

	for (; width < column; width++)
		buf_addc(b, ' ');
}

const char *buf_str(const struct buf *b)
{
	return b->s ? b->s : "";
}

char *buf_detach(struct buf *b)
{
	char *s = b->s ? b->s : mem_strn("", 0), *less;

	/* texts that are kept take what they need */
	less = b->cap == BUF_FIRST && b->len + 1 < BUF_FIRST / 2 ? realloc(s, b->len + 1) : NULL;
	s = less ? less : s;
	*b = (struct buf){ 0 };
	return s;
}

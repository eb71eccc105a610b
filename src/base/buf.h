/* SPDX-License-Identifier: BSD-3-Clause */
/* Growing text, growing arrays, and BUG(), which aborts the process on an error of cdbg's own.  Knows libc only. */
#ifndef CDBG_BUF_H
#define CDBG_BUF_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Always NUL-terminated once something was added; s may be NULL while len is 0.  The buf owns s. */
struct buf {
	char *s;
	size_t len, cap;
};

void buf_release(struct buf *b); /* frees, leaves an empty buf */
void buf_reset(struct buf *b);	 /* empties, keeps the memory */
void buf_add(struct buf *b, const char *s, size_t n);
void buf_repeat(struct buf *b, size_t from, size_t n); /* n bytes of its own text, which begin there */
/* Here, so that a constant is measured, and a short one copied, without a call. */
static inline void buf_adds(struct buf *b, const char *s)
{
	size_t n = strlen(s);

	if (__builtin_constant_p(n) && n <= 16 && n < b->cap - b->len) {
		memcpy(b->s + b->len, s, n + 1);
		b->len += n;
	} else
		buf_add(b, s, n);
}
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vaddf(struct buf *b, const char *fmt, va_list ap);
void buf_number(struct buf *b, long n, size_t width);	 /* in decimal, after spaces up to this width; without printf */
void buf_pad(struct buf *b, size_t column, size_t from); /* spaces until `column` columns after byte `from` */
const char *buf_str(const struct buf *b);		 /* never NULL */
char *buf_detach(struct buf *b); /* the caller owns the text now (never NULL); the buf is empty */

/* Columns that UTF-8 text takes on a terminal (combining 0, wide 2). */
size_t text_width(const char *s);
/* The bytes of s that fit in `columns` columns, never cutting a character. */
size_t text_fit(const char *s, size_t columns);
/* The bytes of the n at s that fill a row of so many columns, broken between words if possible; at least a character
   of n > 0.  Skip spaces after them. */
size_t text_break(const char *s, size_t n, size_t columns);

/* Number of bytes of the character at s, which a NUL ends (1 for a byte that is not UTF-8, shown as one column); its
   code in *c, U+FFFD for such a byte. */
size_t text_decode(const char *s, uint32_t *c);
size_t text_next(const char *s, size_t n, uint32_t *c); /* the same of n > 0 bytes at s */
size_t text_encode(char *out, uint32_t c);		/* UTF-8, at most 4 bytes, no NUL; how many */
size_t text_char_width(uint32_t c);			/* 0 for control characters */
size_t text_lead(unsigned char c);			/* bytes of a character that begins with c; 1 if none does */
/* The length of the longest beginning of a character at s, at least 1, at most n > 0. *cut: more bytes could
   complete it. */
size_t text_start(const char *s, size_t n, bool *cut);
/* The number of bytes at the end of the n at s that are the beginning of an incomplete character: 0..3. */
size_t text_unfinished(const char *s, size_t n);
/* The largest length up to n that does not cut a character of s; s[n] may be read. */
size_t text_whole(const char *s, size_t n);

/* Decodes a character byte by byte; the struct is all zero at first. 1: the character is complete, in *c (U+FFFD for
   invalid UTF-8); 0: more bytes are needed; -1: the earlier bytes were not a character and are discarded: pass the
   byte again. */
struct text_part {
	char s[4];
	size_t n;
};
int text_byte(struct text_part *p, unsigned char b, uint32_t *c);

/* Read the decimal digits at *s and advance *s past them; values above `most` become `most`; 0 without a digit.  For
   untrusted input: no sign, no spaces, no overflow. */
int text_number(const char **s, int most);
/* Is the whole text a number from least to most?  Into *n then, which is left as it was otherwise. */
bool text_is_number(const char *text, long least, long most, long *n);

/* The part of a path after its last slash, within it. */
const char *text_path_file_name(const char *path);
/* The path without its parts "." and "..", which are taken as they read, and without doubled slashes: the path itself
   if it has none or is longer than PATH_MAX, else text in out, which has room for PATH_MAX bytes. */
const char *text_path_plain(const char *path, char *out);
/* True if the file is below the folder, by whole parts of their paths.  Neither must exist. */
bool text_path_below(const char *file, const char *folder);

/* Memory for our own small structs: never NULL, BUG() when there is none. */
void *mem_alloc(size_t size); /* zeroed */
void *mem_raw(size_t size);   /* not zeroed: its pages are touched when it is filled */
void *mem_grow(void *p, size_t *cap, size_t want, size_t size); /* array of *cap items, grown to at least `want` */
void *mem_room(void *p, size_t *cap, size_t want, size_t size); /* the same, the new items not zeroed */
char *mem_str(const char *s);					/* copy; NULL stays NULL */
char *mem_strn(const char *s, size_t n);
char *mem_fmt(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *mem_vfmt(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/* Report an error of cdbg's own: run the restore function (the terminal), print file and line, abort. */
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
void bug_at(const char *file, int line, const char *fmt, ...) __attribute__((noreturn, format(printf, 3, 4)));
void bug_restore(void (*restore)(void));
void bug_restore_now(void); /* call it; plugins pass this on to their own copy of this file */

#endif

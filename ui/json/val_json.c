/* SPDX-License-Identifier: BSD-3-Clause */
/* Data trees, rows and text as JSON.  Knows no descriptor and no session. */
#include "ui/json/val_json.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "base/visible.h"
#include "view/view.h"

enum { PART = 64 << 10 }; /* bytes that are sent while rows are added */

static void escape_char(struct buf *out, unsigned char c)
{
	static const char from[] = "\"\\\n\t\r\b\f", to[] = "\"\\ntrbf";
	const char *p = c ? strchr(from, c) : NULL;

	if (p) {
		buf_addc(out, '\\');
		buf_addc(out, to[p - from]);
	} else {
		buf_addf(out, "\\u%04x", c);
	}
}

void json_add_text(struct buf *out, const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t i = 0, plain = 0, len;
	uint32_t c;
	bool cut;

	buf_addc(out, '"');
	while (i < n) {
		if (p[i] >= 0x20 && p[i] < 0x7f && p[i] != '"' && p[i] != '\\') {
			i++;
			continue;
		}
		len = text_next(s + i, n - i, &c);
		if (len > 1 && visible_char(c)) {
			i += len;
			continue;
		}
		buf_add(out, s + plain, i - plain);
		if (len > 1)
			buf_addf(out, "\\u%04x", (unsigned)c);
		else if (p[i] < 0x80)
			escape_char(out, p[i]);
		else
			buf_adds(out, "\xef\xbf\xbd"); /* for the longest start of one, as Unicode recommends */
		i += len > 1 ? len : text_start(s + i, n - i, &cut);
		plain = i;
	}
	buf_add(out, s + plain, n - plain);
	buf_addc(out, '"');
}

void json_add_key(struct buf *out, const char *key)
{
	if (out->len && out->s[out->len - 1] != '{')
		buf_addc(out, ',');
	json_add_text(out, key, strlen(key));
	buf_addc(out, ':');
}

/* printf() takes five times as long, and rows are full of numbers. */
static void add_int(struct buf *out, long long i)
{
	unsigned long long left = i < 0 ? 0ull - (unsigned long long)i : (unsigned long long)i;
	char digits[24], *p = digits + sizeof(digits);

	do {
		*--p = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (i < 0)
		*--p = '-';
	buf_add(out, p, (size_t)(digits + sizeof(digits) - p));
}

/* 0.DIGITS * 10^point, in the form of "%g" and with a point or an exponent. */
static void put_digits(struct buf *out, const char *digits, int len, int point)
{
	int i;

	if (point < -3) {
		buf_add(out, digits, 1);
		if (len > 1) {
			buf_addc(out, '.');
			buf_add(out, digits + 1, (size_t)len - 1);
		}
		buf_addf(out, "e-%02d", 1 - point);
		return;
	}
	if (point <= 0)
		buf_adds(out, "0.");
	for (i = point; i < 0; i++)
		buf_addc(out, '0');
	for (i = 0; i < len || i < point; i++) {
		if (i && i == point)
			buf_addc(out, '.');
		buf_addc(out, i < len ? digits[i] : '0');
	}
	if (point >= len)
		buf_adds(out, ".0");
}

/* As "%.15g" writes it, for numbers of at most nine decimals and 15 digits, as times are; false: it has more. */
static bool short_real(struct buf *out, double r)
{
	double scaled = r * 1e9;
	long long n = scaled > -1e15 && scaled < 1e15 ? llround(scaled) : 0;
	char digits[24];
	int len, point; /* the number is 0.DIGITS * 10^point */

	if (!n || (double)n / 1e9 != r)
		return false;
	if (n < 0)
		buf_addc(out, '-');
	for (n = n < 0 ? -n : n, point = 0; n % 10 == 0; n /= 10)
		point++;
	for (len = 0; n; n /= 10)
		digits[sizeof(digits) - ++len] = (char)('0' + n % 10);
	point += len - 9;
	put_digits(out, digits + sizeof(digits) - len, len, point);
	return true;
}

static void json_real(struct buf *out, double r)
{
	char text[40];

	if (isnan(r)) {
		buf_adds(out, "\"nan\"");
	} else if (isinf(r)) {
		buf_adds(out, r < 0 ? "\"-inf\"" : "\"inf\"");
	} else if (!short_real(out, r)) {
		snprintf(text, sizeof(text), "%.15g", r);
		if (strtod(text, NULL) != r)
			snprintf(text, sizeof(text), "%.17g", r);
		buf_adds(out, text);
		if (!strpbrk(text, ".e"))
			buf_adds(out, ".0");
	}
}

static void add_list(struct buf *out, const struct val *v)
{
	bool map = v->type == VAL_MAP;
	size_t i;

	buf_addc(out, map ? '{' : '[');
	for (i = 0; i < v->u.list.n; i++) {
		if (map)
			json_add_key(out, v->u.list.key[i]);
		else if (i)
			buf_addc(out, ',');
		json_add_val(out, v->u.list.item[i]);
	}
	buf_addc(out, map ? '}' : ']');
}

void json_add_val(struct buf *out, const struct val *v)
{
	const long long exact = 1LL << 53;

	switch (v ? v->type : VAL_NULL) {
	case VAL_NULL:
		buf_adds(out, "null");
		break;
	case VAL_BOOL:
		buf_adds(out, v->u.b ? "true" : "false");
		break;
	case VAL_INT:
		if (v->u.i > exact || v->u.i < -exact)
			buf_addf(out, "\"%lld\"", v->u.i);
		else
			add_int(out, v->u.i);
		break;
	case VAL_REAL:
		json_real(out, v->u.r);
		break;
	case VAL_STR:
		json_add_text(out, v->u.s, strlen(v->u.s));
		break;
	case VAL_LIST:
	case VAL_MAP:
		add_list(out, v);
		break;
	}
}

/* A cell with its key.  above: where the text of the cell above it begins, and its length; becomes those of this
   one. */
static void add_cell(struct buf *out, const struct cell *cell, const char *key, size_t n, size_t *above)
{
	size_t from = out->len;

	if (cell->shared) {
		buf_repeat(out, above[0], above[1]);
	} else {
		buf_add(out, key, n);
		json_add_val(out, cell->v);
	}
	above[0] = from;
	above[1] = out->len - from;
}

/* Sends what comes before the last row, which the next one may repeat, if that is much: a text that fits into the
   processor's cache is made faster.  Returns how many bytes were sent. */
static size_t send_before(struct buf *out, size_t row, void (*send)(const char *s, size_t n))
{
	if (!send || row < PART)
		return 0;
	send(out->s, row);
	out->len -= row;
	memmove(out->s, out->s + row, out->len + 1);
	return row;
}

/* The keys are the same in each row. */
void json_add_rows(struct buf *out, const struct rows *r, void (*send)(const char *s, size_t n))
{
	struct buf keys = { 0 };
	size_t columns = (size_t)r->ncols, c, i, from, row, sent;
	size_t *end = mem_raw((columns + 1) * sizeof(*end)), (*above)[2] = mem_alloc((columns + 1) * sizeof(*above));

	for (c = 0; c < columns; c++) {
		if (!r->ops->cols[c].screen)
			json_add_key(&keys, r->ops->cols[c].name);
		end[c] = keys.len;
	}
	buf_addc(out, '[');
	for (i = 0; i < r->n; i++) {
		row = out->len;
		buf_adds(out, i ? ",{" : "{");
		for (c = 0; c < columns; c++) {
			from = c ? end[c - 1] : 0;
			if (!r->ops->cols[c].screen)
				add_cell(out, &r->cell[i * columns + c], keys.s + from, end[c] - from, above[c]);
		}
		buf_addc(out, '}');
		sent = send_before(out, row, send);
		for (c = 0; sent && c < columns; c++)
			above[c][0] -= sent;
	}
	buf_addc(out, ']');
	free(above);
	free(end);
	buf_release(&keys);
}

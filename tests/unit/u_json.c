/* SPDX-License-Identifier: BSD-3-Clause */
/* What the machine interface writes, read back by jansson: ours is a writer only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/val.h"
#include "ui/json/val_json.h"

static json_t *read_back(struct buf *written)
{
	json_error_t why;
	json_t *j = json_loadb(buf_str(written), written->len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);

	if (!j)
		fail_msg("%s: %s", why.text, buf_str(written));
	buf_release(written);
	return j;
}

static json_t *text_read_back(const char *s, size_t n)
{
	struct buf b = { 0 };

	json_add_text(&b, s, n);
	return read_back(&b);
}

static void each_character_comes_back(void **state)
{
	char s[4];
	uint32_t c;
	size_t n;
	json_t *j;

	(void)state;
	for (c = 0; c < 0x11000; c++) {
		if (c >= 0xd800 && c < 0xe000)
			continue;
		n = text_encode(s, c);
		j = text_read_back(s, n);
		assert_int_equal(json_string_length(j), n);
		assert_memory_equal(json_string_value(j), s, n);
		json_decref(j);
	}
}

/* Of all that has few decimals, and of what has many. */
static void reals_are_as_printf_writes_them(void **state)
{
	static const double units[] = { 1e9, 1e6, 1e4, 1e3, 16, 7, 1e-3, 1e12 };
	char text[64];
	unsigned long long seed = 1;
	double r;
	int i;

	(void)state;
	for (i = 0; i < 200000; i++) {
		struct buf b = { 0 };
		struct val *v;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		r = (double)((long long)seed >> (12 + i % 50)) / units[i % 8];
		snprintf(text, sizeof(text), "%.15g", r);
		if (strtod(text, NULL) != r)
			snprintf(text, sizeof(text), "%.17g", r);
		if (!strpbrk(text, ".e"))
			strcat(text, ".0");
		v = val_real(r);
		json_add_val(&b, v);
		assert_string_equal(buf_str(&b), text);
		val_free(v);
		buf_release(&b);
	}
}

static void what_is_not_utf8_is_replaced(void **state)
{
	static const struct {
		const char *bytes, *read;
	} cases[] = {
		{ "a\xff"
		  "b",
		  "a\xef\xbf\xbd"
		  "b" },
		{ "\xe2\x82", "\xef\xbf\xbd" },
		{ "\xe2\x82z", "\xef\xbf\xbdz" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* a surrogate */
		{ "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd" },		    /* longer than needed */
		{ "\xf5\x80", "\xef\xbf\xbd\xef\xbf\xbd" },		    /* beyond Unicode */
	};
	size_t i;
	json_t *j;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		j = text_read_back(cases[i].bytes, strlen(cases[i].bytes));
		assert_string_equal(json_string_value(j), cases[i].read);
		json_decref(j);
	}
}

static void numbers_come_back_as_they_were(void **state)
{
	static const double reals[] = { 0.1, 1.0, -2.5e-300, 1.7976931348623157e308, 123456789.123456789, 1e22 };
	struct val *list = val_list();
	struct buf b = { 0 };
	json_t *j;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(reals) / sizeof(*reals); i++)
		val_push(list, val_real(reals[i]));
	val_push(list, val_int(1LL << 53));
	val_push(list, val_int((1LL << 53) + 1));
	val_push(list, val_real(NAN));
	val_push(list, val_real(-INFINITY));
	json_add_val(&b, list);
	val_free(list);
	j = read_back(&b);
	for (i = 0; i < sizeof(reals) / sizeof(*reals); i++) {
		assert_true(json_is_real(json_array_get(j, i)));
		assert_true(json_real_value(json_array_get(j, i)) == reals[i]);
	}
	assert_true(json_integer_value(json_array_get(j, i)) == 1LL << 53);
	assert_string_equal(json_string_value(json_array_get(j, i + 1)), "9007199254740993");
	assert_string_equal(json_string_value(json_array_get(j, i + 2)), "nan");
	assert_string_equal(json_string_value(json_array_get(j, i + 3)), "-inf");
	json_decref(j);
}

static void maps_keep_their_keys_in_order(void **state)
{
	struct val *map = val_map();
	struct buf b = { 0 };
	json_t *j;
	void *at;

	(void)state;
	val_put(map, "z\"\n", val_bool(true));
	val_put(val_put(map, "a", val_map()), "inner", val_null());
	json_add_val(&b, map);
	val_free(map);
	j = read_back(&b);
	at = json_object_iter(j);
	assert_string_equal(json_object_iter_key(at), "z\"\n");
	assert_true(json_is_true(json_object_iter_value(at)));
	at = json_object_iter_next(j, at);
	assert_string_equal(json_object_iter_key(at), "a");
	assert_true(json_is_null(json_object_get(json_object_iter_value(at), "inner")));
	assert_null(json_object_iter_next(j, at));
	json_decref(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_character_comes_back),	 cmocka_unit_test(reals_are_as_printf_writes_them),
		cmocka_unit_test(what_is_not_utf8_is_replaced),	 cmocka_unit_test(numbers_come_back_as_they_were),
		cmocka_unit_test(maps_keep_their_keys_in_order),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}

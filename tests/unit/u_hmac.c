/* SPDX-License-Identifier: BSD-3-Clause */
/* HMAC with SHA-256 against the vectors of RFC 4231. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "ui/wire/hmac.h"

static void vectors(void **state)
{
	static const struct {
		char key, fill;
		size_t nkey, n;
		const char *text, *want;
	} v[] = {
		{ 0x0b, 0, 20, 8, "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7" },
		{ (char)0xaa, (char)0xdd, 20, 50, NULL,
		  "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe" },
		{ (char)0xaa, 0, 131, 54, "Test Using Larger Than Block-Size Key - Hash Key First",
		  "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54" },
	};
	char key[131], text[64], out[HMAC_TEXT];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(v) / sizeof(*v); i++) {
		memset(key, v[i].key, sizeof(key));
		memset(text, v[i].fill, sizeof(text));
		if (v[i].text)
			memcpy(text, v[i].text, v[i].n);
		hmac_text(key, v[i].nkey, text, v[i].n, out);
		assert_string_equal(out, v[i].want);
	}
	hmac_text("Jefe", 4, "what do ya want for nothing?", 28, out);
	assert_string_equal(out, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

static void lengths(void **state)
{
	char text[200], a[HMAC_TEXT], b[HMAC_TEXT];
	size_t n;

	(void)state;
	memset(text, 'x', sizeof(text));
	b[0] = '\0';
	for (n = 0; n < sizeof(text); n++) { /* each place of the padding */
		hmac_text("key", 3, text, n, a);
		assert_int_equal(strlen(a), HMAC_TEXT - 1);
		assert_false(hmac_same(a, b));
		memcpy(b, a, sizeof(b));
		assert_true(hmac_same(a, b));
	}
	assert_false(hmac_same("ab", "abc"));
	assert_true(hmac_same("", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(vectors), cmocka_unit_test(lengths) };

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

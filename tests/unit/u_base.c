/* SPDX-License-Identifier: BSD-3-Clause */
/* The ground floor: errors, texts, widths, data trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"

static void err_set_formats_and_returns_minus_one(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(err_set(&err, "no frame %d: give one of %s", 7, "0..2"), -1);
	assert_string_equal(err.text, "no frame 7: give one of 0..2");
}

static void err_set_takes_no_err(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, "unheard"), -1);
}

static void err_set_may_quote_its_own_text(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, "no such file");
	err_set(&err, "cannot read 'a.py': %s", err.text);
	assert_string_equal(err.text, "cannot read 'a.py': no such file");
}

static void err_set_cuts_between_characters(void **state)
{
	struct err err;
	struct buf b = { 0 };

	(void)state;
	while (b.len < sizeof(err.text) + 10)
		buf_adds(&b, "\xc3\xa9");
	err_set(&err, "%s", buf_str(&b));
	assert_true(strlen(err.text) < sizeof(err.text));
	assert_string_equal(err.text + strlen(err.text) - 5, "\xc3\xa9...");
	buf_release(&b);
}

static void buf_grows_and_stays_terminated(void **state)
{
	struct buf b = { 0 };
	int i;

	(void)state;
	assert_string_equal(buf_str(&b), "");
	for (i = 0; i < 1000; i++)
		buf_addf(&b, "%d,", i);
	assert_int_equal(b.len, 3890);
	assert_int_equal(strlen(b.s), b.len);
	assert_string_equal(b.s + b.len - 8, "998,999,");
	buf_release(&b);
	assert_null(b.s);
}

static void buf_reset_keeps_the_memory(void **state)
{
	struct buf b = { 0 };
	char *s;

	(void)state;
	buf_reset(&b);
	assert_string_equal(buf_str(&b), "");
	buf_adds(&b, "some");
	s = b.s;
	buf_reset(&b);
	assert_string_equal(buf_str(&b), "");
	buf_addc(&b, 'x');
	assert_ptr_equal(b.s, s);
	assert_string_equal(buf_str(&b), "x");
	buf_release(&b);
}

static void buf_repeats_its_own_text(void **state)
{
	struct buf b = { 0 };
	int i;

	(void)state;
	buf_adds(&b, "key:value");
	for (i = 0; i < 200; i++) /* the memory moves meanwhile */
		buf_repeat(&b, b.len - 5, 5);
	assert_int_equal(b.len, 9 + 200 * 5);
	assert_string_equal(b.s + b.len - 10, "valuevalue");
	assert_memory_equal(b.s, "key:valuevalue", 14);
	buf_repeat(&b, 0, 0);
	assert_int_equal(b.len, 9 + 200 * 5);
	buf_release(&b);
}

static void buf_takes_bytes_with_nuls(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_add(&b, "a\0b", 3);
	buf_add(&b, "", 0);
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.s, "a\0b", 4);
	buf_release(&b);
}

static void buf_detach_never_gives_null(void **state)
{
	struct buf b = { 0 };
	char *s = buf_detach(&b);

	(void)state;
	assert_string_equal(s, "");
	free(s);
	buf_adds(&b, "mine");
	s = buf_detach(&b);
	assert_string_equal(s, "mine");
	assert_int_equal(b.len, 0);
	assert_null(b.s);
	free(s);
}

static void buf_number_writes_any_long(void **state)
{
	static const long each[] = { 0, 7, 10, -1, 123456, LONG_MAX, LONG_MIN };
	struct buf b = { 0 }, want = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(each) / sizeof(*each); i++) {
		buf_number(&b, each[i], 0);
		buf_number(&b, each[i], 6);
		buf_addf(&want, "%ld%6ld", each[i], each[i]);
	}
	assert_string_equal(b.s, want.s);
	buf_release(&b);
	buf_release(&want);
}

static void buf_pad_counts_columns(void **state)
{
	struct buf b = { 0 };
	size_t from;

	(void)state;
	buf_adds(&b, "ab");
	from = b.len;
	buf_adds(&b, "\xe6\x97\xa5");
	buf_pad(&b, 4, from);
	assert_string_equal(buf_str(&b), "ab\xe6\x97\xa5  ");
	buf_pad(&b, 4, from);
	assert_string_equal(buf_str(&b), "ab\xe6\x97\xa5  ");
	buf_reset(&b);
	buf_pad(&b, 3, 0);
	assert_string_equal(buf_str(&b), "   ");
	buf_release(&b);
}

static void a_number_is_the_whole_text(void **state)
{
	long n = 7;

	(void)state;
	assert_true(text_is_number("12", 1, 12, &n));
	assert_int_equal(n, 12);
	assert_true(text_is_number("-3", -5, 5, &n));
	assert_int_equal(n, -3);
	assert_false(text_is_number("", 0, 9, &n));
	assert_false(text_is_number("3x", 0, 9, &n));
	assert_false(text_is_number("0", 1, 9, &n));
	assert_false(text_is_number("10", 1, 9, &n));
	assert_false(text_is_number("99999999999999999999", 0, LONG_MAX, &n));
	assert_int_equal(n, -3);
}

static void text_width_of_plain_and_wide_text(void **state)
{
	(void)state;
	assert_int_equal(text_width(""), 0);
	assert_int_equal(text_width("f32[10] cpu"), 11);
	assert_int_equal(text_width("\xc3\xa9"), 1);				 /* e acute */
	assert_int_equal(text_width("\xe6\x97\xa5\xe6\x9c\xac"), 4);		 /* two ideographs */
	assert_int_equal(text_width("\xf0\x9f\x94\xa5"), 2);			 /* an emoji */
	assert_int_equal(text_width("\xed\x95\x9c"), 2);			 /* a Hangul syllable */
	assert_int_equal(text_width("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab"), 2); /* the same in three pieces */
}

static void text_break_is_between_words(void **state)
{
	const char *s = "  set torch._dynamo.config.a = 1";

	(void)state;
	assert_int_equal(text_break(s, strlen(s), 40), strlen(s));
	assert_int_equal(text_break(s, strlen(s), 29), 28);
	assert_int_equal(text_break(s, strlen(s), 24), 5);  /* early, because the word has room in a row of its own */
	assert_int_equal(text_break(s, strlen(s), 20), 20); /* it has none */
	assert_int_equal(text_break("  abcdef", 8, 4), 4);
}

static void text_width_of_what_takes_no_column(void **state)
{
	(void)state;
	assert_int_equal(text_width("e\xcc\x81"), 1); /* combining acute */
	assert_int_equal(text_width("a\xe2\x80\x8b"
				    "b"),
			 2); /* zero width space */
	assert_int_equal(text_width("a\nb"), 2);
	assert_int_equal(text_width("\xc2\xad"), 1); /* soft hyphen */
}

static void text_width_of_bytes_that_are_no_text(void **state)
{
	(void)state;
	assert_int_equal(text_width("\xff\xfe"), 2);
	assert_int_equal(text_width("a\xe6\x97"), 3);	     /* cut */
	assert_int_equal(text_width("\xc0\x80"), 2);	     /* overlong */
	assert_int_equal(text_width("\xed\xa0\x80"), 3);     /* a surrogate, which UTF-8 excludes */
	assert_int_equal(text_width("\xf4\x90\x80\x80"), 4); /* past the last code point */
}

static void text_width_is_that_of_terminals(void **state)
{
	(void)state;
	assert_int_equal(text_char_width(0x903), 1);   /* a vowel sign that takes room */
	assert_int_equal(text_char_width(0x1160), 0);  /* a medial of Hangul */
	assert_int_equal(text_char_width(0x378), 1);   /* not assigned */
	assert_int_equal(text_char_width(0x3fffd), 2); /* ... and reserved for ideographs */
	assert_int_equal(text_char_width(0x1faf8), 2); /* an emoji of Unicode 15 */
	assert_int_equal(text_char_width(0xe000), 1);  /* for private use */
}

static void a_start_of_a_character_is_found(void **state)
{
	static const struct {
		const char *bytes;
		size_t start, unfinished;
		bool cut;
	} cases[] = {
		{ "a", 1, 0, false },	     { "\xc3\xa9", 2, 0, false },    { "\xc3", 1, 1, true },
		{ "\xe6\x97", 2, 2, true },  { "\xf0\x9f\x94", 3, 3, true }, { "\xf0\x9f\x94z", 3, 0, false },
		{ "\xe0\x80", 1, 0, false }, { "\xed\xa0", 1, 0, false },    { "\xed\x9f", 2, 2, true },
		{ "\xf4\x90", 1, 0, false }, { "\x80", 1, 0, false },	     { "\xff", 1, 0, false },
		{ "\xc1\x80", 1, 0, false },
	};
	size_t i;
	bool cut;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(text_start(cases[i].bytes, strlen(cases[i].bytes), &cut), cases[i].start);
		assert_int_equal(cut, cases[i].cut);
		assert_int_equal(text_unfinished(cases[i].bytes, strlen(cases[i].bytes)), cases[i].unfinished);
	}
	assert_int_equal(text_whole("a\xe6\x97\xa5z", 3), 1);
	assert_int_equal(text_whole("a\xe6\x97\xa5z", 4), 4);
}

static void characters_come_byte_by_byte(void **state)
{
	static const char bytes[] = "a\xe6\x97\xa5\xff\xe6\x97z\xed\xa0\x80";
	static const uint32_t want[] = { 'a', 0x65e5, 0xfffd, 'z', 0xfffd };
	struct text_part part = { .n = 0 };
	size_t i, got = 0;
	uint32_t c;
	int k;

	(void)state;
	for (i = 0; bytes[i]; i++) {
		k = text_byte(&part, (unsigned char)bytes[i], &c);
		if (k < 0)
			k = text_byte(&part, (unsigned char)bytes[i], &c);
		if (k > 0) {
			assert_true(got < sizeof(want) / sizeof(*want));
			assert_int_equal(c, want[got++]);
		}
	}
	assert_int_equal(got, sizeof(want) / sizeof(*want));
}

static void text_fit_never_cuts_a_character(void **state)
{
	(void)state;
	assert_int_equal(text_fit("abc", 2), 2);
	assert_int_equal(text_fit("abc", 9), 3);
	assert_int_equal(text_fit("\xe6\x97\xa5\xe6\x9c\xac", 3), 3);
	assert_int_equal(text_fit("\xe6\x97\xa5\xe6\x9c\xac", 4), 6);
	assert_int_equal(text_fit("\xe6\x97\xa5", 1), 0);
	assert_int_equal(text_fit("e\xcc\x81x", 1), 3); /* the mark stays with its letter */
	assert_int_equal(text_fit("", 0), 0);
}

static void a_path_is_plain_without_its_dots(void **state)
{
	static const char *const all[][2] = {
		{ "/a/b", "/a/b" },
		{ "a/b.py", "a/b.py" },
		{ "/a/./b//c", "/a/b/c" },
		{ "/a/../b", "/b" },
		{ "/a/b/../../c", "/c" },
		{ "/../a", "/a" },
		{ "a/../b", "b" },
		{ "../a/../b", "../b" },
		{ "../../a", "../../a" },
		{ "./a", "a" },
		{ "/a/..b", "/a/..b" },
		{ "/a/...", "/a/..." },
		{ "/a/.hidden/", "/a/.hidden" },
	};
	char out[PATH_MAX];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		assert_string_equal(text_path_plain(all[i][0], out), all[i][1]);
}

static void a_path_is_below_a_folder_by_whole_parts(void **state)
{
	(void)state;
	assert_true(text_path_below("/a/b/c.py", "/a/b"));
	assert_true(text_path_below("/a/b/c.py", "/a/b/"));
	assert_true(text_path_below("/a/x/../b/c.py", "/a/./b"));
	assert_true(text_path_below("/c.py", "/"));
	assert_false(text_path_below("/a/bc.py", "/a/b"));
	assert_false(text_path_below("/a/b/../c.py", "/a/b"));
	assert_false(text_path_below("/a/b", "/a/b"));
	assert_false(text_path_below("/a/b", ""));
}

static void mem_grow_keeps_and_clears(void **state)
{
	size_t cap = 0;
	int *p = mem_grow(NULL, &cap, 3, sizeof(*p));
	size_t i, old = cap;

	(void)state;
	assert_true(cap >= 3);
	for (i = 0; i < cap; i++)
		p[i] = (int)i + 1;
	p = mem_grow(p, &cap, 1000, sizeof(*p));
	assert_true(cap >= 1000);
	for (i = 0; i < old; i++)
		assert_int_equal(p[i], i + 1);
	for (; i < cap; i++)
		assert_int_equal(p[i], 0);
	assert_ptr_equal(mem_grow(p, &cap, 10, sizeof(*p)), p);
	free(p);
}

static void mem_copies(void **state)
{
	char *a = mem_str("abc"), *b = mem_strn("abc", 2), *c = mem_fmt("%s-%d", "x", 5);

	(void)state;
	assert_null(mem_str(NULL));
	assert_string_equal(a, "abc");
	assert_string_equal(b, "ab");
	assert_string_equal(c, "x-5");
	free(a);
	free(b);
	free(c);
}

static struct val *sample(void)
{
	struct val *map = val_map(), *list;

	val_put(map, "z", val_int(1));
	val_put(map, "a", val_str("text"));
	val_put(map, "nothing", val_str(NULL));
	list = val_put(map, "list", val_list());
	val_push(list, val_bool(true));
	val_push(list, val_real(0.5));
	val_put(val_push(list, val_map()), "deep", val_int(-(1ll << 60)));
	return map;
}

static void val_null_and_bool_are_shared_and_never_freed(void **state)
{
	struct val *map = sample(), *copy = val_copy(map);

	(void)state;
	val_put(map, "yes", val_bool(true));
	val_put(map, "no", val_bool(false));
	val_put(map, "yes", val_null());
	val_put(copy, "yes", val_bool(true));
	val_free(map);
	assert_true(val_get(copy, "yes")->u.b);
	assert_int_equal(val_get(copy, "nothing")->type, VAL_NULL);
	assert_false(val_bool(false)->u.b);
	assert_ptr_equal(val_get(copy, "yes"), val_bool(true));
	val_free(copy);
}

static void val_map_keeps_order_and_replaces(void **state)
{
	struct val *map = sample();

	(void)state;
	assert_int_equal(map->u.list.n, 4);
	val_put(map, "z", val_int(2));
	assert_int_equal(map->u.list.n, 4);
	assert_string_equal(map->u.list.key[0], "z");
	assert_int_equal(val_number(map, "z", 0), 2);
	assert_string_equal(map->u.list.key[3], "list");
	val_free(map);
}

static void val_reads_say_what_is_absent(void **state)
{
	struct val *map = sample();

	(void)state;
	assert_string_equal(val_text(map, "a"), "text");
	assert_string_equal(val_text(map, "z"), "");
	assert_string_equal(val_text(map, "none"), "");
	assert_null(val_get(map, "none"));
	assert_int_equal(val_get(map, "nothing")->type, VAL_NULL);
	assert_int_equal(val_number(map, "a", -5), -5);
	assert_null(val_get(NULL, "a"));
	assert_null(val_get(val_get(map, "list"), "a"));
	val_free(map);
}

static void val_copy_is_deep(void **state)
{
	struct val *map = sample(), *copy = val_copy(map);
	const struct val *list;

	(void)state;
	val_free(map);
	assert_string_equal(val_text(copy, "a"), "text");
	list = val_get(copy, "list");
	assert_int_equal(list->u.list.n, 3);
	assert_true(list->u.list.item[0]->u.b);
	assert_true(list->u.list.item[1]->u.r == 0.5);
	assert_true(val_number(list->u.list.item[2], "deep", 0) == -(1ll << 60));
	val_free(copy);
	val_free(NULL);
}

static void restore_says_so(void)
{
	if (write(STDERR_FILENO, "restored\n", 9) != 9)
		_exit(3);
}

static void bug_restores_names_the_place_and_aborts(void **state)
{
	char text[300] = "";
	ssize_t n;
	size_t len = 0;
	int fd[2], status;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		signal(SIGABRT, SIG_DFL);
		dup2(fd[1], STDERR_FILENO);
		bug_restore(restore_says_so);
		bug_at("x.c", 12, "depth %d", -1);
	}
	close(fd[1]);
	while (len < sizeof(text) - 1 && (n = read(fd[0], text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	close(fd[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_string_equal(text, "restored\ncdbg: bug at x.c:12: depth -1\n");
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(err_set_formats_and_returns_minus_one),
		cmocka_unit_test(err_set_takes_no_err),
		cmocka_unit_test(err_set_may_quote_its_own_text),
		cmocka_unit_test(err_set_cuts_between_characters),
		cmocka_unit_test(buf_grows_and_stays_terminated),
		cmocka_unit_test(buf_reset_keeps_the_memory),
		cmocka_unit_test(buf_repeats_its_own_text),
		cmocka_unit_test(buf_takes_bytes_with_nuls),
		cmocka_unit_test(buf_detach_never_gives_null),
		cmocka_unit_test(buf_number_writes_any_long),
		cmocka_unit_test(buf_pad_counts_columns),
		cmocka_unit_test(a_number_is_the_whole_text),
		cmocka_unit_test(text_width_of_plain_and_wide_text),
		cmocka_unit_test(text_break_is_between_words),
		cmocka_unit_test(text_width_of_what_takes_no_column),
		cmocka_unit_test(text_width_is_that_of_terminals),
		cmocka_unit_test(a_start_of_a_character_is_found),
		cmocka_unit_test(characters_come_byte_by_byte),
		cmocka_unit_test(text_width_of_bytes_that_are_no_text),
		cmocka_unit_test(text_fit_never_cuts_a_character),
		cmocka_unit_test(a_path_is_plain_without_its_dots),
		cmocka_unit_test(a_path_is_below_a_folder_by_whole_parts),
		cmocka_unit_test(mem_grow_keeps_and_clears),
		cmocka_unit_test(mem_copies),
		cmocka_unit_test(val_null_and_bool_are_shared_and_never_freed),
		cmocka_unit_test(val_map_keeps_order_and_replaces),
		cmocka_unit_test(val_reads_say_what_is_absent),
		cmocka_unit_test(val_copy_is_deep),
		cmocka_unit_test(bug_restores_names_the_place_and_aborts),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}

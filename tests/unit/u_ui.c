/* SPDX-License-Identifier: BSD-3-Clause */
/* Parsers of the full screen that need neither a terminal nor the interpreter: keys and layouts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/err.h"
#include "ui/line/input.h"
#include "ui/tui/layout.h"

static bool type_keys(struct input *in, const char *s, struct key *k)
{
	bool got = false;

	for (; *s; s++)
		got = input_byte(in, (unsigned char)*s, k);
	return got;
}

static void a_mouse_report_has_its_place(void **state)
{
	struct input in = { 0 };
	struct key k;

	(void)state;
	assert_true(type_keys(&in, "\033[<64;10;5M", &k));
	assert_int_equal(k.type, KEY_MOUSE);
	assert_int_equal(k.button, 64);
	assert_int_equal(k.row, 4);
	assert_int_equal(k.col, 9);
	input_release(&in);
}

static void a_mouse_report_with_impossible_numbers_is_no_key(void **state)
{
	static const char *const reports[] = {
		"\033[<0;-2147483648;5M",
		"\033[<0;1;-2147483648M",
		"\033[<-1;1;1M",
		"\033[<0;0;0M",
		"\033[<0;1M",
		"\033[<M",
	};
	struct input in = { 0 };
	struct key k;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
		assert_false(type_keys(&in, reports[i], &k));
		assert_false(input_pending(&in));
	}
	assert_true(type_keys(&in, "\033[<0;1;99999999999M", &k));
	assert_true(k.row > 0 && k.row < 1000000);
	assert_true(type_keys(&in, "j", &k));
	assert_string_equal(k.name, "j");
	input_release(&in);
}

static bool nothing_hidden(const char *name)
{
	(void)name;
	return false;
}

static const struct placing plain = { .hidden = nothing_hidden };

/* "c" needs more than its share; "a" fills what it has, "b" has room to spare. */
static int columns_of(const void *arg, const char *name)
{
	(void)arg;
	return *name == 'c' ? 60 : *name == 'b' ? 20 : 1000;
}

static void a_wide_pane_gets_the_room_of_others(void **state)
{
	struct layout *l = layout_parse("{-horizontal {a 1 b 1} 1 b 1 {c 1 b 1} 1} 1 a 1", NULL);
	struct placing p = { .hidden = nothing_hidden, .needs = columns_of, .wide = "c" };
	struct rect screen = { 0, 0, 40, 122 };

	(void)state;
	layout_place(l, screen, &plain);
	assert_int_equal(layout_find(l, "c")->rect.w, 40);
	layout_place(l, screen, &p);
	assert_int_equal(layout_find(l, "c")->rect.w, 60);
	assert_int_equal(layout_find(l, "a")->rect.w, 30); /* three quarters of its share */
	assert_int_equal(l->child[0]->child[1]->rect.w, 30);
	assert_int_equal(layout_resize(l, "a", true, 1), 0); /* by hand: that is kept */
	layout_place(l, screen, &p);
	assert_int_equal(layout_find(l, "a")->rect.w, 31);
	layout_free(l);
}

static void lies_inside(void *screen, struct layout *pane)
{
	const struct rect *s = screen, *r = &pane->rect;

	if (pane->shown)
		assert_true(r->y >= 0 && r->x >= 0 && r->h > 0 && r->w > 0 && r->y + r->h <= s->h &&
			    r->x + r->w <= s->w);
}

static void panes_lie_on_the_smallest_screen(void **state)
{
	struct layout *l = layout_parse("{-horizontal {a 1 b 1} 1 c 1} 1 d 1", NULL);
	struct rect screen = { 0 };

	(void)state;
	assert_non_null(l);
	for (screen.h = 1; screen.h < 12; screen.h++)
		for (screen.w = 1; screen.w < 40; screen.w++) {
			layout_place(l, screen, &plain);
			layout_each(l, lies_inside, &screen);
		}
	layout_free(l);
}

static void a_layout_resized_on_a_wide_screen_can_be_read_again(void **state)
{
	struct layout *l = layout_parse("{-horizontal a 1 b 1} 1", NULL), *again;
	struct buf text = { 0 };
	struct err err = { "" };

	(void)state;
	layout_place(l, (struct rect){ 0, 0, 50, 4000 }, &plain);
	assert_int_equal(layout_resize(l, "a", true, 100), 0);
	layout_print(l, &text);
	again = layout_parse(buf_str(&text), &err);
	assert_string_equal(err.text, "");
	assert_non_null(again);
	layout_free(again);
	layout_free(l);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mouse_report_has_its_place),
		cmocka_unit_test(a_mouse_report_with_impossible_numbers_is_no_key),
		cmocka_unit_test(a_wide_pane_gets_the_room_of_others),
		cmocka_unit_test(panes_lie_on_the_smallest_screen),
		cmocka_unit_test(a_layout_resized_on_a_wide_screen_can_be_read_again),
	};

	return cmocka_run_group_tests_name("ui", tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The marks at the edges of a pane: which linked rows are out of sight, loaded or not.  Rows and links are given here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/val.h"
#include "ui/tui/pane.h"

enum { MOST = 8 };

static const char *names[MOST]; /* of the loaded rows */
static bool linked[MOST];
static int height;

int pane_height(const struct pane *p)
{
	(void)p;
	return height;
}

const char *pane_name_of(const struct pane *p, size_t i)
{
	(void)p;
	return names[i];
}

bool pane_linked(const struct pane *p, size_t i, const struct pane_link *l)
{
	(void)p;
	(void)l;
	return linked[i];
}

static struct pane other; /* where the selected row is */

/* Rows `first` and on of `total` are loaded; those from `top` are seen. */
static struct pane_edges edges(size_t n, size_t first, size_t total, size_t top, const struct val *with)
{
	struct rows rows = { .n = n, .first = first, .total = total };
	struct pane p = { .rows = &rows, .top = top };
	struct pane_link l = { .from = &other, .with = with };
	struct pane_edges out;

	pane_edges(&p, &l, &out);
	return out;
}

static struct pane_edges named(const char *a, const char *b, const char *c, const char *with)
{
	struct val *list = val_list();
	struct pane_edges out;

	names[0] = a;
	names[1] = b;
	names[2] = c;
	val_push(list, val_str(with));
	out = edges(3, 10, 100, 10, list);
	val_free(list);
	return out;
}

static int reset(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < MOST; i++) {
		names[i] = "";
		linked[i] = false;
	}
	height = 3;
	return 0;
}

static void without_a_link_nothing_is_marked(void **state)
{
	struct rows rows = { .n = 3, .total = 3 };
	struct pane p = { .rows = &rows, .top = 1 }, empty = { 0 };
	struct pane_link none = { 0 }, own = { .from = &p }, from = { .from = &other };
	struct pane_edges out = { true, true };

	(void)state;
	linked[0] = true;
	pane_edges(&p, NULL, &out);
	assert_false(out.above || out.below);
	pane_edges(&p, &none, &out);
	assert_false(out.above || out.below);
	pane_edges(&p, &own, &out);
	assert_false(out.above || out.below);
	pane_edges(&empty, &from, &out);
	assert_false(out.above || out.below);
}

static void loaded_rows_above_and_below_are_marked(void **state)
{
	struct pane_edges out;

	(void)state;
	linked[3] = true; /* in sight */
	out = edges(8, 0, 8, 2, NULL);
	assert_false(out.above || out.below);
	linked[1] = true;
	out = edges(8, 0, 8, 2, NULL);
	assert_true(out.above && !out.below);
	linked[1] = false;
	linked[5] = true; /* the first below */
	out = edges(8, 0, 8, 2, NULL);
	assert_true(out.below && !out.above);
	linked[0] = true;
	out = edges(8, 0, 8, 2, NULL);
	assert_true(out.above && out.below);
}

static void a_pane_without_height_shows_no_row(void **state)
{
	struct pane_edges out;

	(void)state;
	height = -1;
	linked[2] = true;
	out = edges(8, 0, 8, 2, NULL);
	assert_true(out.below && !out.above);
}

static void rows_that_are_not_loaded_are_known_by_their_number(void **state)
{
	struct pane_edges out;

	(void)state;
	out = named("line /f.py:11", "line /f.py:12", "line /f.py:13", "line /f.py:3");
	assert_true(out.above && !out.below);
	out = named("line /f.py:11", "line /f.py:12", "line /f.py:13", "line /f.py:14");
	assert_true(out.below && !out.above);
	out = named("line /f.py:11", "line /f.py:12", "line /f.py:13", "line /f.py:12");
	assert_false(out.above || out.below);
	out = named("", "line /f.py:12", "", "line /f.py:13"); /* rows without a name are passed over */
	assert_true(out.below && !out.above);
}

static void other_names_mark_nothing(void **state)
{
	static const char *const with[] = { "line /g.py:3", "line /f.py:", "line /f.py:3x", "node G:add", "guard", "" };
	struct pane_edges out;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(with) / sizeof(*with); i++) {
		out = named("line /f.py:11", "line /f.py:12", "line /f.py:13", with[i]);
		assert_false(out.above || out.below);
	}
	out = named("node a", "node b", "node c", "line /f.py:3"); /* no row has a number */
	assert_false(out.above || out.below);
	out = named("line /f.py:11", "", "line /long.py:13", "line /f.py:3"); /* rows of two files */
	assert_false(out.above || out.below);
}

static void with_all_rows_loaded_numbers_are_not_asked(void **state)
{
	struct val *list = val_list();
	struct pane_edges out;

	(void)state;
	names[0] = names[1] = names[2] = "line /f.py:11";
	val_push(list, val_str("line /f.py:3"));
	out = edges(3, 0, 3, 0, list);
	assert_false(out.above || out.below);
	val_free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(without_a_link_nothing_is_marked, reset),
		cmocka_unit_test_setup(loaded_rows_above_and_below_are_marked, reset),
		cmocka_unit_test_setup(a_pane_without_height_shows_no_row, reset),
		cmocka_unit_test_setup(rows_that_are_not_loaded_are_known_by_their_number, reset),
		cmocka_unit_test_setup(other_names_mark_nothing, reset),
		cmocka_unit_test_setup(with_all_rows_loaded_numbers_are_not_asked, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the ranks of the job, as the controller tells them while it shows the screen of this one.  Knows no
   controller. */
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "view/view.h"
#include "view/view_table.h"

static char *told; /* "[0-2] running", "[3] stopped ...", with VIEW_RANKS_END behind each; owned, or NULL */

void view_ranks_told(const char *text)
{
	free(told);
	told = mem_str(text);
}

static const struct view_col cols[] = {
	{ .name = "ranks", .help = "those that do the same: 0-2,5" },
	{ .name = "state", .help = "what they do, and where", .wide = true },
	{ .name = NULL },
};

/* Is the number in "0-2,5"? */
static bool has(const char *set, long n)
{
	long from, to;
	char *end;

	for (;; set = end + 1) {
		from = to = strtol(set, &end, 10);
		if (end == set)
			return false;
		if (*end == '-')
			to = strtol(end + 1, &end, 10);
		if (n >= from && n <= to)
			return true;
		if (*end != ',')
			return false;
	}
}

static bool is_own(const char *set)
{
	const char *rank = getenv("RANK");
	long n;

	return rank && text_is_number(rank, 0, 1L << 30, &n) && has(set, n);
}

/* "[0-2] running", of n bytes. */
static void add_ranks(struct rows *out, const char *text, size_t n)
{
	const char *close = text[0] == '[' ? memchr(text, ']', n) : NULL;
	char *set = close ? mem_strn(text + 1, (size_t)(close - text) - 1) : mem_str("");
	const char *state = close ? close + 1 : text;
	char *shown;

	state += *state == ' ';
	shown = mem_strn(state, (size_t)(text + n - state));
	rows_add(out, is_own(set) ? MARK_CURRENT : 0);
	rows_str(out, "ranks", ROLE_NAME, set);
	rows_str(out, "state", ROLE_TEXT, shown);
	free(shown);
	free(set);
}

static int view_ranks_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	const char *p, *end;

	(void)s;
	(void)err;
	for (p = told; p && (end = strchr(p, VIEW_RANKS_END)); p = end + 1)
		if (rows_want(out, req))
			add_ranks(out, p, (size_t)(end - p));
	return 0;
}

static void view_ranks_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	const char *set = rows_text(r, row, "ranks");

	if (what == ACTION_ENTER && *set)
		buf_addf(line, "tui rank %ld", strtol(set, NULL, 10));
}

const struct view_ops view_ranks = {
	.name = "ranks",
	.help = "the ranks of the job, on the screen of one of them; Enter shows the screen of another",
	.cols = cols,
	.fill = view_ranks_fill,
	.action = view_ranks_action,
	.none = "nothing is known of other ranks: a controller tells them to the rank whose screen it shows",
};

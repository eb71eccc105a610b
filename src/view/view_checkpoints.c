/* SPDX-License-Identifier: BSD-3-Clause */
/* View: states of the program that wait in processes of their own. */
#include <time.h>
#include "base/buf.h"
#include "base/family.h"
#include "base/procmem.h"
#include "view/view_table.h"

static const struct view_col cols[] = {
	{ .name = "checkpoint", .help = "what `checkpoint go` and `delete checkpoint` take" },
	{ .name = "where", .help = "the stop that it waits at", .wide = true },
	{ .name = "age", .help = "seconds since it was taken" },
	{ .name = "memory", .help = "bytes that its process shares with no other" },
	{ .name = "kind", .help = "taken: by a command; auto: at a stop; left: the process that was started" },
	{ .name = "process", .help = "its number", .drop = DROP_EARLY },
	{ .name = NULL },
};

static void age_text(long seconds, struct buf *out)
{
	if (seconds < 60)
		buf_addf(out, "%ld s", seconds);
	else if (seconds < 3600)
		buf_addf(out, "%ld min %ld s", seconds / 60, seconds % 60);
	else
		buf_addf(out, "%ld h %ld min", seconds / 3600, seconds % 3600 / 60);
}

static void checkpoints_add_row(const struct family_member *m, struct rows *out)
{
	static const char *const kinds[] = { [FAMILY_TAKEN] = "taken", [FAMILY_AUTO] = "auto", [FAMILY_LEFT] = "left" };
	long long memory = procmem_own(m->pid);
	struct buf text = { 0 };
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	rows_add(out, 0);
	rows_int(out, "checkpoint", m->number);
	rows_str(out, "where", ROLE_TEXT, m->where);
	rows_int(out, "age", now.tv_sec - m->made.tv_sec);
	age_text((long)(now.tv_sec - m->made.tv_sec), &text);
	rows_shown(out, "age", text.s);
	if (memory >= 0) {
		buf_reset(&text);
		procmem_text(memory, &text);
		rows_int(out, "memory", memory);
		rows_shown(out, "memory", text.s);
	}
	rows_str(out, "kind", ROLE_TEXT, kinds[m->kind]);
	rows_int(out, "process", m->pid);
	buf_release(&text);
}

static int view_checkpoints_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	const struct family_member *m;
	int i;

	(void)s;
	(void)err;
	for (i = 0; (m = family_at(i)); i++)
		if (rows_want(out, req))
			checkpoints_add_row(m, out);
	return 0;
}

static void view_checkpoints_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	if (what == ACTION_ENTER)
		buf_addf(line, "checkpoint go %lld", rows_number(r, row, "checkpoint", 0));
}

static const char *const more[] = { "delete checkpoint {checkpoint}", NULL };

const struct view_ops view_checkpoints = {
	.name = "checkpoints",
	.help = "states of the program that `checkpoint go`, and `rstepi` beyond the record, go back to",
	.cols = cols,
	.fill = view_checkpoints_fill,
	.none = "no checkpoints: 'checkpoint' takes one",
	.action = view_checkpoints_action,
	.more = more,
};

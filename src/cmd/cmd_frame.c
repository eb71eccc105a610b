/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that select a frame or list them: up, down, frame, backtrace. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cmd/cmd_table.h"
#include "engine/session.h"
#include "view/render.h"
#include "view/view.h"

/* ---- selecting ------------------------------------------------------------------------------------------ */

static void say_selected(struct session *s, struct reply *out)
{
	struct frame *f = stack_frame(&s->stack, s, s->selected);

	buf_addf(&out->text, "#%-2d ", f->level);
	render_frame(f, &out->text);
	buf_addc(&out->text, '\n');
	render_place(s, f, &out->text);
}

static int select_by(struct session *s, const char *args, int way, struct reply *out, struct err *err)
{
	int i = s->selected, to = -1;
	const struct frame *f;
	long count;

	if (!session_frame(s, err) || cmd_count(args, &count, err) < 0)
		return -1;
	/* frames that a plain backtrace leaves out are skipped */
	while (count && (f = stack_frame(&s->stack, s, i += way)))
		if (!f->hidden) {
			to = i;
			count--;
		}
	if (to < 0)
		return err_set(err, way > 0 ? "this is the outermost frame" : "this is the innermost frame");
	session_select(s, to);
	say_selected(s, out);
	return 0;
}

static int up_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	return select_by(s, args, 1, out, err);
}

static int down_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	return select_by(s, args, -1, out, err);
}

static int frame_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	long n;

	if (!session_frame(s, err))
		return -1;
	if (*args) {
		if (!text_is_number(args, 0, stack_depth(&s->stack, s) - 1, &n))
			return err_set(err, "no frame '%s': expected 0 to %d, 'backtrace -a' lists them", args,
				       stack_depth(&s->stack, s) - 1);
		session_select(s, (int)n);
	}
	say_selected(s, out);
	return 0;
}

/* ---- listing --------------------------------------------------------------------------------------------- */

/* Frames first..last (inner to outer) run one function of the user, compiled in pieces. */
static void say_logical(struct session *s, int first, int last, struct buf *out)
{
	const struct frame *in = s->stack.frame[first], *root = s->stack.frame[last], *f;
	int i;

	buf_addf(out, "%s at %s", root->qualname, render_file(in->file));
	if (in->line)
		buf_addf(out, ":%d", in->line);
	buf_addf(out, " [%s %s", kind_name(root->kind), root->entry ? root->entry : "?");
	for (i = last - 1; i >= first; i--) {
		f = s->stack.frame[i];
		if (f->hidden)
			continue;
		if (s->stack.frame[i + 1]->line)
			buf_addf(out, ", resumed at line %d", s->stack.frame[i + 1]->line);
		else
			buf_adds(out, ", resumed");
		buf_addf(out, " in %s", f->entry ? f->entry : "?");
	}
	if (in->region)
		buf_addf(out, ", %s", in->region);
	if (in->inner)
		buf_addf(out, " %s", in->inner);
	buf_addc(out, ']');
}

static int last_of(const struct session *s, int first)
{
	int i, last = first;

	for (i = first; i < s->stack.n && s->stack.frame[i]->logical == s->stack.frame[first]->logical; i++)
		if (!s->stack.frame[i]->hidden)
			last = i;
	return last;
}

static void say_row(struct session *s, int first, int last, struct buf *out)
{
	bool selected = s->selected >= first && s->selected <= last;

	buf_addf(out, "%s #%-3d ", selected ? "=>" : "  ", s->stack.frame[first]->level);
	if (last > first)
		say_logical(s, first, last, out);
	else
		render_frame(s->stack.frame[first], out);
	buf_addc(out, '\n');
}

/* count: at most that many rows, the outermost ones if negative; 0: all. */
static void backtrace(struct session *s, bool all, long count, struct buf *out)
{
	int *first = mem_alloc((stack_depth(&s->stack, s) + 1) * sizeof(*first)), n = 0, i, last, from = 0, to;

	for (i = 0; i < s->stack.n; i++) {
		if (!all && s->stack.frame[i]->hidden && i != s->selected)
			continue;
		first[n++] = i;
		if (!all && !s->stack.frame[i]->hidden)
			i = last_of(s, i);
	}
	to = n;
	if (count > 0 && count < n)
		to = (int)count;
	else if (count < 0 && -count < n)
		from = n + (int)count;
	for (i = from; i < to; i++) {
		last = all || s->stack.frame[first[i]]->hidden ? first[i] : last_of(s, first[i]);
		say_row(s, first[i], last, out);
	}
	if (to < n)
		buf_addf(out, "(%d more)\n", n - to);
	if (s->stack.omitted)
		buf_addf(out, "(%d outer frame%s omitted)\n", s->stack.omitted, s->stack.omitted == 1 ? "" : "s");
	free(first);
}

static int backtrace_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct buf word = { 0 };
	bool all = false;
	long count = 0;
	int ret = 0;

	while (ret == 0 && cmd_word(&args, &word)) {
		if (!strcmp(word.s, "-a")) {
			all = true;
			continue;
		}
		if (!text_is_number(word.s, -INT_MAX, LONG_MAX, &count) || !count)
			ret = err_set(err, "invalid count '%s'; usage: backtrace [-a] [N]", word.s);
	}
	buf_release(&word);
	if (ret < 0 || !session_frame(s, err))
		return -1;
	backtrace(s, all, count, &out->text);
	out->rows = view_rows(s, view_find("frames", err), "", err);
	return out->rows ? 0 : -1;
}

static void complete_frame(struct session *s, const char *args, const char *word, struct val *list)
{
	if (word == args)
		cmd_complete_rows(s, "frames", "level", "function file line", list);
}

const struct cmd_def cmd_frame[] = {
	{ .name = "backtrace",
	  .alias = "bt where w",
	  .args = "[-a] [N]",
	  .group = GROUP_LOOK,
	  .flags = CMD_NEEDS_STOP | CMD_GONE,
	  .help = "print the frames of the selected thread, innermost first",
	  .more = "One row for each function as it is in the source: if it was compiled in pieces, the\n"
		  "row names the entry that runs and the line at which it was resumed.  -a: show every\n"
		  "frame, library code too.  N: the innermost N rows; -N: the outermost N.",
	  .run = backtrace_run },
	{ .name = "up",
	  .alias = "u",
	  .args = "[N]",
	  .group = GROUP_LOOK,
	  .flags = CMD_NEEDS_STOP | CMD_REPEATS | CMD_GONE,
	  .help = "select the caller of the selected frame",
	  .more = "N: go N frames out.  Frames that a plain backtrace leaves out are skipped.",
	  .run = up_run },
	{ .name = "down",
	  .alias = "d",
	  .args = "[N]",
	  .group = GROUP_LOOK,
	  .flags = CMD_NEEDS_STOP | CMD_REPEATS | CMD_GONE,
	  .help = "select the frame called by the selected one",
	  .more = "N: go N frames in.",
	  .run = down_run },
	{ .name = "frame",
	  .alias = "f",
	  .args = "[N]",
	  .group = GROUP_LOOK,
	  .flags = CMD_NEEDS_STOP | CMD_GONE,
	  .help = "select a frame by its number, or show the selected one",
	  .more = "'info frame' shows more about it.",
	  .complete = complete_frame,
	  .run = frame_run },
	{ .name = NULL },
};

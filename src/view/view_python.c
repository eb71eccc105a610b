/* SPDX-License-Identifier: BSD-3-Clause */
/* View: a code object decompiled to Python, one line in each row.  Knows no Dynamo: plugins report what can be
   folded. */
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "engine/plug.h"
#include "engine/region_name.h"
#include "engine/source.h"
#include "py/decompile/decompile.h"
#include "view/view_table.h"
#include "view/target.h"

static const struct view_col cols[] = {
	{ .name = "line", .help = "number of the line of this text" },
	{ .name = "text", .help = "the line, as Python" },
	{ .name = "user_line", .help = "the user's line of the statement" },
	{ .name = "region", .help = "kind of the region of generated code", .drop = 1 },
	{ .name = "offset", .help = "offset of its first instruction", .machine_only = true },
	{ .name = "syntax", .screen = true },
	{ .name = NULL }
};

/* ---- what plugins report about the code ---------------------------------------------------------- */

static bool steady(void *arg, struct code *c, const char *name)
{
	return plug_steady(arg, c, name) > 0;
}

static const char *folded(void *arg, struct code *c, int index)
{
	return plug_boilerplate(arg, c, index);
}

static void first(void *arg, struct py_code *co)
{
	struct py_code **found = arg;

	if (!*found)
		*found = co;
}

static const char *argument(void *arg, struct code *c, const char *function, int k)
{
	struct py_code *co = NULL;

	(void)c;
	plug_by_name(arg, function, first, &co);
	return co && k < code_nlocals(code_get(co)) ? code_local_name(code_get(co), k) : NULL;
}

static int source_is_shown(void *arg, const char *name)
{
	return plug_name_length(arg, name);
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static void python_add_row(struct session *s, struct target *t, const struct dec_line *l, int number, const char *text,
			   bool current, struct rows *out)
{
	const struct region *r = l->from >= 0 ? plug_region(s, t->code, l->from) : NULL;
	int line = l->from >= 0 ? stack_line(s, t->code, l->from) : 0;

	rows_add(out, current ? MARK_CURRENT : 0);
	rows_int(out, "line", number);
	rows_str(out, "text", ROLE_TEXT, text);
	if (line)
		rows_int(out, "user_line", line);
	if (r)
		rows_str(out, "region", ROLE_DIM, region_name(r->kind));
	if (l->from >= 0)
		rows_int(out, "offset", t->code->instr[l->from].offset);
}

/* The line whose statement ends first of those that the next instruction can belong to; -1: none. */
static int current_line(const struct dec_source *d, int index)
{
	int i, best = -1;

	for (i = 0; index >= 0 && i < d->n; i++)
		if (d->line[i].from >= 0 && d->line[i].to >= index && (best < 0 || d->line[i].to < d->line[best].to))
			best = i;
	return best;
}

static int view_python_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	char *whole = NULL; /* for the colours of a pane */
	struct dec_style style = {
		.arg = s, .steady = steady, .folded = folded, .argument = argument, .shown = source_is_shown
	};
	const char *words = req->words;
	struct dec_source *d;
	struct target t;
	char *line, *next;
	int i, current;

	if (!strncmp(words, "-a", 2) && (!words[2] || words[2] == ' ')) {
		style.whole = true;
		words += 2 + strspn(words + 2, " ");
	}
	if (target_find(s, words, &t, err) < 0)
		return -1;
	d = decompile(t.code, &style);
	if (!d) {
		err_set(err, "interrupted: '%s' is not decompiled", code_name(t.code));
		target_release(&t);
		return -1;
	}
	current = current_line(d, t.index);
	whole = req->pane ? mem_str(d->text) : NULL;
	for (i = 0, line = d->text; i < d->n; i++, line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (!rows_want(out, req))
			continue;
		python_add_row(s, &t, &d->line[i], i + 1, line, i == current, out);
		if (whole)
			rows_str(out, "syntax", ROLE_DIM, source_text_syntax(s, whole, i + 1));
	}
	rows_title(out, "%s, as Python", t.title);
	free(whole);
	dec_source_free(d);
	target_release(&t);
	return 0;
}

/* The source alone, so that it can be copied; the next instruction's line is marked. */
static void view_python_text(struct session *s, const struct rows *rows, struct buf *out)
{
	size_t i;

	(void)s;
	for (i = 0; i < rows->n; i++)
		buf_addf(out, "%s %s\n", rows->mark[i] & MARK_CURRENT ? "=>" : "  ", rows_text(rows, i, "text"));
}

const struct view_ops view_python = {
	.name = "python",
	.args = "[-a] [FUNC|ENTRY]",
	.help = "the code of the selected frame, a function or an entry, as Python source",
	.cols = cols,
	.fill = view_python_fill,
	.text = view_python_text,
	.none = "no source",
};

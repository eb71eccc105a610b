/* SPDX-License-Identifier: BSD-3-Clause */
/* View: resume functions; for people with the source of the user's function that each continues. */
#include "code/dynamo_code.h"
#include "code/select.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/qualname.h"
#include "show/dynamo_show.h"
#include <stdlib.h>

int resume_last_line(const struct func *f)
{
	struct code *c = f->co ? host->code.get((struct py_code *)f->co) : NULL;
	int i, last = 0;

	if (!c)
		return 0;
	host->code.decode(c);
	for (i = 0; i < c->n; i++)
		if (c->instr[i].line > last)
			last = c->instr[i].line;
	return last;
}

static const char *newest_entry(const struct func *f)
{
	const char *id = NULL;
	struct entry *e;

	for (e = model_entries; e; e = e->next)
		if (e->func == f)
			id = e->id;
	return id;
}

static int fill_resume(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct entry *e;
	struct func *f;
	struct selection meant;
	char *live;
	int i;

	(void)s;
	if (select_find(req->words, &meant, err) < 0)
		return -1;
	for (e = model_entries; e; e = e->next)
		for (i = 0; i < e->made.nresumes; i++) {
			f = e->made.resume[i].func;
			if (!select_has_entry(&meant, e) && (meant.id || !select_has_func(&meant, f)))
				continue;
			host->rows.add(out, 0);
			host->rows.str(out, "function", ROLE_NAME, f->name);
			host->rows.str(out, "root", ROLE_NAME, model_root(f)->name);
			host->rows.str(out, "file", ROLE_TEXT, f->file);
			if (f->resume_line)
				host->rows.num(out, "line", f->resume_line);
			if (e->made.resume[i].offset >= 0)
				host->rows.num(out, "offset", e->made.resume[i].offset);
			host->rows.str(out, "entry", ROLE_NAME, newest_entry(f));
			host->rows.str(out, "global", ROLE_NAME, e->made.resume[i].global);
			host->rows.str(out, "from", ROLE_NAME, e->id);
			live = call_text_live(f);
			host->rows.str(out, "live", ROLE_NAME, live ? live : "");
			free(live);
			host->rows.num(out, "root_line", model_root(f)->line);
			host->rows.num(out, "last_line", resume_last_line(model_root(f)));
			host->rows.str(out, "qualname", ROLE_NAME, qualname_func(model_root(f)));
		}
	select_release(&meant);
	return 0;
}

static const struct view_col resume_cols[] = {
	{ .name = "function", .help = "its code's name" },
	{ .name = "root", .help = "the user's function that it continues" },
	{ .name = "file", .help = "file of that function" },
	{ .name = "line", .help = "the line at which it resumes" },
	{ .name = "offset", .help = "the offset at which it resumes, in the code that was traced" },
	{ .name = "entry", .help = "its newest entry, if it is compiled" },
	{ .name = "global", .help = "the global by which generated code calls it" },
	{ .name = "from", .help = "the entry that calls it" },
	{ .name = "live", .help = "the stack values and locals that it receives", .machine_only = true },
	{ .name = "root_line", .help = "the first line of the user's function", .machine_only = true },
	{ .name = "last_line", .help = "... and its last; 0: unknown", .machine_only = true },
	{ .name = "qualname",
	  .help = "the root with its class; of a decorator's wrapper: the wrapped function",
	  .machine_only = true },
	{ .name = NULL },
};

/* The number in a row's column, 0 when it is absent. */
static int resume_number(const struct rows *r, size_t row, int col)
{
	const struct val *v = r->cell[row * (size_t)r->ncols + (size_t)col].v;

	return v && v->type == VAL_INT ? (int)v->u.i : 0;
}

static const char *resume_cell(const struct rows *r, size_t row, int col)
{
	const struct val *v = r->cell[row * (size_t)r->ncols + (size_t)col].v;

	return v && v->type == VAL_STR ? v->u.s : "";
}

enum { FUNCTION, ROOT, FILE_, LINE, OFFSET, ENTRY, GLOBAL, FROM, LIVE, ROOT_LINE, LAST_LINE, QUALNAME };

/* The user's function, with the line marked at which it is resumed. */
static void resume_text(struct session *s, const struct rows *r, struct buf *out)
{
	const char *text;
	size_t i;
	int line, at;

	(void)s;
	for (i = 0; i < r->n; i++) {
		at = resume_number(r, i, LINE);
		buf_addf(out, "%s%s: called from %s, ", i ? "\n" : "", resume_cell(r, i, GLOBAL),
			 resume_cell(r, i, FROM));
		if (*resume_cell(r, i, ENTRY))
			buf_addf(out, "compiled as %s\n", resume_cell(r, i, ENTRY));
		else
			buf_adds(out, "not compiled\n");
		buf_addf(out, "resumes %s (%s) with %s\n", resume_cell(r, i, QUALNAME), resume_cell(r, i, FILE_),
			 *resume_cell(r, i, LIVE) ? resume_cell(r, i, LIVE) : "nothing");
		for (line = resume_number(r, i, ROOT_LINE); at && line && line <= resume_number(r, i, LAST_LINE);
		     line++) {
			text = host->files.line(resume_cell(r, i, FILE_), line);
			buf_addf(out, "%5d  %s%s\n", line, text ? text : "",
				 line == at ? "  <== resume in this line" : "");
		}
	}
}

static const char *const more[] = { "disassemble {function}", "explain {root}", NULL };

const struct view_ops view_resume = {
	.name = "resume",
	.args = "[FUNC|ENTRY]",
	.help = "resume functions, and where each continues",
	.cols = resume_cols,
	.fill = fill_resume,
	.text = resume_text,
	.none = "no graph break made a resume function",
	.action = row_action_line,
	.more = more,
	.complete = select_complete,
};

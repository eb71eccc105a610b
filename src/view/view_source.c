/* SPDX-License-Identifier: BSD-3-Clause */
/* View: the source of the selected frame, or of a file, line by line, with what regions of the frame's generated code
   do for each line.  Knows no terminal. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "base/visible.h"
#include "engine/past.h"
#include "engine/plug.h"
#include "engine/region_name.h"
#include "engine/session.h"
#include "engine/source.h"
#include "view/render.h"
#include "view/view_table.h"

static const struct view_col cols[] = {
	{ .name = "line", .help = "of the file" },
	{ .name = "text", .help = "as in the file", .wide = true },
	{ .name = "compiled", .help = "in the graph, evaluated while compiling, or not reached", .drop = 1 },
	{ .name = "nodes", .help = "of graphs, that come from the line or what it calls", .drop = DROP_FOR_TEXT },
	{ .name = "seconds",
	  .help = "that compiling the line took, with 'set compile-seconds on'",
	  .drop = DROP_FOR_TEXT },
	{ .name = "signs",
	  .screen = true,
	  .signs = true,
	  .help = "block in the graph; dot evaluated while compiling; void not reached; fork the graph breaks there; "
		  "return a resume function resumes there" },
	{ .name = "region", .help = "its region of the selected frame's generated code", .machine_only = true },
	{ .name = "broke", .help = "the graph breaks there", .machine_only = true },
	{ .name = "breakpoint", .help = "number of the breakpoint set here", .machine_only = true },
	{ .name = "current", .help = "the selected frame's line", .machine_only = true },
	{ .name = "file", .help = "file of the line", .machine_only = true },
	{ .name = "link", .screen = true },
	{ .name = "syntax", .screen = true },
	{ .name = NULL },
};

struct lines {
	const char *file;	      /* borrowed */
	int current;		      /* 0: none */
	int shown;		      /* the line that the request names, 0: none */
	int inner;		      /* where the event happened in a function that was inlined, 0: none */
	const struct region **region; /* of each line, borrowed; owned array, NULL: no generated code */
	struct line_mark *mark;	      /* of each line from `first` on; owned array, NULL: nothing is compiled */
	int first;
	bool pane;
	int n;
};

/* The kind to show for a line that has several; 0: it has no kind. */
static int weight(const struct region *r)
{
	static const unsigned char weights[REGION_KINDS] = { [REGION_ORIGINAL] = 1,
							     [REGION_SIDE_EFFECTS] = 2,
							     [REGION_GRAPH_CALL] = 3,
							     [REGION_RESUME_CALL] = 4,
							     [REGION_BREAK] = 5 };

	return r ? weights[r->kind] : 0;
}

static void mark_regions(struct session *s, const struct frame *f, struct lines *l)
{
	const struct region *g;
	int i, k, n;

	if (!f->code || plug_regions(s, f->code, &g, &n) <= 0)
		return;
	l->region = mem_alloc((size_t)(l->n + 2) * sizeof(*l->region));
	for (i = 0; i < n; i++)
		for (k = g[i].line; k > 0 && k <= (g[i].last_line ? g[i].last_line : g[i].line) && k <= l->n; k++)
			if (weight(&g[i]) > weight(l->region[k]))
				l->region[k] = &g[i];
}

/* Of the selected frame's code; of a graph's code, of what called it. */
static void mark_compiled(struct session *s, struct lines *l, int first, int n)
{
	struct frame *f = session_frame(s, NULL);
	int known = 0;

	if (f && f->kind == KIND_GRAPH)
		while (f && f->kind != KIND_GENERATED)
			f = stack_frame(&s->stack, s, f->level + 1);
	l->first = first;
	l->mark = n > 0 ? mem_alloc((size_t)n * sizeof(*l->mark)) : NULL;
	if (f && (f->code || !f->past) && n > 0)
		known = plug_lines(s, f->code, l->file, first, n, l->mark);
	if (!known) {
		free(l->mark);
		l->mark = NULL;
	}
}

static const struct line_mark *mark_of(const struct lines *l, int line)
{
	return l->mark ? &l->mark[line - l->first] : NULL;
}

static bool is_marked(const struct line_mark *m)
{
	return m && (m->nodes || m->evaluated || m->broke || m->resumes);
}

static void put_signs(const struct line_mark *m, struct rows *out)
{
	char *signs = mem_fmt("%s%s%s",
			      m->nodes		       ? "block" :
			      m->evaluated	       ? "dot" :
			      m->missed && !m->resumes ? "void" :
							 "",
			      m->broke ? " fork" : "", m->resumes ? " return" : "");

	rows_str(out, "signs", m->nodes || m->broke || m->resumes ? ROLE_BREAK : ROLE_DIM, signs);
	free(signs);
}

static void put_screen(struct session *s, const struct lines *l, int line, struct rows *out)
{
	char *link = mem_fmt("line %s:%d", l->file, line);

	if (mark_of(l, line))
		put_signs(mark_of(l, line), out);
	rows_str(out, "link", ROLE_DIM, link);
	rows_str(out, "syntax", ROLE_DIM, source_syntax(s, l->file, line));
	free(link);
}

/* To a tenth of a millisecond; less is nothing for people. */
static void put_seconds(double seconds, struct rows *out)
{
	char text[40];

	rows_val(out, "seconds", ROLE_NUMBER, val_real((double)(long long)(seconds * 1e6 + 0.5) / 1e6));
	snprintf(text, sizeof(text), "%.4f", seconds);
	rows_shown(out, "seconds", seconds >= 0.00005 ? text : "");
}

static const char *compiled_text(const struct line_mark *m)
{
	return !m || !(m->nodes || m->evaluated || m->missed || m->broke) ? NULL :
	       m->broke							  ? "graph break" :
	       m->nodes							  ? "in the graph" :
	       m->evaluated						  ? "evaluated" :
									    "not reached";
}

static void source_add_line(struct session *s, const struct lines *l, int line, struct rows *out)
{
	int number = render_break_line(s, l->file, line);
	const struct line_mark *m = mark_of(l, line);
	const struct region *region = l->region && is_marked(m) ? l->region[line] : NULL;

	rows_add(out, (line == (l->inner ? l->inner : l->current) ? MARK_CURRENT : 0) |
			      (line == l->shown || (l->inner && line == l->current) ? MARK_OPERAND : 0) |
			      (number				 ? MARK_BREAK :
			       render_off_line(s, l->file, line) ? MARK_OFF :
								   0));
	rows_int(out, "line", line);
	rows_str(out, "text", ROLE_TEXT, source_line(s, l->file, line));
	if (!l->pane) /* its signs are shorter */
		rows_str(out, "compiled", m && m->broke ? ROLE_NAME : ROLE_DIM, compiled_text(m));
	rows_str(out, "region", ROLE_DIM, region ? region_name(region->kind) : NULL);
	if (m)
		rows_bool(out, "broke", m->broke);
	if (m && m->nodes)
		rows_int(out, "nodes", m->nodes);
	if (m && m->seconds > 0)
		put_seconds(m->seconds, out);
	if (number)
		rows_int(out, "breakpoint", number);
	rows_bool(out, "current", line == l->current);
	rows_str(out, "file", ROLE_DIM, l->file);
	if (l->pane)
		put_screen(s, l, line, out);
}

/* A pane shows the line in the inlined function where the event happened, if the event names one, or where an exception
   was raised by what compiles the frame's call. */
static void find_inner(struct session *s, const struct frame *f, struct lines *l)
{
	const struct val *detail = s->event && f->fake && !s->selected ? s->event->detail : NULL;
	const struct val *line = detail ? val_get(detail, "line") : NULL;
	const char *file = detail ? source_find(s, val_text(detail, "file")) : NULL, *function;

	if (l->pane && s->event && s->event->exc && !s->selected &&
	    plug_raised_at(s, s->event->exc, &file, &function, &l->inner) > 0) {
		l->file = file;
		return;
	}
	if (!l->pane || !file || !line || line->type != VAL_INT || line->u.i < 1)
		return;
	if (strcmp(file, f->file ? f->file : "") || line->u.i != f->line) {
		l->file = file;
		l->inner = (int)line->u.i;
	}
}

static int find_lines(struct session *s, const char *words, struct lines *l, struct err *err)
{
	struct frame *f = session_frame(s, *words ? NULL : err);
	const char *colon, *digits, *file;
	char *name;
	int line;

	if (*words) {
		colon = strrchr(words, ':');
		digits = colon ? colon + 1 : "";
		l->shown = text_number(&digits, 10000000);
		name = mem_strn(words, l->shown > 0 ? (size_t)(colon - words) : strlen(words));
		l->file = source_find(s, name);
		free(name);
		if (!l->file) /* perhaps a name that only Python's linecache knows */
			l->file = words;
	}
	if (!*words && !f)
		return -1;
	if (!*words) {
		l->file = stack_source(f, &line);
		find_inner(s, f, l);
	}
	if (!l->file)
		return err_set(err, "the code of the selected frame comes from no file");
	l->n = source_lines(s, l->file, err);
	if (l->n < 0)
		return -1;
	file = f ? stack_source(f, &line) : NULL;
	if (file && !strcmp(file, l->file)) {
		l->current = line;
		mark_regions(s, f, l);
	} else if (f && f->file && !strcmp(f->file, l->file)) { /* the request names the file of the graph's own code */
		l->current = f->line;
	}
	return 0;
}

/* The lines of the function that the frame's own code, or the code it was compiled from, has. */
static void whole_function(struct session *s, const struct frame *f, struct lines *l, struct rows *out)
{
	/* cached for the last code: each step asks again, and a function may have many instructions */
	static const struct instr *known;
	static int known_n, first, last;
	struct code *c = f->code;
	struct code_info info;
	int i;

	if (c && plug_code(s, c->co, &info) > 0 && info.root)
		c = code_get(info.root);
	if (c)
		code_decode(c);
	if (!c || c->instr != known || c->n != known_n)
		first = last = 0;
	for (i = first ? INT_MAX : 0; c && i < c->n; i++) {
		int line = c->instr[i].line;

		if (line > 0 && (!first || line < first))
			first = line;
		last = line > last ? line : last;
	}
	known = c ? c->instr : NULL;
	known_n = c ? c->n : 0;
	if (first <= l->current && l->current <= last && last <= l->n) {
		out->block = (size_t)first - 1;
		out->block_end = (size_t)last;
	}
}

/* The lines that a pane shows together: the function, or the current line of a function inlined into it and the line
   that it was called from. */
static void find_block(struct session *s, const struct frame *f, struct lines *l, struct rows *out)
{
	int at = l->inner ? l->inner : l->current ? l->current : l->shown;
	int other = l->inner && l->current ? l->current : at;

	if (!at)
		return;
	out->block = (size_t)(at < other ? at : other) - 1;
	out->block_end = (size_t)(at < other ? other : at);
	if (!l->inner && l->current && f)
		whole_function(s, f, l, out);
}

/* The file; of a line in an inlined function, where that was called from, too. */
static void put_source_title(const struct session *s, const struct frame *f, const struct lines *l, struct rows *out)
{
	char *file = mem_str(render_file(l->file));
	const char *slash = f && l->inner && f->file ? strrchr(f->file, '/') : NULL;

	if (past_source_newer(s, l->file))
		rows_title(out, "%s\tnewer than the record", file);
	else if (l->inner && l->current)
		rows_title(out, "%s\tfrom line %d", file, l->current);
	else if (slash)
		rows_title(out, "%s\tfrom %s:%d", file, visible(slash + 1), f->line);
	else if (f && l->current && !f->user_file && l->current == f->function_line)
		rows_title(out, "%s\tno line of its own", strrchr(file, '/') ? strrchr(file, '/') + 1 : file);
	else
		rows_title(out, "%s", file);
	free(file);
}

static int view_source_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	struct view_req window = *req;
	struct lines l = { .pane = req->pane };
	size_t i;

	if (find_lines(s, req->words, &l, err) < 0)
		return -1;
	if (l.shown > 0 && l.shown <= l.n)
		l.current = 0;
	else
		l.shown = 0;
	if (l.inner > l.n)
		l.inner = 0;
	if (l.inner || l.current || l.shown)
		rows_follow(&window, (size_t)(l.inner ? l.inner : l.current ? l.current : l.shown) - 1, (size_t)l.n);
	find_block(s, session_frame(s, NULL), &l, out);
	put_source_title(s, session_frame(s, NULL), &l, out);
	out->first = window.first;
	out->total = (size_t)l.n;
	if (l.pane && window.count < (size_t)l.n) /* the tokens of the whole window at once */
		source_syntax(
			s, l.file,
			(int)(window.first + window.count < (size_t)l.n ? window.first + window.count : (size_t)l.n));
	mark_compiled(s, &l, (int)window.first + 1,
		      window.count < (size_t)l.n - window.first ? (int)window.count : l.n - (int)window.first);
	for (i = window.first; i < (size_t)l.n && i - window.first < window.count; i++)
		source_add_line(s, &l, (int)i + 1, out);
	free(l.region);
	free(l.mark);
	return 0;
}

static void view_source_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	long long number = rows_number(r, row, "breakpoint", 0), at = rows_number(r, row, "line", 0);
	const char *file = rows_text(r, row, "file");

	if (what == ACTION_TOGGLE || what == ACTION_BREAK) {
		if (number)
			buf_addf(line, "delete %lld", number);
		else
			buf_addf(line, "break %s:%lld", file, at);
	} else if (what == ACTION_RUN_TO) {
		buf_addf(line, "advance %s:%lld", file, at);
	}
}

static const char *const more[] = { "break {file}:{line} if ", "tbreak {file}:{line}", "jump {file}:{line}", NULL };

const struct view_ops view_source = {
	.name = "source",
	.alias = "src",
	.args = "[FILE[:LINE]]",
	.help = "the source of the selected frame, with breakpoints and the generated code of its lines",
	.cols = cols,
	.gone = true,
	.fill = view_source_fill,
	.none = "no source",
	.action = view_source_action,
	.more = more,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* View: code for a pane, generated code by region: each has a heading, and is open if it holds the current instruction
   or the user opened it.  The words of the request say what is open ("fold:12,40" toggles): the view keeps no state. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "base/visible.h"
#include "engine/plug.h"
#include "engine/region_name.h"
#include "engine/session.h"
#include "py/value/value.h"
#include "view/recorded_code.h"
#include "view/render.h"
#include "view/view_table.h"
#include "view/target.h"

/* What an instruction does to the value stack, as a sentence.  Runs none of the program's code. */

enum { VALUE_TEXT = 60, SHORT = 24 };

/* The variable whose value is this object; NULL: none. */
static const char *variable_of(const struct frame *f, struct py_obj *v)
{
	int i, n = code_nlocals(f->code);

	for (i = 0; i < n; i++)
		if (frame_local(f->fo, i) == v)
			return code_local_name(f->code, i);
	return NULL;
}

/* "0", "graph_out_0 (list)". */
static void effect_value(const struct frame *f, struct py_obj *v, struct buf *out)
{
	struct buf b = { 0 };
	const char *name, *type = value_type(v);

	value_show_data(v, &b, VALUE_TEXT);
	/* a value whose text is complete needs no name */
	name = !strcmp(type, "int") || !strcmp(type, "bool") || !strcmp(type, "NoneType") || !strcmp(type, "float") ||
			       !strcmp(type, "str") ?
		       NULL :
		       variable_of(f, v);
	if (name)
		buf_addf(out, "%s (%s)", visible(name), text_width(buf_str(&b)) <= SHORT ? buf_str(&b) : type);
	else
		buf_adds(out, buf_str(&b));
	buf_release(&b);
}

/* The slots from..to, lowest first. */
static void put_slots(const struct frame *f, int from, int to, struct buf *out)
{
	struct stack_slot v;
	int i;

	for (i = from; i < to; i++) {
		buf_adds(out, i > from ? ", " : "");
		frame_slot(f->fo, i, &v);
		if (v.kind == SLOT_OBJECT)
			effect_value(f, v.value, out);
		else if (v.kind == SLOT_INT)
			buf_addf(out, "%ld", v.number);
		else
			buf_adds(out, v.kind == SLOT_NULL ? "NULL" : "?");
	}
}

/* Only this instruction leads to the next one, so it pushed what is on the stack. */
static bool came_from(const struct code *c, int index, int at)
{
	return index >= 0 && at == index + 1 && !(c->instr[at].flags & (INSTR_TARGET | INSTR_HANDLER)) &&
	       !(c->instr[index].flags & INSTR_YIELD) && c->instr[index].depth >= 0;
}

static void put_count(int n, struct buf *out)
{
	if (n)
		buf_addf(out, "%d value%s", n, n == 1 ? "" : "s");
	else
		buf_adds(out, "nothing");
}

/*
 * "BINARY_SUBSCR: pops graph_out_0 (list), 0; pushes f32[10] cpu".  f: the selected frame, or NULL.  next: the frame is
 * stopped before this instruction.  Values are named where they are known: operands of the next instruction, what it
 * pushes, and what the one before it has left on the stack.  The number of values stands for the others.
 */
static void effect_text(const struct frame *f, struct code *c, int index, bool next, struct buf *out)
{
	const struct instr *i = &c->instr[index];
	int pops = py_op_pops(i->op, i->arg), effect = py_op_effect(i->op, i->arg, 0);
	int pushes = effect == INT32_MIN ? -1 : effect + pops, depth = -1;
	bool here = f && f->fo && !f->dead && f->code == c && f->at_event, done;

	buf_adds(out, py_op_name(i->op));
	if (i->has_arg) {
		buf_addc(out, ' ');
		code_arg_text(c, index, out);
	}
	buf_adds(out, ": ");
	done = here && !next && came_from(c, index, f->index);
	if (here && (next || done))
		depth = frame_depth(f->fo, f->at_event);
	buf_adds(out, done ? "popped " : "pops ");
	if (next && pops > 0 && depth >= pops)
		put_slots(f, depth - pops, depth, out);
	else
		put_count(pops, out);
	if (pushes >= 0) {
		buf_adds(out, done ? "; pushed " : "; pushes ");
		if (done && pushes > 0 && depth >= pushes && pushes < 8)
			put_slots(f, depth - pushes, depth, out);
		else if (!next || depth < 0 || !pushes || !frame_pushes(f->fo, c, index, f->at_event, out))
			put_count(pushes, out);
	}
	if (i->target >= 0)
		buf_addf(out, "; may jump to %d", c->instr[i->target].offset);
}

static const struct view_col cols[] = {
	{ .name = "jump",
	  .help = "ends of the arrow of the current instruction's jump: from, pass, to; with up or "
		  "down",
	  .signs = true },
	{ .name = "fold", .help = "of a region: open or shut", .signs = true },
	{ .name = "heading", .screen = true, .heading = true },
	{ .name = "offset", .help = "in bytes; of a region: its first" },
	{ .name = "what", .help = "the instruction, or the name of the region" },
	{ .name = "arg", .help = "argument as dis shows it; of a region: what it calls", .wide = true },
	{ .name = "line", .help = "the user's line of the instruction", .drop = 2 },
	{ .name = "last_line", .help = "of a region, its last line", .machine_only = true },
	{ .name = "user_line",
	  .help = "the program's line; in a compiled graph, where its node was written",
	  .machine_only = true },
	{ .name = "index", .help = "counts instructions as dis lists them", .machine_only = true },
	{ .name = "inner", .help = "of a break in an inlined call: the calls that lead to it", .machine_only = true },
	{ .name = "end", .help = "of a region: the index after its last instruction", .machine_only = true },
	{ .name = "region", .help = "kind of the region of generated code", .machine_only = true },
	{ .name = "breakpoint", .help = "number of the breakpoint set here", .machine_only = true },
	{ .name = "current", .help = "the selected frame's next instruction", .machine_only = true },
	{ .name = "place", .help = "as break accepts it", .machine_only = true },
	{ .name = "link", .screen = true },
	{ .name = "detail", .screen = true },
	{ .name = NULL },
};

/* A row is an instruction or the heading of a region. */
struct line {
	int index;
	const struct region *head; /* NULL: an instruction */
	bool open;
};

/* Adjacent rows: a region's heading and the instructions shown below it, or all of a code without regions. */
struct part {
	size_t row;		   /* the first one */
	const struct region *head; /* NULL: no heading */
	int start, end;		   /* instructions */
	bool open;
};

struct listing {
	struct session *s;
	struct target t;
	char *words;	   /* without the folds */
	const char *folds; /* "12,40" */
	char *entry;	   /* the entry that has this code, for links; NULL: not generated */
	bool pane;
	struct part *part;
	int nparts;
	size_t n, cap;	 /* rows */
	size_t current;	 /* row of the next instruction, (size_t)-1: none */
	size_t from, to; /* rows of its jump, equal: none */
};

static bool region_toggled(const char *folds, int key)
{
	char *end;

	while (*folds) {
		if (strtol(folds, &end, 10) == key && end != folds)
			return true;
		folds += strcspn(folds, ",");
		folds += *folds == ',';
	}
	return false;
}

static void add_region_rows(struct listing *l, const struct region *head, int start, int end)
{
	bool here = l->t.index >= start && l->t.index < end;
	bool open = !head || (here || !head->folded) != region_toggled(l->folds, start);

	l->part = mem_grow(l->part, &l->cap, (size_t)l->nparts + 1, sizeof(*l->part));
	l->part[l->nparts++] = (struct part){ l->n, head, start, end, open };
	if (here)
		l->current = l->n + (open ? (size_t)(l->t.index - start) + (head != NULL) : 0);
	l->n += (head != NULL) + (open ? (size_t)(end - start) : 0);
}

/* The row that holds an instruction: its own, or its region's heading. */
static size_t row_of_instr(const struct listing *l, int index)
{
	const struct part *p;

	for (p = l->part; p < l->part + l->nparts; p++)
		if (index >= p->start && index < p->end)
			return p->row + (p->open ? (size_t)(index - p->start) + (p->head != NULL) : 0);
	return 0;
}

static struct line line_at(const struct listing *l, size_t row)
{
	const struct part *p = l->part + l->nparts - 1;

	while (p > l->part && row < p->row)
		p--;
	if (p->head && row == p->row)
		return (struct line){ p->start, p->head, p->open };
	return (struct line){ p->start + (int)(row - p->row) - (p->head != NULL), NULL, false };
}

static void list_all(struct listing *l)
{
	const struct region *g;
	const struct instr *at;
	int i, n;

	l->current = (size_t)-1;
	if (plug_regions(l->s, l->t.code, &g, &n) > 0 && n) {
		for (i = 0; i < n; i++)
			add_region_rows(l, &g[i], g[i].start, g[i].end);
	} else {
		add_region_rows(l, NULL, 0, l->t.code->n);
	}
	at = l->t.index >= 0 ? &l->t.code->instr[l->t.index] : NULL;
	if (at && at->target >= 0 && l->current != (size_t)-1 && !line_at(l, l->current).head) {
		l->from = l->current;
		l->to = row_of_instr(l, at->target);
	}
}

static void put_jump(const struct listing *l, size_t row, struct rows *out)
{
	bool down = l->to > l->from;
	size_t low = down ? l->from : l->to, high = down ? l->to : l->from;
	const char *s = row == l->from ? (down ? "from down" : "from up") :
			row == l->to   ? (down ? "to down" : "to up") :
					 "pass";

	if (l->from != l->to && row >= low && row <= high)
		rows_str(out, "jump", ROLE_CURRENT, s);
}

static void put_place(const struct listing *l, int index, int number, struct rows *out)
{
	char *place = mem_fmt("%s*%d", l->words, l->t.code->instr[index].offset);

	rows_str(out, "place", ROLE_DIM, place);
	free(place);
	rows_bool(out, "current", index == l->t.index);
	if (number)
		rows_int(out, "breakpoint", number);
}

static void put_region_link(const struct listing *l, const struct region *g, struct rows *out)
{
	const struct region *all;
	char *link;
	int i, n;

	plug_regions(l->s, l->t.code, &all, &n);
	for (i = 0; i < n && all[i].kind != g->kind; i++)
		;
	if (i < n && all[i].start != g->start)
		link = mem_fmt("region %s:%s@%d", l->entry, region_name(g->kind), g->start);
	else
		link = mem_fmt("region %s:%s", l->entry, region_name(g->kind));
	rows_str(out, "link", ROLE_DIM, link);
	free(link);
}

/* A region in one line, for a pane: "graph call    __compiled_fn_1(a, b)", and on the right its lines. */
static void put_region(const struct listing *l, const struct region *g, const char *arg, struct rows *out)
{
	const struct instr *i = l->t.code->instr;
	struct buf b = { 0 };

	buf_addf(&b, "%-13s %s\t%d", region_name(g->kind), arg, i[g->start].offset);
	if (g->end - 1 > g->start)
		buf_addf(&b, "..%d", i[g->end - 1].offset);
	rows_str(out, "heading", ROLE_NAME, buf_str(&b));
	buf_release(&b);
}

static void put_head(const struct listing *l, const struct line *line, size_t row, struct rows *out)
{
	const struct region *g = line->head;
	struct buf b = { 0 };
	int i, number = 0;

	for (i = g->start; !line->open && i < g->end && !number; i++)
		number = render_break_instr(l->s, l->t.code, i);
	rows_add(out, MARK_HEAD | (row == l->current ? MARK_CURRENT : 0) | (number ? MARK_BREAK : 0));
	put_jump(l, row, out);
	rows_str(out, "fold", ROLE_DIM, line->open ? "open" : "shut");
	rows_int(out, "offset", l->t.code->instr[g->start].offset);
	rows_str(out, "what", ROLE_NAME, region_name(g->kind));
	if (g->text)
		buf_addf(&b, "%s", g->text);
	if (g->nodes >= 0)
		buf_addf(&b, "%s%d nodes", b.len ? "  " : "", g->nodes);
	if (g->inner)
		buf_addf(&b, "%sbreaks %s", b.len ? "  " : "", g->inner);
	rows_str(out, "arg", ROLE_TEXT, b.len ? b.s : NULL);
	if (g->line)
		rows_int(out, "line", g->line);
	rows_int(out, "user_line", g->line);
	if (g->line)
		rows_int(out, "last_line", g->last_line ? g->last_line : g->line);
	rows_int(out, "index", g->start);
	rows_int(out, "end", g->end);
	rows_str(out, "region", ROLE_DIM, region_name(g->kind));
	rows_str(out, "inner", ROLE_DIM, g->inner);
	put_place(l, g->start, number, out);
	if (l->pane)
		put_region(l, g, buf_str(&b), out);
	if (l->pane && l->entry)
		put_region_link(l, g, out);
	buf_release(&b);
}

static void put_detail(const struct listing *l, int index, struct rows *out)
{
	struct buf b = { 0 };

	effect_text(session_frame(l->s, NULL), l->t.code, index, index == l->t.index, &b);
	rows_str(out, "detail", ROLE_DIM, b.s);
	buf_release(&b);
}

/* The lines of a graph's code are those of a text that nobody wrote. */
static void put_line(const struct listing *l, int line, struct rows *out)
{
	struct graph_node node = { .line = line };

	if (!line)
		return;
	rows_int(out, "line", line);
	if (stack_kind(l->s, l->t.code) == KIND_GRAPH)
		plug_node(l->s, l->t.code, line, &node);
	if (node.line)
		rows_int(out, "user_line", node.line);
}

static void put_instr(const struct listing *l, int index, size_t row, struct rows *out)
{
	const struct instr *i = &l->t.code->instr[index];
	const struct region *g = plug_region(l->s, l->t.code, index);
	int number = render_break_instr(l->s, l->t.code, index), line = stack_line(l->s, l->t.code, index);
	struct buf arg = { 0 };
	char *link;

	rows_add(out, (row == l->current ? MARK_CURRENT : 0) |
			      (number					? MARK_BREAK :
			       render_off_instr(l->s, l->t.code, index) ? MARK_OFF :
									  0) |
			      (l->t.line && i->line == l->t.line ? MARK_OPERAND : 0));
	put_jump(l, row, out);
	rows_int(out, "offset", i->offset);
	rows_str(out, "what", ROLE_OPCODE, py_op_name(i->op));
	if (i->has_arg) {
		code_arg_text(l->t.code, index, &arg);
		rows_str(out, "arg", ROLE_VALUE, buf_str(&arg));
	}
	if (l->pane)
		put_detail(l, index, out);
	buf_release(&arg);
	put_line(l, line, out);
	rows_int(out, "index", index);
	if (g)
		rows_str(out, "region", ROLE_DIM, region_name(g->kind));
	put_place(l, index, number, out);
	if (l->pane && l->entry) {
		link = mem_fmt("instruction %s:%d", l->entry, index);
		rows_str(out, "link", ROLE_DIM, link);
		free(link);
	}
}

static const char *short_title(const char *title)
{
	static const char lead[] = "generated code of ", other[] = "code of ";

	return !strncmp(title, lead, sizeof(lead) - 1)	 ? title + sizeof(lead) - 1 :
	       !strncmp(title, other, sizeof(other) - 1) ? title + sizeof(other) - 1 :
							   title;
}

/* Writes "entry 1/0 toy_example resumes", and the frame's position in it. */
static void put_entry_title(const struct listing *l, struct rows *out)
{
	const char *title = short_title(l->t.title);
	struct buf name = { 0 };
	struct code_info info;
	int n = l->t.code->n;

	if (plug_code(l->s, l->t.co, &info) > 0 && info.entry && info.root)
		buf_addf(&name, "entry %s %s%s", info.entry, code_name(code_get(info.root)),
			 info.resume ? " resumes" : "");
	else
		buf_add(&name, title, strcspn(title, ","));
	if (l->t.index >= 0)
		rows_title(out, "%s\t%d of %d", buf_str(&name), l->t.index + 1, n);
	else
		rows_title(out, "%s\t%d instructions", buf_str(&name), n);
	buf_release(&name);
}

/* While a function is being compiled it has no next instruction, but a current line. */
static size_t first_of_line(const struct listing *l)
{
	int i;

	for (i = 0; l->t.line && i < l->t.code->n; i++)
		if (l->t.code->instr[i].line == l->t.line)
			return row_of_instr(l, i);
	return (size_t)-1;
}

static int view_asm_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	const char *folds = strstr(req->words, "fold:");
	struct listing l = { .s = s, .folds = folds ? folds + 5 : "", .pane = req->pane };
	struct view_req window = *req;
	struct recorded_code recorded;
	struct code_info info;
	struct line line;
	size_t i, n, at;
	bool found;
	int ret;

	n = folds ? (size_t)(folds - req->words) : strlen(req->words);
	while (n && req->words[n - 1] == ' ')
		n--;
	l.words = mem_strn(req->words, n);
	ret = recorded_code_find(s, l.words, &recorded, err);
	if (ret > 0)
		recorded_code_pane(s, &recorded, &window, out);
	found = ret == 0;
	ret = found ? target_find(s, l.words, &l.t, err) : ret < 0 ? -1 : 0;
	if (ret == 0 && found) {
		list_all(&l);
		at = l.current != (size_t)-1 ? l.current : first_of_line(&l);
		if (at != (size_t)-1)
			rows_follow(&window, at, l.n);
		put_entry_title(&l, out);
		if (req->pane && plug_code(s, l.t.co, &info) > 0 && info.entry)
			l.entry = mem_str(info.entry);
		out->first = window.first;
		out->total = l.n;
		for (i = window.first; i < l.n && i - window.first < window.count; i++) {
			line = line_at(&l, i);
			if (line.head)
				put_head(&l, &line, i, out);
			else
				put_instr(&l, line.index, i, out);
		}
		target_release(&l.t);
	}
	free(l.part);
	free(l.entry);
	free(l.words);
	return ret;
}

static void view_asm_action(const struct rows *r, size_t row, enum row_action what, struct buf *line)
{
	bool head = r->mark[row] & MARK_HEAD;

	if (head && (what == ACTION_TOGGLE || what == ACTION_ENTER))
		buf_addf(line, "tui fold %lld", rows_number(r, row, "index", 0));
	else
		view_place_action(r, row, what, line);
}

static const char *const more[] = { "break {place} if ", "tbreak {place}", "jump {place}", NULL };

const struct view_ops view_asm = {
	.name = "asm",
	.args = "[FUNC|ENTRY] [fold:INDEX,...]",
	.help = "the code of the selected frame, of a function or an entry, with generated code folded by region",
	.cols = cols,
	.gone = true,
	.fill = view_asm_fill,
	.none = "no instructions",
	.action = view_asm_action,
	.more = more,
};

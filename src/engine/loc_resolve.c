/* SPDX-License-Identifier: BSD-3-Clause */
/* Resolves locations to instructions, in the program's code and in code that plugins know.  Knows no breakpoint. */
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/visible.h"
#include "engine/loc.h"
#include "engine/plug.h"
#include "engine/python_lines.h"
#include "engine/session.h"
#include "engine/stack.h"

void place_text(struct session *s, const struct place *p, bool offset, struct buf *out)
{
	struct code *c = p->code;
	const char *file = text_path_file_name(visible(code_file(c)));
	struct code_info info = { 0 };
	bool known = plug_code(s, c->co, &info) > 0;

	code_decode(c);
	buf_adds(out, file);
	if (p->line > 0)
		buf_addf(out, ":%d", p->line);
	buf_addf(out, " (%s", known && info.resume && info.name ? visible(info.name) : code_name(c));
	if (known && info.entry)
		buf_addf(out, ", %s", info.entry);
	buf_addc(out, ')');
	if (offset && p->index >= 0 && p->index < c->n)
		buf_addf(out, " at %d", c->instr[p->index].offset);
}

/* ---- in one code object ------------------------------------------------------------------------------- */

/* Add a place for this instruction, with a note if it gives no event and the stop is at a later one. */
static void add_index(struct session *s, struct places *out, struct code *c, int index, const char *note)
{
	int event = code_event_index(c, index);
	char *said = NULL;

	if (event != index)
		said = mem_fmt("%s at %d gives no event: the breakpoint stops at %d", py_op_name(c->instr[index].op),
			       c->instr[index].offset, c->instr[event].offset);
	places_add(out, c, index, stack_line(s, c, index), said ? said : note);
	free(said);
}

/* Comprehensions and class bodies run as part of the line that holds them. */
static bool part_of_line(struct code *c, int line)
{
	const char *name = code_name(c);

	if (!strcmp(name, "<listcomp>") || !strcmp(name, "<setcomp>") || !strcmp(name, "<dictcomp>") ||
	    !strcmp(name, "<genexpr>"))
		return true;
	return code_first_line(c) == line && loc_class_body(c);
}

struct codes {
	struct py_code **item; /* borrowed */
	size_t n, cap;
};

static void codes_add(void *arg, struct py_code *co)
{
	struct codes *all = arg;

	all->item = mem_grow(all->item, &all->cap, all->n + 1, sizeof(*all->item));
	all->item[all->n++] = co;
}

/* ---- FILE:LINE ---------------------------------------------------------------------------------------- */

static bool held_by(struct py_code *outer, struct py_code *co)
{
	struct py_code *inner;
	int i;

	for (i = 0; (inner = code_nested(code_get(outer), i)); i++)
		if (inner == co)
			return true;
	return false;
}

/* Is this code nested in code that has a place already? */
static bool holder_stops(const struct places *out, int from, struct py_code *co)
{
	int i;

	for (i = from; i < out->n; i++)
		if (held_by(out->place[i].code->co, co))
			return true;
	return false;
}

static int line_in(const struct codes *all, int line, const char *note, struct places *out)
{
	struct code *c;
	int from = out->n, found = 0;
	size_t i;

	for (i = 0; i < all->n; i++) {
		c = code_get(all->item[i]);
		if (!holder_stops(out, from, all->item[i]) || !part_of_line(c, line))
			found += loc_line_in(c, line, note, out);
	}
	return found;
}

/* The first line with code after this one, and the last line with code; 0: none. */
static int next_code_line(const struct codes *all, int line, int *last)
{
	struct code *c;
	int next = 0, here, k;
	size_t i;

	*last = 0;
	for (i = 0; i < all->n; i++) {
		c = code_get(all->item[i]);
		for (k = loc_entry_index(c); k < c->n; k++) {
			here = c->instr[k].line;
			if (here > line && (!next || here < next))
				next = here;
			if (here > *last)
				*last = here;
		}
	}
	return next;
}

static int resolve_line(struct session *s, const struct loc *l, struct places *out, struct err *err)
{
	struct codes all = { 0 };
	char *note = NULL;
	int line = l->line, last, rc = 0, found;
	const char *file = l->file;

	if (loc_file_code(s, l->file, codes_add, &all) > 0)
		file = code_file(code_get(all.item[0]));
	found = line_in(&all, line, NULL, out);
	if (!found)
		plug_line_places(s, file, line, out);
	while (!out->n && all.n) {
		line = next_code_line(&all, line, &last);
		if (!line) {
			rc = err_set(err, "no code at or after line %d of '%s': the last line with code is %d", l->line,
				     l->file, last);
			break;
		}
		free(note);
		note = mem_fmt("line %d has no code: using line %d instead", l->line, line);
		found = line_in(&all, line, note, out);
	}
	if (found)
		plug_line_places(s, file, line, out);
	free(note);
	free(all.item);
	return rc;
}

/* ---- FILE:LINE in a frame of a graph ------------------------------------------------------------------- */

/* The program's line of what a line of a graph's code computes, if it is in this file; 0: none. */
static int node_line(struct session *s, struct code *c, int line, const char *file)
{
	struct graph_node node;

	plug_node(s, c, line, &node);
	return node.file && loc_file_fits(file, node.file) ? node.line : 0;
}

int loc_node_lines(struct session *s, const struct loc *l, struct code *c, struct places *out)
{
	int i, here, line = 0, last = 0, before = out->n;

	if (!c || l->type != LOC_LINE || stack_kind(s, c) != KIND_GRAPH)
		return 0;
	code_decode(c);
	for (i = 0; i < c->n; i++) {
		here = node_line(s, c, c->instr[i].line, l->file);
		if (here >= l->line && (!line || here < line))
			line = here;
	}
	for (i = 0; line && i < c->n; i++) {
		if (c->instr[i].line <= last) /* a call of several lines comes back to its first */
			continue;
		last = c->instr[i].line;
		if (node_line(s, c, last, l->file) == line)
			add_index(s, out, c, i, NULL);
	}
	return out->n - before;
}

/* ---- FUNC and what is counted from it ----------------------------------------------------------------- */

/* The original code objects of the location's FUNC. */
static void originals(struct session *s, const struct loc *l, struct codes *out)
{
	int i;

	if (!loc_named(s, l->func, codes_add, out))
		for (i = 0; i < l->ncodes; i++)
			codes_add(out, l->codes[i]);
	for (i = 0; i < l->ngiven; i++)
		codes_add(out, l->given[i]);
}

/* The generated code when FUNC is the id of an entry; NULL: it is not, or the entry no longer exists. */
static struct py_code *entry_code(struct session *s, const struct loc *l)
{
	struct py_code *co = NULL;
	struct err err;

	if (!l->func || *l->func < '0' || *l->func > '9' || plug_entry(s, l->func, &co, &err) <= 0)
		return NULL;
	return co;
}

static void resolve_func(struct session *s, const struct loc *l, struct places *out)
{
	struct py_code *entry = entry_code(s, l);
	struct codes all = { 0 };
	struct code *c;
	size_t i;

	if (entry) {
		c = code_get(entry);
		add_index(s, out, c, code_event_index(c, loc_entry_index(c)), NULL);
		return;
	}
	originals(s, l, &all);
	for (i = 0; i < all.n; i++) {
		c = code_get(all.item[i]);
		add_index(s, out, c, code_event_index(c, loc_entry_index(c)), NULL);
		plug_function_places(s, all.item[i], out);
		plug_inlined_places(s, all.item[i], out);
	}
	free(all.item);
}

/* The code that an offset, index or region refers to: that of the frame, of an entry, the code generated for a
   function (whole: and for its resume functions), else the function's own. */
static void counted_codes(struct session *s, const struct loc *l, bool whole, struct codes *out)
{
	struct py_code *entry = entry_code(s, l);
	struct codes all = { 0 };
	struct places starts = { 0 };
	size_t i, before;
	int k;

	if (!l->func || entry) {
		codes_add(out, entry ? entry : l->code);
		return;
	}
	originals(s, l, &all);
	for (i = 0; i < all.n; i++) {
		before = out->n;
		if (whole)
			plug_pieces(s, all.item[i], codes_add, out);
		if (out->n == before) {
			plug_function_places(s, all.item[i], &starts);
			for (k = 0; k < starts.n; k++)
				codes_add(out, starts.place[k].code->co);
			places_release(&starts);
		}
		if (out->n == before)
			codes_add(out, all.item[i]);
	}
	free(all.item);
}

static int resolve_counted(struct session *s, const struct loc *l, struct places *out, struct err *err)
{
	struct codes all = { 0 };
	struct code *c;
	int index, rc = 0;
	char *note;
	size_t i;

	counted_codes(s, l, false, &all);
	for (i = 0; i < all.n; i++) {
		c = code_get(all.item[i]);
		code_decode(c);
		index = l->type == LOC_INDEX ? l->number : code_index(c, l->number);
		if (index < 0 || index >= c->n)
			continue;
		note = NULL;
		if (l->type == LOC_OFFSET && c->instr[index].offset != l->number)
			note = mem_fmt("%d is inside the instruction at %d", l->number, c->instr[index].offset);
		add_index(s, out, c, index, note);
		free(note);
	}
	if (!out->n && all.n) {
		c = code_get(all.item[0]);
		rc = err_set(err,
			     l->type == LOC_INDEX ? "no instruction %d: the last one of '%s' is %d" :
						    "no offset %d: the last instruction of '%s' is at %d",
			     l->number, code_name(c), l->type == LOC_INDEX ? c->n - 1 : c->instr[c->n - 1].offset);
	}
	free(all.item);
	return rc;
}

static int resolve_region(struct session *s, const struct loc *l, struct places *out, struct err *err)
{
	const struct region *r;
	struct codes all = { 0 };
	int n, k, known = 0;
	size_t i;

	counted_codes(s, l, true, &all);
	for (i = 0; i < all.n; i++) {
		if (!plug_regions(s, code_get(all.item[i]), &r, &n))
			continue;
		known++;
		for (k = 0; k < n; k++)
			if (r[k].kind == l->region)
				add_index(s, out, code_get(all.item[i]), r[k].start, NULL);
	}
	free(all.item);
	if (!known && !l->func)
		return err_set(err, "the code of this frame has no regions: only generated code has them");
	return 0;
}

/* The first instruction of this line of the decompiled source, or of the next line that has one. */
static int add_python_line(struct session *s, struct code *c, int line, struct places *out, struct err *err)
{
	struct dec_source *d = python_lines_source(s, c, NULL, false);
	char *note = NULL;
	int at = line, index = -1, rc = 0;

	if (!d)
		return err_set(err, "interrupted: '%s' is not decompiled", code_name(c));
	code_decode(c);
	for (; at <= d->n && index < 0; at++)
		index = python_line_begin(d, c, at);
	if (index < 0)
		rc = err_set(err, "no code at or after line %d of the decompiled source of '%s': it has %d lines", line,
			     code_name(c), d->n);
	else if (at - 1 != line)
		note = mem_fmt("line %d has no code: using line %d instead", line, at - 1);
	if (index >= 0)
		add_index(s, out, c, index, note);
	while (index >= 0 && (index = python_line_copy(d, c, index)) >= 0)
		add_index(s, out, c, index, NULL);
	free(note);
	dec_source_free(d);
	return rc;
}

static int resolve_python(struct session *s, const struct loc *l, struct places *out, struct err *err)
{
	struct codes all = { 0 };
	int rc = 0;
	size_t i;

	counted_codes(s, l, false, &all);
	for (i = 0; i < all.n; i++)
		rc = add_python_line(s, code_get(all.item[i]), l->number, out, err);
	free(all.item);
	return out->n ? 0 : rc;
}

static void resolve_opcode(struct session *s, const struct loc *l, struct places *out)
{
	struct codes all = { 0 };
	struct code *c;
	size_t i, own;
	int k;

	loc_program_code(codes_add, &all);
	own = all.n;
	for (i = 0; i < own; i++)
		plug_pieces(s, all.item[i], codes_add, &all);
	for (i = 0; i < all.n; i++) {
		c = code_get(all.item[i]);
		code_decode(c);
		for (k = 0; k < c->n; k++)
			if (!strcmp(py_op_name(c->instr[k].op), l->word))
				add_index(s, out, c, k, NULL);
	}
	free(all.item);
}

/* ---- lines that have code ------------------------------------------------------------------------------- */

struct code_lines {
	struct code **by_line; /* of line from + i; NULL: none */
	int from, n;
	size_t cap;
	struct code *now;
	int to;
};

static void keep_line(void *arg, int line)
{
	struct code_lines *all = arg;
	size_t i = (size_t)(line - all->from);

	if (line < all->from || line > all->to)
		return;
	all->by_line = mem_grow(all->by_line, &all->cap, i + 1, sizeof(struct code *));
	for (; (size_t)all->n <= i; all->n++)
		all->by_line[all->n] = NULL;
	if (!all->by_line[i]) /* outer code comes before inner: a def belongs to what holds it */
		all->by_line[i] = all->now;
}

static int file_lines(struct session *s, const struct loc *l, struct code_lines *all, struct err *err)
{
	struct codes codes = { 0 };
	size_t i;

	if (!loc_file_code(s, l->file, codes_add, &codes))
		return err_set(err, "no file '%s' is loaded yet: its lines are known when it is", l->file);
	for (i = 0; i < codes.n; i++) {
		all->now = code_get(codes.item[i]);
		loc_code_lines(all->now, keep_line, all);
	}
	free(codes.item);
	return 0;
}

static int python_lines(struct session *s, const struct loc *l, struct code_lines *all, struct err *err)
{
	struct codes codes = { 0 };
	struct dec_source *d;
	int line;

	counted_codes(s, l, false, &codes);
	if (!codes.n)
		return err_set(err, "no code of '%s' yet", l->func);
	all->now = code_get(codes.item[0]);
	free(codes.item);
	d = python_lines_source(s, all->now, NULL, false);
	if (!d)
		return err_set(err, "interrupted: '%s' is not decompiled", code_name(all->now));
	code_decode(all->now);
	for (line = 1; line <= d->n; line++)
		if (python_line_begin(d, all->now, line) >= 0)
			keep_line(all, line);
	dec_source_free(d);
	return 0;
}

int loc_lines(struct session *s, const struct loc *l, int to, void (*add)(void *arg, int line, struct code *c),
	      void *arg, struct err *err)
{
	bool python = l->type == LOC_PYTHON;
	struct code_lines all = { .from = python ? l->number : l->line, .to = to };
	int i, rc;

	if (l->type != LOC_LINE && !python)
		return err_set(err, "'%s' has no lines: FILE:LINE and FUNC@python:LINE have", l->text);
	rc = python ? python_lines(s, l, &all, err) : file_lines(s, l, &all, err);
	for (i = 0; i < all.n && rc == 0; i++)
		if (all.by_line[i])
			add(arg, all.from + i, all.by_line[i]);
	free(all.by_line);
	return rc;
}

/* ---- all locations -------------------------------------------------------------------------------------- */

int loc_resolve(struct session *s, const struct loc *l, struct places *out, struct err *err)
{
	int rc = 0;

	switch (l->type) {
	case LOC_LINE:
		rc = resolve_line(s, l, out, err);
		break;
	case LOC_FUNC:
		resolve_func(s, l, out);
		break;
	case LOC_OFFSET:
	case LOC_INDEX:
		rc = resolve_counted(s, l, out, err);
		break;
	case LOC_REGION:
		rc = resolve_region(s, l, out, err);
		break;
	case LOC_PYTHON:
		rc = resolve_python(s, l, out, err);
		break;
	case LOC_OPCODE:
		resolve_opcode(s, l, out);
		break;
	case LOC_NODE:
		plug_node_places(s, l->word, out);
		break;
	}
	return rc < 0 ? rc : out->n;
}

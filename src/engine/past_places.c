/* SPDX-License-Identifier: BSD-3-Clause */
/* Places in the record of a process that is gone: see past_places.h. */
#include "engine/past_places.h"
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "engine/bp.h"
#include "engine/past.h"
#include "engine/session.h"
#include "event/event_table.h"
#include "py/code/code.h"
#include "py/record/record_code.h"
#include "py/record/record_gone.h"
#include "py/record/record_read.h"
#include "py/record/recorder.h"

/* What was typed: a line of a file, a function, or a node. */
struct wanted {
	char *file, *name; /* owned; or NULL */
	long line;
	bool node;
};

struct found {
	uint64_t *place; /* owned */
	size_t n, cap;
	const struct record_code *code; /* of the first */
	int line;			/* ... what is shown of it */
	long next;			/* of the file's lines with code the first after the one that is wanted */
};

static uint64_t place_of(uint32_t code, uint32_t instr)
{
	return (uint64_t)code << 32 | instr;
}

static void add(struct found *f, const struct record_code *c, uint32_t instr, int line)
{
	f->place = mem_grow(f->place, &f->cap, f->n + 1, sizeof(*f->place));
	if (!f->n++) {
		f->code = c;
		f->line = line;
	}
	f->place[f->n - 1] = place_of(c->item.id, instr);
}

static int line_at(const struct record_code *c, uint32_t instr)
{
	int line = record_code_instr(c, instr)->line;

	return line > 0 ? line : c->first_line;
}

static void note_line(struct found *f, const struct wanted *w, long line)
{
	if (line > w->line && (!f->next || line < f->next))
		f->next = line;
}

/* Where the line begins; in a graph, where what stands for the line does. */
static void add_lines(struct found *f, const struct record_code *c, const struct wanted *w)
{
	const struct record_note *note = NULL;
	const struct record_instr *in;
	int line, before = 0;
	uint32_t i;

	for (i = c->kind == KIND_GRAPH ? 0 : record_code_first(c); i < c->ninstrs; i++) {
		in = record_code_instr(c, i);
		if (c->kind == KIND_GRAPH) {
			note = in->note >= 0 ? record_code_note(c, (uint32_t)in->note) : NULL;
			line = note && loc_file_fits(w->file, record_code_text(c, note->file)) ? note->line : 0;
		} else {
			line = in->line;
		}
		if (line > 0 && line == w->line && line != before)
			add(f, c, i, line);
		note_line(f, w, line);
		before = line > 0 ? line : before;
	}
}

static void add_nodes(struct found *f, const struct record_code *c, const struct wanted *w)
{
	const struct record_note *note;
	int32_t before = -1;
	uint32_t i;

	for (i = 0; c->kind == KIND_GRAPH && i < c->ninstrs; before = record_code_instr(c, i)->note, i++) {
		if (record_code_instr(c, i)->note < 0 || record_code_instr(c, i)->note == before)
			continue;
		note = record_code_note(c, (uint32_t)record_code_instr(c, i)->note);
		if (!fnmatch(w->name, record_code_text(c, note->name), 0))
			add(f, c, i, note->line);
	}
}

static bool is_function(const struct record_code *c, const struct wanted *w)
{
	return (!w->file || loc_file_fits(w->file, record_code_text(c, c->file))) && record_code_is(c, w->name);
}

static void find(struct found *f, const struct wanted *w)
{
	const struct record_code *c;
	uint32_t id;

	for (id = 0; id < record_gone_codes(); id++) {
		c = record_code_at(id);
		if (!c || c->item.id != id || !c->ninstrs)
			continue;
		if (w->node)
			add_nodes(f, c, w);
		else if (!w->line && is_function(c, w))
			add(f, c, record_code_first(c), line_at(c, record_code_first(c)));
		else if (w->line && (c->kind == KIND_GRAPH || loc_file_fits(w->file, record_code_text(c, c->file))))
			add_lines(f, c, w);
	}
}

static int parse(struct session *s, const char *text, struct wanted *w, struct err *err)
{
	const char *colon = strrchr(text, ':');
	const struct frame *f = stack_frame(&s->stack, s, s->selected);

	*w = (struct wanted){ 0 };
	if (!strncmp(text, "node:", 5)) {
		w->node = true;
		w->name = mem_str(text + 5);
		return 0;
	}
	if (!*text || text[strcspn(text, "*#@ ()")] || !strncmp(text, "opcode:", 7))
		return err_set(err,
			       "'break %s': in the record of a process that is gone a location is FILE:LINE, LINE, "
			       "FUNC, FILE:FUNC, ENTRY or node:NAME, without a condition",
			       text);
	if (colon)
		w->file = mem_strn(text, (size_t)(colon - text));
	if (!text_is_number(colon ? colon + 1 : text, 1, INT_MAX, &w->line)) {
		w->name = mem_str(colon ? colon + 1 : text);
		return 0;
	}
	if (!colon && (!f || !f->file))
		return err_set(err, "the selected frame has no file: 'break FILE:%ld'", w->line);
	if (!colon)
		w->file = mem_str(f->file);
	return 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

bool past_places_has(const struct bp *b, uint32_t code, uint32_t instr)
{
	uint64_t place = place_of(code, instr);

	return b->recorded && bsearch(&place, b->recorded, (size_t)b->nrecorded, sizeof(place), compare);
}

bool past_places_on_line(const struct bp *b, const char *file, int line)
{
	const struct record_code *c;
	const struct record_note *note;
	const struct record_instr *in;
	uint32_t instr;
	int i;

	for (i = 0; b->recorded && i < b->nrecorded; i++) {
		c = record_code_at((uint32_t)(b->recorded[i] >> 32));
		instr = (uint32_t)b->recorded[i];
		in = c ? record_code_instr(c, instr) : NULL;
		note = in && c->kind == KIND_GRAPH && in->note >= 0 ? record_code_note(c, (uint32_t)in->note) : NULL;
		if (c && line == (note ? note->line : line_at(c, instr)) &&
		    !strcmp(file, record_code_text(c, note ? note->file : c->file)))
			return true;
	}
	return false;
}

struct bp *past_places_break(struct session *s, const char *text, struct buf *where, struct err *err)
{
	struct found f = { 0 };
	struct wanted w;
	struct bp *b = NULL;

	if (parse(s, text, &w, err) == 0) {
		find(&f, &w);
		if (!f.n && f.next) { /* as in a program: the next line that runs */
			w.line = f.next;
			find(&f, &w);
		}
		if (!f.n)
			err_set(err, "the record has no code of '%s': 'info calls' lists what it has", text);
	}
	if (f.n) {
		qsort(f.place, f.n, sizeof(*f.place), compare);
		buf_addf(where, "%s:%d (%s)",
			 text_path_file_name(w.line ? w.file : record_code_text(f.code, f.code->file)), f.line,
			 record_code_text(f.code, f.code->qualname));
		b = bp_recorded(s, BP_BREAK, text);
		b->recorded = f.place;
		b->nrecorded = (int)f.n;
	}
	free(w.file);
	free(w.name);
	return b;
}

struct bp *past_places_watch(struct session *s, const char *name, struct err *err)
{
	const struct frame *f = session_frame(s, err);
	struct bp *b;

	if (!f || !past_named(s, name, err))
		return NULL;
	b = bp_recorded(s, BP_WATCH, name);
	b->activation = f->past->frame->serial;
	return b;
}

int past_places_may_catch(const char *kind, const char *words, struct err *err)
{
	if (event_find(kind, NULL) == &ev_exception && !*words)
		return 0;
	return err_set(err,
		       "the record of a process that is gone cannot tell of 'catch %s%s%s': it has 'catch exception', "
		       "breakpoints, and 'watch' of a variable",
		       kind, *words ? " " : "", words);
}

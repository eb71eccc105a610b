/* SPDX-License-Identifier: BSD-3-Clause */
/* Code that only a record has: see recorded_code.h. */
#include "view/recorded_code.h"
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/visible.h"
#include "engine/bp.h"
#include "engine/past.h"
#include "engine/past_places.h"
#include "engine/session.h"
#include "py/record/record_gone.h"
#include "view/view.h"

int recorded_code_find(struct session *s, const char *words, struct recorded_code *out, struct err *err)
{
	const struct frame *f = session_frame(s, NULL);
	const struct record_code *c;
	uint32_t id;

	*out = (struct recorded_code){ .unit = -1 };
	if (!*words && f && f->past && !f->code)
		out->code = f->past->code;
	for (id = s->gone && *words ? record_gone_codes() : 0; id > 0 && !out->code; id--) {
		c = record_gone_code(id - 1);
		if (c && record_code_is(c, words))
			out->code = c;
	}
	if (!out->code)
		return s->gone ? err_set(err, "the record has no code of '%s': 'info calls' lists what ran",
					 *words ? words : "a frame") :
				 0;
	if (f && f->past && f->past->code == out->code)
		out->unit = f->past->frame->unit;
	return 1;
}

static const char *note_name(const struct record_code *c, const struct record_instr *in)
{
	return in->note >= 0 ? record_code_text(c, record_code_note(c, (uint32_t)in->note)->name) : "";
}

static bool is_current(const struct recorded_code *r, uint32_t i)
{
	return r->unit >= 0 && record_code_step(r->code, (uint32_t)r->unit)->instr == i;
}

static const struct bp *break_at(struct session *s, const struct record_code *c, uint32_t i)
{
	const struct bp *b = bp_first(s), *off = NULL;

	for (; b; b = b->next) {
		if (b->dead || !past_places_has(b, c->item.id, i))
			continue;
		if (b->enabled)
			return b;
		off = b;
	}
	return off;
}

/* Begins the row of an instruction: the marks, and the breakpoint's number. */
static void add_row(struct session *s, const struct recorded_code *r, uint32_t i, struct rows *out)
{
	const struct bp *b = break_at(s, r->code, i);

	rows_add(out, (is_current(r, i) ? MARK_CURRENT : 0) | (!b ? 0 : b->enabled ? MARK_BREAK : MARK_OFF));
	if (b && b->enabled)
		rows_int(out, "breakpoint", b->number);
}

void recorded_code_rows(struct session *s, const struct recorded_code *r, const struct view_req *req, struct rows *out)
{
	const struct record_code *c = r->code;
	const struct record_instr *in;
	uint32_t i;
	int depth;

	for (i = 0; i < c->ninstrs; i++) {
		in = record_code_instr(c, i);
		if (!rows_want(out, req))
			continue;
		depth = record_code_step(c, in->unit)->depth;
		add_row(s, r, i, out);
		rows_int(out, "index", i);
		rows_int(out, "offset", 2 * (long long)in->unit);
		rows_str(out, "opname", ROLE_OPCODE, record_code_text(c, in->op));
		if (in->arg)
			rows_str(out, "arg", ROLE_VALUE, record_code_text(c, in->arg));
		if (*note_name(c, in))
			rows_str(out, "region", ROLE_DIM, note_name(c, in));
		if (in->line > 0)
			rows_int(out, "line", in->line);
		rows_bool(out, "current", is_current(r, i));
		if (depth != 0xffff)
			rows_int(out, "depth", depth);
	}
}

static bool has_heading(const struct record_code *c, uint32_t i)
{
	const char *name = note_name(c, record_code_instr(c, i));

	return *name && (!i || strcmp(name, note_name(c, record_code_instr(c, i - 1))) != 0);
}

static void add_instr(struct session *s, const struct recorded_code *r, uint32_t i, struct rows *out)
{
	const struct record_instr *in = record_code_instr(r->code, i);

	add_row(s, r, i, out);
	rows_int(out, "offset", 2 * (long long)in->unit);
	rows_str(out, "what", ROLE_OPCODE, record_code_text(r->code, in->op));
	rows_str(out, "arg", ROLE_VALUE, in->arg ? record_code_text(r->code, in->arg) : NULL);
	if (in->line > 0)
		rows_int(out, "line", in->line);
	rows_int(out, "index", i);
	rows_str(out, "region", ROLE_DIM, *note_name(r->code, in) ? note_name(r->code, in) : NULL);
	rows_bool(out, "current", is_current(r, i));
}

void recorded_code_pane(struct session *s, const struct recorded_code *r, struct view_req *req, struct rows *out)
{
	const struct record_code *c = r->code;
	size_t n = 0, current = (size_t)-1;
	const char *name;
	uint32_t i;

	for (i = 0; i < c->ninstrs; i++) {
		n += has_heading(c, i);
		if (is_current(r, i))
			current = n;
		n++;
	}
	if (current != (size_t)-1)
		rows_follow(req, current, n);
	rows_title(out, "%s\t%u instructions", record_code_text(c, c->title ? c->title : c->qualname), c->ninstrs);
	out->first = req->first;
	for (i = 0; i < c->ninstrs; i++) {
		if (has_heading(c, i) && rows_want(out, req)) {
			name = note_name(c, record_code_instr(c, i));
			rows_add(out, MARK_HEAD);
			rows_str(out, "heading", ROLE_NAME, req->pane ? name : NULL);
			rows_str(out, "what", ROLE_NAME, name);
		}
		if (rows_want(out, req))
			add_instr(s, r, i, out);
	}
}

void recorded_code_text(const struct recorded_code *r, struct buf *out)
{
	const struct record_code *c = r->code;
	const char *title = c->title ? record_code_text(c, c->title) : NULL, *name = "";
	const struct record_instr *in;
	uint32_t i;

	buf_addf(out, "%s%s, %u instructions, from the record\n", title ? "" : "code of ",
		 visible(title ? title : record_code_text(c, c->qualname)), c->ninstrs);
	for (i = 0; i < c->ninstrs; i++) {
		in = record_code_instr(c, i);
		if (strcmp(name, note_name(c, in))) {
			name = note_name(c, in);
			buf_addf(out, "      %s\n", visible(*name ? name : "(other code)"));
		}
		buf_addf(out, "%s %6u  %-26s", is_current(r, i) ? "=>" : "  ", 2 * in->unit,
			 record_code_text(c, in->op));
		buf_addf(out, " %s", visible(record_code_text(c, in->arg)));
		while (out->s[out->len - 1] == ' ')
			out->s[--out->len] = '\0';
		buf_addc(out, '\n');
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Guards as a pane shows them: below headings, one for each entry where there are several, one for each value that
   is checked; a heading's key is the number of its first guard.  Knows no terminal. */
#include "code/dynamo_code.h"
#include "code/select.h"
#include "edit/overrides.h"
#include "guards/guard_args.h"
#include "guards/guard_eval.h"
#include "guards/guard_model.h"
#include "guards/guard_text.h"
#include "model/entry.h"
#include "model/qualname.h"
#include "show/dynamo_show.h"
#include <stdlib.h>
#include <string.h>

enum { ALL_CHECKED = 400 }; /* if there are more, only the visible guards are checked */

struct tally {
	int ok, fail, changed, unknown, edited; /* changed: held at the call, fails now */
	const char *edit;			/* the override of the edited ones, "overridden" if they differ */
};

struct sheet {
	const struct view_req *req;
	struct rows *out;
	const char *folds; /* "12,40": what was toggled */
	struct tally all;  /* of all entries */
	bool counted, many;
};

/* The current entry. */
struct page {
	struct entry *entry;
	const struct guards *all;
	struct scene scene;
	struct look look;
	bool looks;
	bool dispatched;       /* the selected frame runs it: all of its guards held at the call */
	enum verdict *verdict; /* of each guard, owned; NULL: too many */
};

static bool toggled(const struct sheet *s, const char *key)
{
	const char *p = s->folds;
	size_t n;

	for (; *p; p += n + (p[n] == ',')) {
		n = strcspn(p, ",");
		if (strlen(key) == n && !strncmp(p, key, n))
			return true;
	}
	return false;
}

static bool toggled_number(const struct sheet *s, int number)
{
	char key[32];

	if (!*s->folds)
		return false;
	snprintf(key, sizeof(key), "%d", number);
	return toggled(s, key);
}

static void page_open(struct page *p, struct entry *e)
{
	int i;

	memset(p, 0, sizeof(*p));
	p->entry = e;
	p->all = guards_of(e);
	if (!p->all)
		return;
	scene_selected(e->func, &p->scene);
	p->dispatched = p->scene.runs == e;
	p->looks = p->scene.locals && look_start(&p->look, e, &p->scene);
	if (p->looks)
		p->all = p->look.guards;
	if (p->all->n > ALL_CHECKED)
		return;
	p->verdict = mem_alloc(((size_t)p->all->n + 1) * sizeof(*p->verdict));
	for (i = 0; i < p->all->n && p->looks; i++)
		p->verdict[i] = look_check(&p->look, i);
}

static void page_close(struct page *p)
{
	if (p->looks)
		look_end(&p->look);
	if (p->all)
		scene_release(&p->scene);
	free(p->verdict);
}

/* An unchanged guard counts by its verdict, an edited one by its override. */
static void tally_count(struct tally *t, const struct guard *g, enum verdict v, bool dispatched)
{
	const char *state = override_guard_state(g->number);

	if (strcmp(state, "on")) {
		t->edit = !t->edited || !strcmp(t->edit, state) ? state : "overridden";
		t->edited++;
		return;
	}
	t->ok += v == VERDICT_HOLDS;
	t->fail += v == VERDICT_FAILS && !dispatched;
	t->changed += v == VERDICT_FAILS && dispatched;
	t->unknown += v == VERDICT_UNKNOWN;
}

static void add_tally(struct tally *t, const struct tally *more)
{
	if (more->edited)
		t->edit = !t->edited || t->edit == more->edit ? more->edit : "overridden";
	t->edited += more->edited;
	t->ok += more->ok;
	t->fail += more->fail;
	t->changed += more->changed;
	t->unknown += more->unknown;
}

/* Writes "3 ok, 1 FAILS, 1 dropped"; without verdicts if no guard was checked. */
static void say_tally(const struct tally *t, struct buf *out)
{
	if (t->ok || t->fail || t->changed)
		buf_addf(out, "%d ok", t->ok);
	if (t->fail)
		buf_addf(out, ", %d FAIL%s", t->fail, t->fail == 1 ? "S" : "");
	if (t->changed)
		buf_addf(out, ", %d changed", t->changed);
	if (t->unknown && (t->ok || t->fail))
		buf_addf(out, ", %d unknown", t->unknown);
	if (t->edited)
		buf_addf(out, "%s%d %s", t->ok || t->fail ? ", " : "", t->edited, t->edit);
}

static void put_heading(struct sheet *s, const char *key, const char *text, const char *right, bool open, unsigned mark)
{
	char *heading;

	heading = mem_fmt("%s\t%s", text, right);
	host->rows.add(s->out, MARK_HEAD | mark);
	host->rows.str(s->out, "fold", ROLE_DIM, open ? "open" : "shut");
	host->rows.str(s->out, "heading", ROLE_NAME, heading);
	host->rows.str(s->out, "key", ROLE_DIM, key);
	free(heading);
}

static void shown_to_people(struct buf *text)
{
	struct buf shown = { 0 };

	if (text->len)
		source_text_shown(text->s, 1000, &shown);
	buf_release(text);
	*text = shown;
}

static void put_cells(struct sheet *s, const struct guard *g, enum verdict v, bool dispatched,
		      const struct buf *expected, const struct buf *live)
{
	bool fails = v == VERDICT_FAILS && !dispatched, changed = v == VERDICT_FAILS && dispatched;
	const char *state = override_guard_state(g->number), *sign, *wants = expected->len ? expected->s : "";
	char *link;

	sign = !strcmp(state, "dropped") ? "void" :
	       strcmp(state, "on")	 ? "bang" :
	       v == VERDICT_HOLDS	 ? "check" :
	       fails			 ? "cross" :
					   NULL;
	host->rows.add(s->out, strcmp(state, "on") ? MARK_DIM : fails ? MARK_ERROR : 0);
	host->rows.str(s->out, "sign", fails ? ROLE_ERROR : ROLE_TYPE, sign);
	host->rows.num(s->out, "guard", g->number);
	host->rows.str(s->out, "kind", ROLE_TYPE, g->kind);
	host->rows.str(s->out, "expected", ROLE_VALUE, wants);
	/* a value that is as expected is not repeated */
	if (strcmp(state, "on")) {
		host->rows.str(s->out, "live", ROLE_CHANGED, state);
	} else if (changed) {
		char *text = mem_fmt("changed since the call%s%s", live->len ? ": " : "", buf_str(live));

		host->rows.str(s->out, "live", ROLE_DIM, text);
		free(text);
	} else if (live->len && (fails || (strncmp(wants, live->s, live->len) && strcmp(live->s, "holds") &&
					   strcmp(live->s, "the same")))) {
		host->rows.str(s->out, "live", fails ? ROLE_ERROR : ROLE_VALUE, live->s);
	}
	if (g->line)
		host->rows.num(s->out, "line", g->line);
	host->rows.str(s->out, "file", ROLE_TEXT, g->file);
	host->rows.str(s->out, "key", ROLE_DIM, state);
	link = mem_fmt("guard %d", g->number);
	host->rows.str(s->out, "link", ROLE_DIM, link);
	free(link);
}

/* part NULL: the whole guard. */
static void sheet_row(struct sheet *s, struct page *p, int i, const struct guard *part)
{
	const struct guard *g = part ? part : &p->all->guard[i];
	struct buf expected = { 0 }, live = { 0 };
	enum verdict v = VERDICT_UNKNOWN;

	if (!host->rows.want(s->out, s->req))
		return;
	if (p->looks)
		v = p->verdict ? p->verdict[i] : look_check(&p->look, i);
	if (p->looks && part) {
		v = guard_part_check(&p->look, part, v);
		guard_part_live(&p->look, part, v, &expected, &live);
	} else if (p->looks) {
		guard_live(&p->look, i, v, &expected, &live);
	} else {
		guard_expected(g, &expected);
	}
	shown_to_people(&expected);
	shown_to_people(&live);
	put_cells(s, g, v, p->dispatched, &expected, &live);
	buf_release(&expected);
	buf_release(&live);
}

/* Each condition on symbolic shapes has a row. */
static void put_guard(struct sheet *s, struct page *p, int i)
{
	const struct guard *g = &p->all->guard[i];
	int k;

	for (k = 0; k < g->nparts; k++)
		sheet_row(s, p, i, &g->part[k]);
	if (!k)
		sheet_row(s, p, i, NULL);
}

static void sheet_value(struct sheet *s, const struct guard *g, const struct tally *t, bool open)
{
	struct buf right = { 0 }, source = { 0 };
	char key[32];

	snprintf(key, sizeof(key), "%d", g->number);
	say_tally(t, &right);
	source_text_people(g->source, &source);
	put_heading(s, key,
		    source.len	? source.s :
		    g->epilogue ? "symbolic shapes" :
				  "state of the process",
		    buf_str(&right), open, t->fail ? MARK_ERROR : 0);
	buf_release(&source);
	buf_release(&right);
}

/* Guards first..end check one value. Those that check the process itself matter only if they fail. */
static void put_group(struct sheet *s, struct page *p, int first, int end)
{
	const struct guard *g = &p->all->guard[first];
	struct tally t = { 0 };
	bool open;
	int i;

	for (i = first; i < end; i++)
		tally_count(&t, &p->all->guard[i], p->verdict ? p->verdict[i] : VERDICT_UNKNOWN, p->dispatched);
	add_tally(&s->all, &t);
	open = (*g->source || t.fail || t.changed || t.edited) != toggled_number(s, g->number);
	if (host->rows.want(s->out, s->req))
		sheet_value(s, g, &t, open);
	for (i = first; open && i < end; i++)
		put_guard(s, p, i);
}

/* Conditions added by the user: they have no number, `undo` removes them. */
static void put_added(struct sheet *s, struct entry *e)
{
	struct override *o;

	for (o = ledger; o; o = o->next) {
		if (o->entry != e || o->kind != OVERRIDE_ADD || o->undone || o->dead ||
		    !host->rows.want(s->out, s->req))
			continue;
		host->rows.add(s->out, 0);
		host->rows.str(s->out, "sign", ROLE_CHANGED, "bang");
		host->rows.str(s->out, "kind", ROLE_TYPE, "CONDITION");
		host->rows.str(s->out, "expected", ROLE_VALUE, o->text);
		host->rows.str(s->out, "live", ROLE_CHANGED, "added");
	}
}

/* A guard on several values has no source of its own: it is listed with the previous one. */
static bool begins_group(const struct guard *first, const struct guard *g)
{
	return g->epilogue != first->epilogue || (*g->source && strcmp(g->source, first->source));
}

static void put_entry(struct sheet *s, struct entry *e)
{
	char *key = mem_fmt("e%s", e->id), *text, *right;
	bool open = !toggled(s, key);
	struct page p;
	int first, i;

	page_open(&p, e);
	if (s->many && p.all && host->rows.want(s->out, s->req)) {
		text = mem_fmt("entry %s of %s", e->id, qualname_entry(e));
		right = mem_fmt("%d guards", p.all->n);
		put_heading(s, key, text, right, open, 0);
		free(text);
		free(right);
	}
	s->counted = s->counted && p.verdict;
	for (first = 0; open && p.all && first < p.all->n; first = i) {
		for (i = first + 1; i < p.all->n && !begins_group(&p.all->guard[first], &p.all->guard[i]); i++)
			;
		put_group(s, &p, first, i);
	}
	if (open)
		put_added(s, e);
	page_close(&p);
	free(key);
}

static void put_title(struct sheet *s, const struct selected_entries *picked)
{
	struct buf right = { 0 };

	const struct tally *t = &s->all;

	if (s->counted)
		say_tally(t, &right);
	if (!right.len)
		buf_addf(&right, "%d guards", t->ok + t->fail + t->changed + t->unknown + t->edited);
	if (picked->n == 1)
		host->rows.title(s->out, "entry %s\t%s", picked->entry[0]->id, buf_str(&right));
	else if (picked->n)
		host->rows.title(s->out, "%d entries\t%s", picked->n, buf_str(&right));
	buf_release(&right);
}

int guards_pane(const struct view_req *req, struct rows *out, struct err *err)
{
	const char *folds = strstr(req->words, "fold:");
	struct sheet s = { .req = req, .out = out, .folds = folds ? folds + 5 : "", .counted = true };
	size_t n = folds ? (size_t)(folds - req->words) : strlen(req->words);
	struct selected_entries picked;
	char *words;
	int i;

	while (n && req->words[n - 1] == ' ')
		n--;
	words = mem_fmt("%.*s", (int)n, req->words);
	i = select_entries(words, &picked, err);
	free(words);
	if (i < 0)
		return -1;
	s.many = picked.n > 1;
	for (i = 0; i < picked.n; i++)
		put_entry(&s, picked.entry[i]);
	put_title(&s, &picked);
	free(picked.entry);
	return 0;
}

/* The value that it expects is completed by the command: the row shows it in another form. */
static void guard_edit_line(const struct rows *rows, size_t row, long long number, struct buf *line)
{
	static const char *const kinds[] = { "EQUALS_MATCH", "CONSTANT_MATCH", "TYPE_MATCH",
					     "TENSOR_MATCH", "LENGTH",	       "SHAPE_ENV" };
	const struct val *kind = host->rows.cell(rows, row, "kind");
	size_t i;

	for (i = 0; kind && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strstr(kind->u.s, kinds[i])) {
			buf_addf(line, "guard edit %lld ", number);
			return;
		}
}

void guards_action(const struct rows *rows, size_t row, enum row_action what, struct buf *line)
{
	const struct val *key = host->rows.cell(rows, row, "key");
	const struct val *number = host->rows.cell(rows, row, "guard");

	if (rows->mark[row] & MARK_HEAD && key && (what == ACTION_TOGGLE || what == ACTION_ENTER))
		buf_addf(line, "tui fold %s", key->u.s);
	else if (what == ACTION_TOGGLE && number && number->type == VAL_INT)
		buf_addf(line, "guard %s %lld", strcmp(key->u.s, "on") ? "restore" : "drop", number->u.i);
	else if (what == ACTION_EDIT && number && number->type == VAL_INT)
		guard_edit_line(rows, row, number->u.i, line);
	else
		row_action_line(rows, row, what, line);
}

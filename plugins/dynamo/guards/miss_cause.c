/* SPDX-License-Identifier: BSD-3-Clause */
/* Why an entry was compiled although its function had others: see miss_cause.h. */
#include "code/dynamo_code.h"
#include "guards/guard_model.h"
#include "guards/guard_remedy.h"
#include "guards/guard_tensor.h"
#include "guards/guard_text.h"
#include "guards/miss_cause.h"
#include "model/entry.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

#define STATE_CHANGED "GLOBAL_STATE changed: "

/* Dynamo's reason, with sources as people write them: torch before 2.7 writes them as guards do. */
struct said {
	const char *reason;
	struct buf whole, tensor; /* tensor: the source that it names as a tensor; or empty */
};

static void said_read(const char *reason, struct said *out)
{
	static const char *const before[] = { "tensor '", "expected type of '" };
	const char *name, *end;
	char *source;
	size_t i;

	memset(out, 0, sizeof(*out));
	out->reason = reason;
	source_text_people(reason, &out->whole);
	for (i = 0; i < sizeof(before) / sizeof(*before); i++) {
		name = reason + strlen(before[i]);
		end = py_text_begins_with(reason, before[i]) ? strstr(name, "' ") : NULL;
		if (!end)
			continue;
		source = mem_strn(name, (size_t)(end - name));
		source_text_people(source, &out->tensor);
		free(source);
	}
}

static bool is_source_text(const char *guard, const struct buf *said)
{
	struct buf people = { 0 };
	bool yes;

	if (!*guard || !said->len)
		return false;
	source_text_people(guard, &people);
	yes = !strcmp(buf_str(&people), buf_str(said));
	buf_release(&people);
	return yes;
}

static bool guard_says(const struct guard *g, const struct said *s)
{
	if (!strcmp(g->kind, "GLOBAL_STATE") && py_text_begins_with(s->reason, STATE_CHANGED))
		return true;
	return is_source_text(g->text, &s->whole) ||
	       (!strcmp(g->kind, "TENSOR_MATCH") && is_source_text(g->source, &s->tensor));
}

static const struct guard *guard_of_reason(struct entry *e, const char *reason)
{
	const struct guards *all = e ? guards_of(e) : NULL;
	const struct guard *found = NULL;
	struct said said;
	int i, k;

	said_read(reason, &said);
	for (i = 0; all && i < all->n && !found; i++) {
		for (k = 0; k < all->guard[i].nparts && !found; k++)
			found = guard_says(&all->guard[i].part[k], &said) ? &all->guard[i].part[k] : NULL;
		if (!found && guard_says(&all->guard[i], &said))
			found = &all->guard[i];
	}
	buf_release(&said.whole);
	buf_release(&said.tensor);
	return found;
}

/* What a guard `x == 2` expects; NULL: it is another kind. */
static const char *expected_of(const struct guard *g)
{
	const char *p = strstr(g->text, " == ");

	return p ? p + 4 : NULL;
}

/* The guard of this kind on the source of another one; NULL: the entry has none. */
static const struct guard *guard_on_source(struct entry *e, const struct guard *g, const char *kind)
{
	const struct guards *all = guards_of(e);
	int i;

	for (i = 0; all && i < all->n; i++)
		if (*g->source && !strcmp(all->guard[i].source, g->source) && !strcmp(all->guard[i].kind, kind))
			return &all->guard[i];
	return NULL;
}

/* The remedy, with the values of the call as far as Dynamo's reason and the guards of the entry that was compiled for
   it have them. */
static const char *remedy_by_reason(struct entry *e, const struct miss_cause *m)
{
	struct buf expected = { 0 }, live = { 0 }, type = { 0 };
	struct failure f = { .guard = m->guard };
	const struct guard *made;
	const char *remedy, *value;

	if (!strcmp(m->guard->kind, "TENSOR_MATCH")) {
		f.live = guard_tensor_reason(m->guard, m->text, &expected, &live) ? buf_str(&live) : NULL;
	} else if (py_text_begins_with(m->text, STATE_CHANGED)) {
		f.live = m->text + strlen(STATE_CHANGED);
	} else {
		value = expected_of(m->guard);
		buf_adds(&expected, value ? value : "");
		made = guard_on_source(e, m->guard, m->guard->kind);
		f.live = made ? expected_of(made) : NULL;
		made = guard_on_source(e, m->guard, "TYPE_MATCH");
		if (made)
			guard_expected(made, &type);
		f.live_type = type.s;
	}
	f.expected = buf_str(&expected);
	remedy = guard_remedy(&f);
	buf_release(&expected);
	buf_release(&live);
	buf_release(&type);
	return remedy;
}

/* The entry that Dynamo's reason means: after a reset it counts from 0/0 again, and older entries have that
   name, too. */
static struct entry *missed_entry(const struct entry *e, const char *id)
{
	struct entry *x, *found = NULL;
	size_t n = strlen(id);

	for (x = model_entries; x && x != e; x = x->next)
		if (x->func == e->func && !strncmp(x->id, id, n) && (!x->id[n] || x->id[n] == '#'))
			found = x;
	return found;
}

static void cause_by_reason(struct entry *e, struct miss_cause *m)
{
	const char *why = e->made.why, *text = strstr(why, ": "), *end;
	char *id = text ? mem_strn(why, (size_t)(text - why)) : NULL;
	struct entry *missed = id ? missed_entry(e, id) : NULL;

	text = missed ? text + 2 : why;
	end = strstr(text, "; ");
	m->text = end && missed ? mem_strn(text, (size_t)(end - text)) : mem_str(text);
	m->guard = guard_of_reason(missed, m->text);
	if (m->guard)
		m->remedy = remedy_by_reason(e, m);
	free(id);
}

/* What was kept at the recompile has the values of the call. */
static bool cause_by_kept(const struct entry *e, struct miss_cause *m)
{
	const struct val *entries = val_get(e->made.missed, "entries"), *failing, *first, *number;

	if (!entries || entries->type != VAL_LIST || !entries->u.list.n)
		return false;
	failing = val_get(entries->u.list.item[0], "failing");
	first = failing && failing->type == VAL_LIST && failing->u.list.n ? failing->u.list.item[0] : NULL;
	number = first ? val_get(first, "guard") : NULL;
	if (!first)
		return false;
	m->text = mem_str(val_text(first, "text"));
	m->remedy = *val_text(first, "remedy") ? val_text(first, "remedy") : NULL;
	m->guard = number && number->type == VAL_INT ? guards_numbered((long)number->u.i) : NULL;
	return true;
}

void miss_cause_of(struct entry *e, struct miss_cause *out)
{
	if (!e->made.missed || !cause_by_kept(e, out))
		cause_by_reason(e, out);
}

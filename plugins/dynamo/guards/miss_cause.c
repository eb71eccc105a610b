/* SPDX-License-Identifier: BSD-3-Clause */
/* Why an entry was compiled although its function had others: see miss_cause.h. */
#include "guards/miss_cause.h"
#include "torch/py_text.h"
#include "model/entry.h"
#include "code/source_text.h"
#include "guards/guard_model.h"
#include "guards/guard_remedy.h"
#include "guards/guard_tensor.h"
#include "guards/guard_text.h"
#include <stdlib.h>
#include <string.h>

/* Dynamo writes sources as guards do or, since torch 2.7, as people write arguments. */
static bool is_source_text(const char *guard, const char *text, size_t n)
{
	struct buf a = { 0 }, b = { 0 };
	char *said;
	bool yes;

	if (!*guard)
		return false;
	if (n == strlen(guard) && !memcmp(text, guard, n))
		return true;
	said = mem_strn(text, n);
	source_people(guard, &a);
	source_people(said, &b);
	yes = !strcmp(buf_str(&a), buf_str(&b));
	free(said);
	buf_release(&a);
	buf_release(&b);
	return yes;
}

#define STATE_CHANGED "GLOBAL_STATE changed: "

static bool guard_says(const struct guard *g, const char *reason)
{
	static const char *const before[] = { "tensor '", "expected type of '" };
	const char *name, *end;
	size_t i;

	if (!strcmp(g->kind, "GLOBAL_STATE") && text_begins_with(reason, STATE_CHANGED))
		return true;
	if (is_source_text(g->text, reason, strlen(reason)))
		return true;
	for (i = 0; i < sizeof(before) / sizeof(*before) && !strcmp(g->kind, "TENSOR_MATCH"); i++) {
		name = reason + strlen(before[i]);
		end = text_begins_with(reason, before[i]) ? strstr(name, "' ") : NULL;
		if (end && is_source_text(g->source, name, (size_t)(end - name)))
			return true;
	}
	return false;
}

static const struct guard *guard_of_reason(struct entry *e, const char *reason)
{
	const struct guards *all = e ? guards_of(e) : NULL;
	int i, k;

	for (i = 0; all && i < all->n; i++) {
		for (k = 0; k < all->guard[i].nparts; k++)
			if (guard_says(&all->guard[i].part[k], reason))
				return &all->guard[i].part[k];
		if (guard_says(&all->guard[i], reason))
			return &all->guard[i];
	}
	return NULL;
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
	} else if (text_begins_with(m->text, STATE_CHANGED)) {
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

static void cause_by_reason(struct entry *e, struct miss_cause *m)
{
	const char *why = e->made.why, *text = strstr(why, ": "), *end;
	char *id = text ? mem_strn(why, (size_t)(text - why)) : NULL;
	struct entry *missed = id ? model_entry_named(id) : NULL;

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

/* SPDX-License-Identifier: BSD-3-Clause */
/* Guards that failed for one cause: see guard_cause.h. */
#include "code/dynamo_code.h"
#include "guards/guard_cause.h"
#include "torch/py_text.h"
#include <stdlib.h>
#include <string.h>

/* Same attribute or item of other objects: "L['self'].h[0].drop.training" and "L['self'].h[1].drop.training".  A name
   has no part before it. */
static const char *last_part(const char *source)
{
	const char *dot = strrchr(source, '.');

	return dot ? dot : source;
}

bool guard_sources_alike(const char *kind, const char *a, const char *b)
{
	return *a && *b && (!strcmp(kind, "TENSOR_MATCH") || !strcmp(last_part(a), last_part(b)));
}

static bool same_cell(const struct val *a, const struct val *b, const char *key)
{
	return !strcmp(val_text(a, key), val_text(b, key));
}

static bool is_one_cause(const struct val *a, const struct val *b)
{
	return same_cell(a, b, "kind") && same_cell(a, b, "expected") && same_cell(a, b, "live") &&
	       same_cell(a, b, "remedy") && *val_text(a, "live") &&
	       guard_sources_alike(val_text(a, "kind"), val_text(a, "source"), val_text(b, "source"));
}

struct guard_cause *guard_causes(const struct val *failing, size_t *n)
{
	const size_t most = failing && failing->type == VAL_LIST ? failing->u.list.n : 0;
	struct guard_cause *all = mem_alloc(most * sizeof(*all) + 1);
	size_t i, k;

	*n = 0;
	for (i = 0; i < most; i++) {
		for (k = 0; k < *n && !is_one_cause(all[k].guard[0], failing->u.list.item[i]); k++)
			;
		if (k == *n)
			all[(*n)++] = (struct guard_cause){ .n = 0 };
		if (all[k].n < CAUSE_GUARDS)
			all[k].guard[all[k].n] = failing->u.list.item[i];
		all[k].n++;
	}
	return all;
}

static bool is_mode(const struct val *f)
{
	return py_text_ends_with(val_text(f, "source"), ".training") && !strncmp(val_text(f, "remedy"), "train()", 7);
}

static void put_source_name(const struct val *f, struct buf *out)
{
	const char *source = val_text(f, "source"), *dot = is_mode(f) ? strrchr(source, '.') : NULL;
	char *owner = dot ? mem_strn(source, (size_t)(dot - source)) : NULL;

	source_text_name(owner ? owner : source, 60, out);
	free(owner);
}

/* Of a guard without a source the actual value says what changed: "changed: grad_mode (now under no_grad)". */
static void put_change(const struct val *f, size_t columns, struct buf *out)
{
	const char *live = val_text(f, "live");
	bool named = *val_text(f, "source"), changed = !named && py_text_begins_with(live, "changed");

	if (is_mode(f)) {
		buf_adds(out, strcmp(live, "True") ? "training, now eval" : "eval, now training");
		return;
	}
	if (changed)
		buf_addf(out, "%s ", val_text(f, "kind"));
	buf_adds(out, named ? "is " : "");
	source_text_shown(live, columns, out);
	if (changed)
		return;
	buf_adds(out, ", expected ");
	source_text_shown(val_text(f, "expected"), columns, out);
}

void guard_cause_text(const struct guard_cause *c, size_t columns, struct buf *out)
{
	const struct val *f = c->guard[0];
	size_t i;

	if (!*val_text(f, "live")) {
		source_text_shown(val_text(f, "text"), columns, out);
	} else if (c->n == 1) {
		if (*val_text(f, "source")) {
			put_source_name(f, out);
			buf_adds(out, is_mode(f) ? ": " : " ");
		}
		put_change(f, columns, out);
	} else {
		buf_addf(out, "%zu guards: %s", c->n, is_mode(f) ? "" : "each ");
		put_change(f, columns, out);
		for (i = 0; i < c->n && i < CAUSE_GUARDS; i++) {
			buf_adds(out, i ? ", " : " (");
			put_source_name(c->guard[i], out);
		}
		if (i < c->n)
			buf_addf(out, " and %zu more", c->n - i);
		buf_adds(out, ")");
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The ledger: applies and reverts what the user changes in Dynamo's cache.  The state of an entry always follows from
   the overrides in force on it, so that any of them can be undone.  Knows no command. */
#include "edit/backend.h"
#include "edit/cache_list.h"
#include "edit/clone.h"
#include "edit/dynamo_edit.h"
#include "edit/ledger.h"
#include "edit/overridden.h"
#include "edit/overrides.h"
#include "edit/stash.h"
#include "model/entry.h"
#include "model/func.h"
#include "model/qualname.h"
#include <string.h>
#include <time.h>

static int count; /* the number of all so far */

/* ---- doing and undoing ------------------------------------------------------------------------------------------ */

static void note_order(struct override *o)
{
	struct cache_list c;
	struct err err;

	if (o->func->co && cache_list_read(o->func->co, &c, &err) == 0) {
		o->kept.order = Py_XNewRef(c.seen);
		cache_list_release(&c);
	}
}

/* Removes overrides that could not be applied, which are the last ones of the ledger.  Dynamo's cache is
   unchanged. */
static void remove_failed(struct override *const *list, int n)
{
	struct entry *e = list[0]->entry;
	struct override **p;
	int i;

	for (p = &ledger; *p && *p != list[0]; p = &(*p)->next)
		;
	*p = NULL;
	for (i = 0; i < n; i++)
		override_free(list[i]);
	overridden_settle(e);
}

static int steps; /* the number of all so far */
static bool together;

void ledger_step(bool begins)
{
	steps += begins;
	together = begins;
}

/* Dynamo compiles the function: the overrides are freed, and the lines that make them again wait. */
static int do_later(struct override *const *list, int n, struct buf *out, struct err *err)
{
	struct buf line = { 0 };
	int i, ret = 0;

	for (i = 0; i < n; i++) {
		buf_reset(&line);
		override_line(list[i], true, &line);
		ret = ret == 0 ? after_compile_run(list[i]->func, buf_str(&line), out, err) : ret;
	}
	for (i = 0; i < n; i++)
		override_free(list[i]);
	buf_release(&line);
	return ret < 0 ? -1 : LEDGER_LATER;
}

int ledger_do(struct override *const *list, int n, struct buf *out, struct err *err)
{
	struct override *o = list[0];
	bool front = o->kind == OVERRIDE_PREFER || o->kind == OVERRIDE_FORCE_ENTRY || o->kind == OVERRIDE_INSTALL;
	int i, ret;

	if (after_compile_waits(o->func))
		return do_later(list, n, out, err);
	override_append(list, n);
	if (front || o->kind == OVERRIDE_DELETE)
		note_order(o);
	ret = o->kind == OVERRIDE_EAGER	  ? stash_eager_do(o, err) :
	      o->kind == OVERRIDE_BACKEND ? backend_do(o, err) :
					    overridden_follow(o->entry, NULL, front, err);
	if (ret < 0) {
		remove_failed(list, n);
		return -1;
	}
	if (!together)
		steps++;
	for (i = 0; i < n; i++) {
		list[i]->number = ++count;
		list[i]->step = steps;
	}
	if (o->entry && exclusive_runs_now(o->entry->co))
		buf_adds(out, "its code is running now: the change applies from its next call\n");
	return 0;
}

void ledger_changed(PyCodeObject *co, const char *what, const char *text)
{
	struct entry *e = model_entry(co);
	struct func *f = e ? e->func : model_func(co, false);
	struct override *o;
	int kind;

	for (kind = OVERRIDE_VAR; kind < OVERRIDE_JUMP && strcmp(override_kind_name((enum override_kind)kind), what);
	     kind++)
		;
	if (!f || !f->seen.looked || strcmp(override_kind_name((enum override_kind)kind), what))
		return;
	o = override_new((enum override_kind)kind, e, "value");
	o->func = f;
	o->text = mem_str(text);
	o->undone = true;
	override_append(&o, 1);
	o->number = ++count;
	o->step = ++steps;
}

void ledger_reset(void)
{
	struct override *o;

	for (o = ledger; o; o = o->next) {
		o->dead |= !o->undone;
		Py_CLEAR(o->kept.order);
		stash_free(o);
	}
	overrides_changed();
	overridden_forget_all();
	clones_forget();
	overridden_follow_order();
}

void ledger_clear(void)
{
	struct override *o;

	ledger_reset();
	while ((o = ledger)) {
		ledger = o->next;
		override_free(o);
	}
}

/* Changes of a cache in which Dynamo puts an entry now: made once the compile has ended.  Dynamo keeps a pointer into
   the cache while it compiles, so the change waits for the next stop outside of it.  Applies none itself. */

bool after_compile_waits(const struct func *f)
{
	return f->co && exclusive_compiles(f->co);
}

int after_compile_run(const struct func *f, const char *line, struct buf *out, struct err *err)
{
	int number = host->stops.run_at((struct py_code *)f->co, line, err);

	if (number < 0)
		return -1;
	buf_addf(out, "Dynamo is compiling %s: 'continue' runs '%s' where the compiled code begins, breakpoint %d\n",
		 qualname_func((struct func *)f), line, number);
	return 0;
}

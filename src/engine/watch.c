/* SPDX-License-Identifier: BSD-3-Clause */
/* Watchpoints: values compared after each instruction of the activation they were set in.  Never asks a value of the
   program whether it is equal to another, unless both are plain.  Knows no command. */
#include "engine/watch.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/val.h"
#include "engine/bp.h"
#include "engine/plug.h"
#include "engine/session.h"
#include "py/interp/lookup.h"
#include "py/value/digest.h"
#include "py/value/value.h"

#define SUMMARY 400 /* bytes of a summary that is shown */

struct watch {
	struct expr *expr;
	struct py_frame *frame; /* owned: the activation */
	bool bound;		/* the expression has a value */
	struct digest digest;	/* of the value: no object is kept for it */
	struct py_obj *value;	/* the value: owned if it is plain, or not shown yet */
	bool fresh;		/* each evaluation creates a new object: identity has no meaning */
	char *now, *old;	/* summaries */
};

static int nwatches; /* an instruction without watchpoints costs one comparison */

static char *watch_summary(struct py_obj *v)
{
	struct buf b = { 0 };

	if (!v)
		return mem_str("<unbound>");
	value_show_data(v, &b, SUMMARY);
	return buf_detach(&b);
}

static bool name_missing(const struct err *err)
{
	return strstr(err->text, "NameError") || strstr(err->text, "UnboundLocalError");
}

static int watch_ask(void *arg, struct py_obj *v, struct buf *out)
{
	return plug_value_state(arg, v, out);
}

static void watch_digest(struct session *s, const struct watch *w, struct py_obj *v, struct digest *out)
{
	digest_of(v, !w->fresh, watch_ask, s, out);
}

/* out: the digest of v, unless plain values are compared. */
static bool watch_changed(struct session *s, const struct watch *w, struct py_obj *v, struct digest *out)
{
	int equal;

	if (!v || !w->bound)
		return (v != NULL) != w->bound;
	equal = w->value ? lookup_plain_equal(w->value, v) : -1;
	if (equal >= 0)
		return !equal;
	watch_digest(s, w, v, out);
	return out->number != w->digest.number;
}

/* Takes v. */
static void watch_keep(struct session *s, struct watch *w, struct py_obj *v)
{
	free(w->old);
	w->old = w->now;
	w->now = watch_summary(v);
	py_unref_later(w->value);
	w->value = v;
	w->bound = v != NULL;
	watch_digest(s, w, v, &w->digest);
}

/* Do not keep objects of the program alive: keep the address and the summary only. */
static void watch_release(struct watch *w)
{
	if (!w->value || lookup_plain_equal(w->value, w->value) >= 0)
		return;
	py_unref_later(w->value);
	w->value = NULL;
}

/* Does another watchpoint need the same activation? */
static bool shared(struct session *s, const struct bp *b)
{
	const struct bp *o;

	for (o = bp_first(s); o; o = o->next)
		if (o != b && o->watch && o->enabled && o->watch->frame == b->watch->frame)
			return true;
	return false;
}

static void watch_enable(struct session *s, struct bp *b, bool on)
{
	struct err err = { "" };

	nwatches += on ? 1 : -1;
	if (on && hook_frame(b->watch->frame, HOOK_EVERY | HOOK_CALLS, &err) < 0)
		session_note(s, NOTE_WARNING, "watchpoint %d cannot be armed: %s", b->number, err.text);
	else if (!on && !shared(s, b))
		hook_frame_drop(b->watch->frame);
}

static void watch_free(struct session *s, struct bp *b)
{
	struct watch *w = b->watch;

	if (b->enabled)
		watch_enable(s, b, false);
	b->watch = NULL;
	expr_unref(w->expr);
	py_unref_later(w->frame);
	py_unref_later(w->value);
	free(w->now);
	free(w->old);
	free(w);
}

/* In a stop: the selected frame is the activation. */
static struct watch *watch_new(struct session *s, const char *text, struct err *err)
{
	struct watch *w = mem_alloc(sizeof(*w));
	struct frame *f = session_frame(s, err);
	struct py_obj *again;
	struct scope sc;
	struct err why;

	if (!f || session_scope(s, &sc, err) < 0)
		goto fail;
	if (!f->fo || f->dead) {
		err_set(err, "cannot watch '%s' here: this frame has exited or is being compiled", text);
		goto fail;
	}
	w->expr = expr_new(text, err);
	if (!w->expr)
		goto fail;
	w->value = expr_eval(w->expr, &sc, &why);
	if (!w->value && !name_missing(&why)) {
		err_set(err, "%s", why.text);
		goto fail;
	}
	w->bound = w->value != NULL;
	again = w->value ? expr_eval(w->expr, &sc, &why) : NULL;
	w->fresh = again != w->value;
	py_unref(again);
	w->now = watch_summary(w->value);
	watch_digest(s, w, w->value, &w->digest);
	watch_release(w);
	if (hook_frame(f->fo, HOOK_EVERY | HOOK_CALLS, err) < 0)
		goto fail;
	w->frame = py_ref(f->fo);
	return w;
fail:
	expr_unref(w->expr);
	py_unref(w->value);
	free(w->now);
	free(w);
	return NULL;
}

struct bp *bp_watch(struct session *s, const char *text, struct err *err)
{
	struct watch *w = watch_new(s, text, err);
	struct bp *b;

	if (!w)
		return NULL;
	b = mem_alloc(sizeof(*b));
	b->type = BP_WATCH;
	b->words = mem_str(text);
	b->watch = w;
	b->enable = watch_enable;
	b->ended = watch_free;
	bp_add(s, b);
	nwatches++;
	bp_arm(s);
	return b;
}

/* Has the value of this one changed?  Runs the program's code, in the bracket of a stop. */
static bool watch_look(struct session *s, struct bp *b, struct hook_thread *t, struct py_frame *f)
{
	struct scope sc = { .frame = f, .at_event = true };
	void *plugs[PLUG_MAX];
	struct hook_saved saved;
	struct err err = { "" };
	struct expr *expr = expr_ref(b->watch->expr); /* `delete` in another thread ends the watchpoint */
	struct py_obj *v, *kept;		      /* owned */
	struct digest now;
	bool yes = false;

	t->broken = false;
	hook_stop_enter(t, &saved);
	plug_stop_enter(s, plugs);
	sc.kept = kept = stack_kept_in(s, f, true);
	v = expr_eval(expr, &sc, &err);
	py_unref(kept);
	expr_unref(expr);
	yes = !b->dead && !t->broken && watch_changed(s, b->watch, v, &now);
	if (yes)
		watch_keep(s, b->watch, v);
	else
		py_unref(v);
	plug_stop_leave(s, plugs);
	hook_stop_leave(t, &saved);
	hook_interrupt_again(t); /* Ctrl-C stops the program; the value counts as unchanged */
	return yes;
}

static struct bp *changed_watch(struct session *s, struct hook_thread *t, struct py_frame *f)
{
	struct scope sc = { .frame = f, .at_event = true };
	struct bp *b, *found = NULL;
	char *trouble = NULL;
	int number;
	bool yes;

	for (b = bp_first(s); b; b = bp_after(s, number)) {
		number = b->number;
		if (!b->watch || !b->enabled || b->watch->frame != f)
			continue;
		bp_hold(b);
		yes = watch_look(s, b, t, f) && bp_condition(s, b, t, &sc, &trouble) && !b->dead && bp_count(b);
		if (yes && !found)
			found = bp_hold(b);
		else if (!b->dead)
			watch_release(b->watch);
		bp_drop(b);
	}
	if (found && !bp_drop(found)) /* deleted while a later one was evaluated */
		found = NULL;
	if (trouble)
		session_note(s, NOTE_WARNING, "%s", trouble);
	free(trouble);
	return found;
}

/* Apart from what is done for watchpoints, so that an instruction without any saves no register. */
struct bp *watch_check(struct session *s, struct hook_thread *t, struct py_frame *f)
{
	return nwatches ? changed_watch(s, t, f) : NULL;
}

void watch_left(struct session *s, struct py_frame *f)
{
	struct bp *b;
	int number;

	for (b = nwatches ? bp_first(s) : NULL; b; b = bp_after(s, number)) {
		number = b->number;
		if (!b->watch || b->watch->frame != f)
			continue;
		session_note(s, NOTE_INFO, "watchpoint %d on '%s' deleted: its frame, '%s', has exited", b->number,
			     b->words, code_name(frame_code(f)));
		bp_delete(s, b);
	}
}

void watch_limits(const struct bp *b, struct buf *out)
{
	const struct digest *d = &b->watch->digest;

	if (!b->watch->bound)
		buf_adds(out, "a name in it has no value yet: it stops once the expression has one\n");
	if (d->cut)
		buf_addf(out, "only the first %d values in it, and %d MiB of elements, are compared\n", DIGEST_PARTS,
			 DIGEST_BYTES >> 20);
	if (*d->unseen)
		buf_addf(out, "not every change inside of a '%s' object is seen\n", d->unseen);
}

const struct code *watch_code(const struct bp *b)
{
	return frame_code(b->watch->frame);
}

struct val *watch_detail(const struct bp *b)
{
	struct val *v = val_map();

	val_put(v, "expression", val_str(b->words));
	val_put(v, "old", val_str(b->watch->old));
	val_put(v, "new", val_str(b->watch->now));
	return v;
}

struct py_obj *watch_object(struct session *s, const struct bp *b, struct err *err)
{
	const struct frame *top = stack_frame(&s->stack, s, 0);
	struct scope sc = { .frame = b->watch->frame };
	struct expr *expr = expr_ref(b->watch->expr);
	struct py_obj *v, *kept; /* owned */

	sc.at_event = top && top->fo == sc.frame;
	sc.kept = kept = stack_kept_in(s, sc.frame, sc.at_event);
	v = expr_eval(expr, &sc, err);
	py_unref(kept);
	expr_unref(expr);
	return v;
}

struct py_obj *watch_take_value(struct bp *b)
{
	struct py_obj *v = py_ref(b->watch->value);

	watch_release(b->watch);
	return v;
}

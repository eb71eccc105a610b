/* SPDX-License-Identifier: BSD-3-Clause */
/* Comprehensions that CPython 3.12 and later write into the function: found among the instructions, and decompiled as
   code of their own.  Knows how they begin and end, and nothing of what is in them. */
#include <Python.h>
#include <string.h>
#include "py/decompile/stack/run.h"

/* ---- where they are ----------------------------------------------------------------------------- */

struct found {
	int loop, loop_end; /* FOR_ITER, after END_FOR */
	int end;	    /* after all of it */
	int result;	    /* what takes the list before the variables get their old values; -1 */
	bool takes, pair;   /* GET_ITER is a part of it; and it leaves two entries */
	enum dop kind;
	PyObject *own[16];
	bool cell[16];
	int nown;
};

static int skip_nops(struct dec *d, int i)
{
	while (i < d->n && d->ins[i].op == D_NOP)
		i++;
	return i;
}

static bool is_op(struct dec *d, int i, enum dop op, int arg)
{
	return i < d->n && d->ins[i].op == op && d->ins[i].arg == arg;
}

static bool is_own(const struct found *f, PyObject *name)
{
	int i;

	for (i = 0; i < f->nown; i++)
		if (f->own[i] == name)
			return true;
	return false;
}

/* The variables' old values are restored from i on: the index after that, -1: they are not. */
static int put_back(struct dec *d, int i, struct found *f)
{
	int k;

	for (k = 0; k < f->nown; k++, i++)
		if (i >= d->n || d->ins[i].op != D_STORE_FAST || !is_own(f, d->ins[i].obj))
			return -1;
	return i;
}

/* Within a handler, what puts the variables back if the loop raises comes right after the loop, and is jumped over. */
static int past_handler(struct dec *d, int i, const struct found *f)
{
	int k;

	if (i >= d->n || d->ins[i].op != D_JUMP || d->ins[i].target <= i)
		return i;
	for (k = i + 1; k < d->ins[i].target; k++)
		if (d->ins[k].op != D_SWAP && d->ins[k].op != D_POP && d->ins[k].op != D_RERAISE &&
		    d->ins[k].op != D_NOP && !(d->ins[k].op == D_STORE_FAST && is_own(f, d->ins[k].obj)))
			return i;
	return d->ins[i].target;
}

static void note_cell(struct found *f, const struct ins *in)
{
	int i;

	for (i = 0; i < f->nown; i++)
		f->cell[i] = f->cell[i] || (in->text && !strcmp(in->text, "cell") && in->obj == f->own[i]);
}

static bool found_at(struct dec *d, int i, struct found *f)
{
	int k;

	f->nown = 0;
	f->result = -1;
	for (; i < d->n && (d->ins[i].op == D_FAST_CLEAR || d->ins[i].op == D_NOP); i++)
		if (d->ins[i].op == D_FAST_CLEAR) {
			if (f->nown == 16)
				return false;
			f->cell[f->nown] = false;
			f->own[f->nown++] = d->ins[i].obj;
		} else {
			note_cell(f, &d->ins[i]);
		}
	if (!is_op(d, i, D_SWAP, f->nown + 1))
		return false;
	i = skip_nops(d, i + 1);
	if (!is_op(d, i, D_LIST, 0) && !is_op(d, i, D_SET, 0) && !is_op(d, i, D_MAP, 0))
		return false;
	f->kind = d->ins[i].op;
	i = skip_nops(d, i + 1);
	if (!is_op(d, i, D_SWAP, 2))
		return false;
	i = skip_nops(d, i + 1);
	f->takes = i < d->n && d->ins[i].op == D_GET_ITER;
	if (f->takes)
		i = skip_nops(d, i + 1);
	f->pair = f->takes && is_op(d, i, D_NULL, 0);
	f->loop = i = f->pair ? skip_nops(d, i + 1) : i;
	if (i >= d->n || d->ins[i].op != D_FOR_ITER || d->ins[i].target <= i)
		return false;
	k = d->ins[i].target;
	if (k >= d->n || d->ins[k].op != D_END_FOR)
		return false;
	k += 1 + d->ins[k].arg;
	f->loop_end = k;
	k = past_handler(d, k, f);
	if (is_op(d, k, D_SWAP, f->nown + 1)) {
		f->end = put_back(d, k + 1, f);
		return f->end >= 0;
	}
	/* the optimizer has put what takes the list first */
	if (k >= d->n || (d->ins[k].op != D_STORE_FAST && d->ins[k].op != D_POP) ||
	    (d->ins[k].op == D_STORE_FAST && is_own(f, d->ins[k].obj)))
		return false;
	f->result = k;
	f->end = put_back(d, k + 1, f);
	return f->end >= 0;
}

/* Jumps within the loop stay there. */
static bool closed(struct dec *d, const struct found *f)
{
	int i;

	for (i = f->loop; i < f->loop_end; i++)
		if (d->ins[i].target >= 0 && (d->ins[i].target < f->loop || d->ins[i].target >= f->loop_end))
			return false;
	return true;
}

/* A cell of the function that is not a cell in the comprehension is loaded as its value. */
static void own_values(struct part *p, const struct found *f)
{
	int i, k;

	for (i = 0; i < p->n; i++)
		for (k = 0; p->ins[i].op == D_CLOSURE && k < f->nown; k++)
			if (p->ins[i].obj == f->own[k] && !f->cell[k]) {
				p->ins[i].op = D_FAST;
				break;
			}
}

/* A global that the comprehension assigns is saved as if it were a variable of it, and no instruction uses that. */
static bool assigns_global(const struct part *p, PyObject *name)
{
	bool stored = false;
	int i;

	for (i = 0; i < p->n; i++) {
		if (p->ins[i].obj == name &&
		    (p->ins[i].op == D_FAST || p->ins[i].op == D_DELETE_FAST || p->ins[i].op == D_CLOSURE))
			return false;
		stored = stored || (p->ins[i].op == D_STORE_GLOBAL && !PyUnicode_Compare(p->ins[i].obj, name));
	}
	return stored;
}

static struct part *make_part(struct dec *d, const struct found *f)
{
	struct part *p = dec_alloc(d, sizeof(*p));
	int i;

	p->n = f->loop_end - f->loop + 1;
	p->kind = f->kind;
	p->takes = f->takes;
	p->pair = f->pair;
	p->ins = dec_alloc(d, (size_t)(p->n + 1) * sizeof(*p->ins));
	dec_copy(p->ins, d->ins + f->loop, (size_t)(p->n - 1) * sizeof(*p->ins));
	for (i = 0; i < p->n - 1; i++)
		p->ins[i].target -= p->ins[i].target >= 0 ? f->loop : 0;
	p->ins[i] = (struct ins){ .op = D_RETURN, .target = -1, .index = d->ins[f->loop_end - 1].index };
	own_values(p, f);
	p->own = dec_alloc(d, (size_t)(f->nown + 1) * sizeof(*p->own));
	for (i = 0; i < f->nown; i++)
		if (!assigns_global(p, f->own[i]))
			p->own[p->nown++] = f->own[i];
	return p;
}

/* What an exception or a jump leads to. */
static uint8_t *led_to(struct dec *d)
{
	uint8_t *at = dec_alloc(d, (size_t)d->n + 1);
	int i;

	for (i = 0; i < d->nexcept; i++)
		at[d->except[i].target] = 1;
	for (i = 0; i < d->n; i++)
		if (d->ins[i].target >= 0)
			at[d->ins[i].target] = 1;
	return at;
}

/* Where what puts the variables back if a loop raises ends, which began at i: nothing leads there now.  -1: something
   else is there. */
static int drop_handler(struct dec *d, int i)
{
	int k;

	if (i < 1 || (d->ins[i - 1].op != D_JUMP && !dec_ends(d->ins[i - 1].op)))
		return -1;
	for (k = i; k < d->n && d->ins[k].op != D_RERAISE; k++)
		if (d->ins[k].op != D_STORE_FAST && d->ins[k].op != D_SWAP && d->ins[k].op != D_POP &&
		    d->ins[k].op != D_NOP)
			return -1;
	for (; i < k; i++)
		if (d->ins[i].op == D_STORE_FAST)
			d->ins[i].op = D_NOP;
	return k;
}

/* All of them: each may have been the only one that led to the next. */
static void drop_handlers(struct dec *d, uint8_t *at)
{
	struct except *e, *keep;
	const uint8_t *led;
	bool changed = true;
	int i, end;

	while (changed) {
		changed = false;
		led = led_to(d);
		dec_poll();
		for (i = 0; i < d->n; i++) {
			end = at[i] && !led[i] ? drop_handler(d, i) : -1;
			if (end < 0)
				continue;
			at[i] = 0;
			for (e = keep = d->except; e < d->except + d->nexcept; e++)
				if (e->start < i || e->end > end + 1)
					*keep++ = *e;
			changed = changed || keep != e;
			d->nexcept = (int)(keep - d->except);
		}
	}
}

static void move_ranges(struct dec *d, const int *to, const uint8_t *within)
{
	struct except *e, *keep = d->except;
	const struct except *end = d->except + d->nexcept;
	uint8_t *dropped = dec_alloc(d, (size_t)d->n + 1);

	for (e = d->except; e < end; e++) {
		if (within[e->start] && within[e->end] && to[e->start] == to[e->end]) {
			dropped[to[e->target]] = 1; /* what puts the variables back if the loop raises */
			continue;
		}
		*keep = *e;
		keep->start = to[e->start];
		keep->end = to[e->end] + within[e->end];
		keep->target = to[e->target];
		keep++;
	}
	d->nexcept = (int)(keep - d->except);
	drop_handlers(d, dropped);
}

void part_find(struct dec *d)
{
	int *to = NULL, i, k, n = 0;
	uint8_t *within = NULL;
	struct found f;

	for (i = 0; i < d->n && d->ins[i].op != D_FAST_CLEAR; i++)
		;
	if (i == d->n)
		return;
	to = dec_alloc(d, (size_t)(d->n + 1) * sizeof(*to));
	within = dec_alloc(d, (size_t)d->n + 1);
	for (i = 0; i < d->n;) {
		if (d->ins[i].op != D_FAST_CLEAR || !found_at(d, i, &f) || !closed(d, &f)) {
			to[i] = n;
			d->ins[n++] = d->ins[i++];
			continue;
		}
		struct part *p = make_part(d, &f);

		for (k = i; k < f.end; k++) {
			to[k] = n;
			within[k] = k > i;
		}
		d->ins[n++] = (struct ins){
			.op = D_COMPREHENSION, .target = -1, .index = d->ins[f.loop].index, .part = p
		};
		if (f.result >= 0)
			d->ins[n++] = d->ins[f.result];
		i = f.end;
	}
	to[d->n] = n;
	d->n = n;
	for (i = 0; i < n; i++)
		if (d->ins[i].target >= 0)
			d->ins[i].target = to[d->ins[i].target];
	move_ranges(d, to, within);
}

/* ---- what they are ------------------------------------------------------------------------------ */

static const char *brackets(const struct part *p)
{
	return p->kind == D_LIST ? "[]" : "{}";
}

/* The statements of the loop, which fill `list` and read `iterable`; false: d->why. */
static bool loop_statements(struct dec *d, struct part *p, struct item *list, struct item *iterable, struct body *out)
{
	struct item null = { .kind = I_NULL, .pure = true };
	struct dec outer = *d;
	struct item *stack[3] = { list, iterable, &null };
	jmp_buf trap;
	volatile bool done = false;

	d->ins = dec_alloc(d, (size_t)(p->n + 1) * sizeof(*d->ins));
	dec_copy(d->ins, p->ins, (size_t)p->n * sizeof(*d->ins));
	d->n = p->n;
	d->nexcept = 0;
	d->made.part = outer.made.part ? outer.made.part : p;
	d->trap = &trap;
	if (!setjmp(trap)) {
		d->steps->statements(d, stack, 2 + p->pair, out);
		done = true;
	}
	d->ins = outer.ins;
	d->n = outer.n;
	d->made.part = outer.made.part;
	d->except = outer.except;
	d->nexcept = outer.nexcept;
	d->block = outer.block;
	d->nblock = outer.nblock;
	d->entered = outer.entered;
	d->nentered = outer.nentered;
	d->entered_cap = outer.entered_cap;
	d->trap = outer.trap;
	return done;
}

static void rename_expr(struct dec *d, struct expr *e, const struct part *p, struct temp **t)
{
	int i;

	dec_deep();
	if (!e)
		return;
	if (e->kind == E_LAMBDA || e->kind == E_COMPREHENSION)
		dec_refuse(d, e->index, "a function within a comprehension that is not an expression");
	for (i = 0; e->kind == E_NAME && i < p->nown; i++)
		if (e->obj == p->own[i]) {
			e->kind = E_TEMP;
			e->temp = t[i];
			return;
		}
	for (i = 0; i < e->n; i++)
		rename_expr(d, e->kid[i], p, t);
}

static void rename_body(struct dec *d, struct body *b, const struct part *p, struct temp **t)
{
	struct stmt *s;

	dec_deep();
	for (s = b->first; s; s = s->next) {
		if (s->kind == S_DEF)
			dec_refuse(d, s->from, "a function within a comprehension that is not an expression");
		rename_expr(d, s->target, p, t);
		rename_expr(d, s->value, p, t);
		rename_body(d, &s->body, p, t);
		rename_body(d, &s->other, p, t);
		rename_body(d, &s->last, p, t);
	}
}

/* As a loop: its variables get other names, since the function's own keep their values. */
static void as_loop(struct run *r, struct part *p, struct item *iterable)
{
	struct dec *d = r->d;
	struct temp *list = dec_temp(d), **t = dec_alloc(d, (size_t)(p->nown + 1) * sizeof(*t));
	struct item *item;
	struct body b;
	struct stmt *s, **at;
	int i;

	run_flush(r, &iterable, 1);
	run_stmt(r, S_ASSIGN, dec_temp_use(d, list),
		 dec_expr(d, E_CALL, NULL, 1,
			  dec_builtin(d, p->kind == D_LIST ? "list" :
					 p->kind == D_SET  ? "set" :
							     "dict")));
	item = run_item(r, I_VALUE, dec_temp_use(d, list), true);
	dec_body_init(&b);
	if (!loop_statements(d, p, item, iterable, &b))
		longjmp(*d->trap, 1);
	for (i = 0; i < p->nown; i++) {
		t[i] = dec_temp(d);
		t[i]->hint = PyUnicode_AsUTF8(p->own[i]);
	}
	rename_body(d, &b, p, t);
	for (at = &b.first; *at && (*at)->next; at = &(*at)->next)
		;
	s = *at;
	if (!s || s->kind != S_RETURN)
		dec_refuse(d, r->index, "a comprehension that does not end");
	*at = NULL;
	b.end = at;
	dec_body_add(&r->out, &b);
	run_push(r, dec_temp_use(d, list), true);
}

/* Variables of the function that it assigns: entries that read one keep the value that it had before. */
static void part_written(struct run *r, const struct part *p)
{
	int i, k;

	for (i = 0; i < p->n; i++) {
		if (p->ins[i].op != D_STORE_FAST)
			continue;
		for (k = 0; k < p->nown && p->own[k] != p->ins[i].obj; k++)
			;
		if (k < p->nown)
			continue;
		walrus_settle(r, p->ins[i].obj);
		run_written(r, p->ins[i].obj);
	}
}

void part_run(struct run *r, const struct ins *in)
{
	struct dec *d = r->d;
	struct part *p = in->part;
	struct item *iterable = run_pop(r), *list;
	struct body b;
	struct expr *of = NULL;

	if (!p->takes && iterable->kind != I_ITERABLE)
		dec_refuse(d, r->index, "a comprehension whose iterable is not known");
	part_written(r, p);
	if (!p->e && !p->failed) {
		list = run_item(r, I_VALUE, dec_temp_use(d, dec_temp(d)), true);
		of = dec_expr(d, E_CALL, NULL, 2, dec_builtin(d, "iter"), dec_none(d));
		dec_body_init(&b);
		if (loop_statements(d, p, list, run_item(r, I_ITERABLE, of, true), &b))
			p->e = comprehension_of(d, &b, brackets(p));
		p->failed = !p->e;
	}
	if (p->failed) {
		as_loop(r, p, iterable);
		return;
	}
	of = run_use(r, &iterable, 1)[0];
	run_push(r, comprehension_close(d, p->e, iterable->kind == I_ITERABLE ? of->kid[1] : of), false);
}

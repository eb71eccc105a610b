/* SPDX-License-Identifier: BSD-3-Clause */
/* The passes of the decompiler, in the order in which they run, and what runs them.  README.md in this folder shows
   what each takes and gives. */
#include <Python.h>
#include <stdio.h>
#include <string.h>
#include "py/asm/asm_impl.h"
#include "py/decompile/shape/shape.h"
#include "py/decompile/stack/definitions.h"
#include "py/decompile/text/print.h"
#include "py/decompile/tidy/read.h"

enum { RETRIES = 60, RETRIED_SIZE = 4000 };

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* for_people: only of generated code, in text that is only read.  The two passes of resume functions look for text that
   is only read by themselves: it may be of a resume function that is not generated. */
struct code_pass {
	const char *name;
	void (*run)(struct dec *d);
	bool for_people;
};

struct text_pass {
	const char *name;
	void (*run)(struct dec *d, struct body *b);
	bool for_people;
};

/* Of each code object, those within it included: its instructions, before there are blocks. */
/* clang-format off */
static const struct code_pass on_instructions[] = {
	{ "decode",		dec_decode,		false },
	{ "unread_stores",	unread_stores_drop,		true },
	{ "resumed_with",	resumed_with_find,		false },
	{ "or_pops",		decode_or_pops,		false },
	{ "copied_ends",	copied_ends_join,		false },
	{ "builtin_loops",	builtin_loops_find,		false },
	{ "compare_chains",	compare_chains_find,		false },
	{ "inlined_comp",	part_find,		false },
};
/* clang-format on */

/* Then flow_build() makes blocks, and shape_code() statements of them, with the symbolic stack (run_code()).  Of the
   statements of each code object: */
static const struct text_pass on_statements[] = {
	{ "raise_check", raise_check_find, false },
	{ "jump_begin", shape_begin, false },
};

/* Of the whole text, once. */
static const struct text_pass on_text[] = {
	{ "statements", statements_body, false },
	{ "resumed_values", resumed_with_tidy, false },
	{ "jump_reset", jump_reset_tidy, false },
	{ "assert", assert_tidy, false },
	{ "comp_name", comprehension_name, false },
	{ "while_continues", while_continues, false },
	{ "elif", statements_chain_else, false },
	{ "count", statements_count, false },
	{ "reader", read_begin, true },
	{ "arms", read_arms, true },
	{ "fixed_values", read_move_fixed, true },
	{ "library_calls", read_calls, true },
	{ "cell_names", read_cells, true },
	{ "values", read_move, true },
	{ "methods", read_methods, true },
	{ "contexts", read_contexts, true },
	{ "user_names", read_known, true },
	{ "setters", read_setters, true },
	{ "variable_names", read_own_names, true },
	{ "library_names", read_names, true },
	{ "functools_wraps", read_wrapped, true },
	{ "count_again", statements_count, true },
};

/* ---- a function's statements -------------------------------------------------------------------- */

static void instructions(struct dec *d)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(on_instructions); i++)
		if (!on_instructions[i].for_people || dec_only_generated(d))
			on_instructions[i].run(d);
}

/* Blocks of the instructions in d->ins, and statements of these by the symbolic stack. */
static void statements(struct dec *d, struct item *const *stack, int n, struct body *out)
{
	part_find(d);
	flow_build(d);
	shape_code(d, stack, n, out);
}

static void attempt(struct dec *d, struct function *f)
{
	int flags = ((PyCodeObject *)f->code->co)->co_flags;
	size_t i;

	d->c = f->code;
	f->globals = PySet_New(NULL);
	f->nonlocals = PySet_New(NULL);
	if (!f->globals || !f->nonlocals || PyList_Append(d->bound, f->globals) < 0 ||
	    PyList_Append(d->bound, f->nonlocals) < 0) {
		PyErr_Clear();
		dec_refuse(d, -1, "out of memory");
	}
	Py_DECREF(f->globals); /* d->bound has them */
	Py_DECREF(f->nonlocals);
	d->globals = f->globals;
	d->nonlocals = f->nonlocals;
	dec_body_init(&f->body);
	if (!(flags & CO_OPTIMIZED) && !d->depth)
		dec_refuse(d, -1, "the code of a class or a module");
	instructions(d);
	if (d->stretches)
		stretch_apply(d);
	d->made.all = d->ins;
	d->made.nall = d->n;
	d->made.part = NULL;
	d->jumps.ntests = d->jumps.ndecisions = 0;
	d->jumps.next = NULL;
	statements(d, NULL, 0, &f->body);
	for (i = 0; i < ARRAY_LEN(on_statements); i++)
		on_statements[i].run(d, &f->body);
}

/* false: it is refused; d->why. */
static bool tried(struct dec *d, struct function *f)
{
	jmp_buf trap, *before = d->trap;
	struct temp *const temps = d->temps;
	const int ntemps = d->ntemps;

	d->trap = &trap;
	if (!setjmp(trap)) {
		attempt(d, f);
		d->trap = before;
		return true;
	}
	d->trap = before;
	d->temps = temps;
	d->ntemps = ntemps;
	return false;
}

/* Some jumps of the text are expressed by no statement: choose, among texts that mean the same and within limited time,
   the one with the fewest of them. */
static void fewer_jumps(struct dec *d, struct function *f)
{
	struct function other = { .code = f->code };
	const int work = d->work;
	int i, n = d->jumps.ndecisions, least = d->jumps.ntests;
	uint64_t best = 0;

	for (i = 0; i < n && i < 64 && least && d->jumps.nretries < RETRIES && d->n < RETRIED_SIZE; i++) {
		struct temp *temps = d->temps;
		int ntemps = d->ntemps;

		d->jumps.nretries++;
		d->jumps.turned = best ^ (uint64_t)1 << i;
		if (tried(d, &other) && d->jumps.ntests < least) {
			best = d->jumps.turned;
			least = d->jumps.ntests;
			n = d->jumps.ndecisions;
			*f = other;
		} else {
			d->temps = temps;
			d->ntemps = ntemps;
		}
		other = (struct function){ .code = f->code };
		d->work = work;
	}
	d->jumps.turned = 0;
	d->jumps.ntests = least;
}

/* Where a class statement does not fit it is a call; what is refused then becomes bytecode within the text, as long as
   there is a stretch of it. */
static void dec_function(struct dec *d, struct function *f)
{
	d->stretches = NULL;
	d->made.ntries = 0;
	d->made.class = d->made.raw_class = false;
	d->made.finally = false;
	d->made.raw_finally = d->copies.keep;
	d->jumps.turned = 0;
	if (!d->depth)
		d->copies.same = NULL;
	while (!tried(d, f)) {
		if (!d->depth)
			d->copies.same = NULL;
		if (d->made.finally && !d->made.raw_finally)
			d->made.raw_finally = true;
		else if (d->made.class && !d->made.raw_class)
			d->made.raw_class = true;
		else if (!d->partial || !stretch_add(d))
			longjmp(*d->trap, 1);
	}
	if (d->jumps.ntests)
		fewer_jumps(d, f);
}

const struct dec_steps passes_steps = {
	.instructions = instructions,
	.statements = statements,
	.nested = dec_function,
	.join = statements_body,
	.count = statements_count,
};

/* ---- the text ----------------------------------------------------------------------------------- */

static void text_passes(struct dec *d, struct body *b)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(on_text); i++)
		if (!on_text[i].for_people || dec_only_read(d))
			on_text[i].run(d, b);
}

static void generator_expression(struct work *w)
{
	struct dec *d = &w->d;
	struct expr *e = d->stretches ? NULL : comprehension_of(d, &w->f.body, "()");

	if (!e)
		dec_refuse(d, -1, "a generator expression that can only be written as a loop");
	e = comprehension_close(d, e,
				dec_name(d, PyTuple_GET_ITEM(((PyCodeObject *)w->f.code->co)->co_localsplusnames, 0)));
	dec_body_init(&w->f.body);
	dec_stmt(&w->f.body, d, S_RETURN, NULL, e, e->index);
}

static bool text_made(struct work *w, const char *name)
{
	struct code *c = w->f.code;
	struct dec *volatile before;
	jmp_buf trap;
	int i;
	volatile bool around = false;

	code_decode(c);
	for (i = 0; i < code_nlocals(c); i++)
		around = around || (w->p.whole && !w->p.bare && code_local_kind(c, i) == LOCAL_FREE);
	w->d.trap = &trap;
	before = dec_guard(&w->d);
	if (setjmp(trap)) {
		dec_guard(before);
		w->interrupted = dec_ended();
		if (w->interrupted) /* a later reason may be there: of something else that was tried */
			snprintf(w->d.why, sizeof(w->d.why), "interrupted");
		return false;
	}
	dec_function(&w->d, &w->f);
	if (print_within(c))
		generator_expression(w);
	text_passes(&w->d, &w->f.body);
	if (!w->p.whole) {
		if (w->d.style->function)
			w->f.doc = literal_doc_of_function((PyObject *)w->d.style->function);
		last_return_drop(&w->f);
	}
	if (w->d.style->function)
		default_items(&w->d, &w->f, (PyObject *)w->d.style->function);
	temp_names_give(&w->d, c);
	print_function(&w->p, &w->f, name, around);
	if (w->p.too_deep)
		dec_refuse(&w->d, -1, "an expression or statement that is nested too deeply");
	dec_poll();
	dec_guard(before);
	return true;
}

bool work_text(struct work *w, const char *name)
{
	if (text_made(w, name))
		return true;
	if (w->interrupted || !w->d.copies.left_out || w->text.len)
		return false;
	w->d.copies.keep = true; /* what is refused may be what finally clauses would have to be */
	w->d.c = w->f.code;
	w->d.temps = NULL;
	w->d.outer = NULL;
	w->d.ntemps = w->d.depth = w->d.work = 0;
	return text_made(w, name);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of a crash as text for a person.  Async-signal-safe, and also for the process beside the program. */
#include "py/crash/crash.h"
#include <signal.h>
#include <string.h>
#include "base/signame.h"

struct writer {
	void (*put)(void *arg, const char *s, size_t n);
	void *arg;
};

static void put_text(const struct writer *w, const char *s)
{
	w->put(w->arg, s, strlen(s));
}

static void put_number(const struct writer *w, unsigned long n, unsigned base)
{
	char digits[32], *p = digits + sizeof(digits);

	do
		*--p = "0123456789abcdef"[n % base];
	while (n /= base);
	w->put(w->arg, p, (size_t)(digits + sizeof(digits) - p));
}

static void put_spaces(const struct writer *w, int n)
{
	while (n-- > 0)
		put_text(w, " ");
}

/* "prog.py:12" */
static void put_place(const struct writer *w, const char *file, int line)
{
	put_text(w, *file ? file : "?");
	put_text(w, ":");
	put_number(w, line > 0 ? (unsigned long)line : 0, 10);
}

static const char *fault_reason(const struct crash *c)
{
	switch (c->signal) {
	case SIGSEGV:
		return c->code == SEGV_MAPERR ? ": no memory at address " :
		       c->code == SEGV_ACCERR ? ": no access to the memory at address " :
						NULL;
	case SIGBUS:
		return c->code == BUS_ADRERR ? ": nothing is behind the memory at address " :
		       c->code == BUS_ADRALN ? ": wrong alignment at address " :
					       NULL;
	case SIGFPE:
	case SIGILL:
		return c->code > 0 ? ": at machine instruction " : NULL;
	}
	return NULL;
}

static void put_head(const struct writer *w, const struct crash *c)
{
	const char *why = fault_reason(c), *name = signame_name(c->signal);

	put_text(w, "cdbg: the program crashed by ");
	put_text(w, name ? name : "a signal");
	if (why) {
		put_text(w, why);
		put_text(w, "0x");
		put_number(w, c->address, 16);
	} else if (c->sender && c->sender != c->pid) {
		put_text(w, ", which process ");
		put_number(w, (unsigned long)c->sender, 10);
		put_text(w, " sent");
	}
	if (c->nthreads && !c->thread[0].died)
		put_text(w, "; it came in a thread of a library, not of Python");
	put_text(w, "\n");
}

/* "offset 24 CALL 1, makes y" */
static void put_instruction(const struct writer *w, const struct crash *c, const struct crash_frame *f)
{
	if (f->offset < 0) {
		put_text(w, "before its first instruction");
		return;
	}
	put_text(w, "offset ");
	put_number(w, (unsigned long)f->offset, 10);
	put_text(w, " ");
	put_text(w, crash_string(c, f->op));
	if (f->arg >= 0) {
		put_text(w, " ");
		put_number(w, (unsigned long)f->arg, 10);
	}
	if (f->makes) {
		put_text(w, ", makes ");
		put_text(w, crash_string(c, f->makes));
	}
}

/* "node sin, model.py:12"; false: there is no note. */
static bool put_note(const struct writer *w, const struct crash *c, const struct crash_frame *f, const char *before)
{
	if (!f->what && !f->title)
		return false;
	put_text(w, before);
	put_text(w, crash_string(c, f->title));
	if (f->what) {
		put_text(w, f->title ? ": " : "");
		put_text(w, crash_string(c, f->what));
		put_text(w, " ");
		put_text(w, crash_string(c, f->name));
	}
	if (f->user_line) {
		put_text(w, ", ");
		put_place(w, f->user ? crash_string(c, f->user) : crash_string(c, f->file), f->user_line);
	}
	return true;
}

static void put_values(const struct writer *w, const struct crash *c, const struct crash_frame *f)
{
	int i;

	for (i = 0; i < f->nslots; i++) {
		put_text(w, i ? ", " : "    value stack, lowest first: ");
		put_text(w, crash_string(c, c->value[f->first_slot + i].kind));
	}
	if (f->nslots > 0)
		put_text(w, "\n");
	for (i = 0; i < f->nlocals; i++) {
		put_text(w, i ? ", " : "    variables: ");
		put_text(w, crash_string(c, c->value[f->first_local + i].name));
		put_text(w, " ");
		put_text(w, crash_string(c, c->value[f->first_local + i].kind));
	}
	if (f->nlocals)
		put_text(w, "\n");
}

static void put_frame(const struct writer *w, const struct crash *c, const struct crash_frame *f, long number)
{
	put_text(w, "  #");
	put_number(w, (unsigned long)number, 10);
	put_spaces(w, number < 10 ? 3 : number < 100 ? 2 : 1);
	put_text(w, crash_string(c, f->function));
	put_text(w, "  ");
	put_place(w, crash_string(c, f->file), f->line);
	put_text(w, "  ");
	put_instruction(w, c, f);
	put_text(w, "\n");
	if (put_note(w, c, f, "    "))
		put_text(w, "\n");
	put_values(w, c, f);
}

static void put_thread(const struct writer *w, const struct crash *c, const struct crash_thread *t)
{
	long number = 0;
	int i;

	put_text(w, "thread ");
	put_number(w, t->ident, 10);
	put_text(w, t->died ? ", in which it crashed" : t->had_gil ? ", which has or had the GIL" : "");
	put_text(w, t->inner ? ", of a sub-interpreter" : "");
	put_text(w, t->nframes ? ":\n" : ": no frames\n");
	for (i = 0; i < t->nframes; i++) {
		const struct crash_frame *f = &c->frame[t->first + i];

		if (f->skipped) {
			put_text(w, "  ... ");
			put_number(w, (unsigned long)f->skipped, 10);
			put_text(w, " frames\n");
		}
		number += f->skipped;
		put_frame(w, c, f, number++);
	}
	if (number < t->total) {
		put_text(w, "  ... ");
		put_number(w, (unsigned long)(t->total - number), 10);
		put_text(w, " frames\n");
	}
}

/* The innermost frame, and the innermost one with a note: what most people look for. */
static void put_where(const struct writer *w, const struct crash *c)
{
	const struct crash_thread *t = &c->thread[0];
	int i;

	for (i = t->first; i < t->first + t->nframes; i++)
		if (put_note(w, c, &c->frame[i], "  in "))
			break;
	if (i < t->first + t->nframes)
		put_text(w, "\n");
}

void crash_text(const struct crash *c, void (*put)(void *arg, const char *s, size_t n), void *arg)
{
	struct writer w = { put, arg };
	int i;

	put_head(&w, c);
	if (c->nthreads)
		put_where(&w, c);
	for (i = 0; i < c->nthreads; i++)
		put_thread(&w, c, &c->thread[i]);
	if (c->incomplete)
		put_text(&w, "  (the interpreter's memory is damaged: the rest cannot be read)\n");
}

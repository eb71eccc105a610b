/* SPDX-License-Identifier: BSD-3-Clause */
/* The entries that [ENTRY|FUNC] behind a view or a command means.  Knows no view. */
#include "guards.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void add(struct picked *out, struct entry *e)
{
	out->entry = host->mem_grow(out->entry, &out->cap, (size_t)out->n + 1, sizeof(*out->entry));
	out->entry[out->n++] = e;
}

static void add_of(struct picked *out, const struct func *f)
{
	struct entry *e;

	for (e = model_entries; e; e = e->next)
		if (e->func == f)
			add(out, e);
}

void pick_function(const struct func *f, struct picked *out)
{
	out->n = 0;
	add_of(out, f);
}

/* The entry whose generated code the selected frame runs, or all of the function that it is of. */
static void add_selected(struct picked *out)
{
	struct compiling *top = compiling_top();
	struct err err = { "" };
	struct py_frame *frame;
	struct code *c;
	struct entry *e;
	struct func *f;
	int index;

	if (host->selected(&frame, &c, &index, &err) < 0)
		return;
	e = c ? model_entry((PyCodeObject *)c->co) : NULL;
	f = c ? model_func((PyCodeObject *)c->co, false) : !frame && top ? top->func : NULL;
	if (e)
		add(out, e);
	else if (f)
		add_of(out, f);
	if (c)
		Py_DECREF((PyObject *)c->co);
	Py_XDECREF((PyObject *)frame);
}

static bool is_id(const char *words)
{
	return isdigit((unsigned char)*words);
}

bool pick_known(const char *words)
{
	struct func *f = model_funcs;

	while (f && !places_func_is(f, words))
		f = f->next;
	return !*words || f || model_entry_named(words);
}

/* "no entry '7/7': there are 0/0, 0/1" */
static int no_entry(const char *words, struct err *err)
{
	struct buf ids = { 0 };
	struct entry *e;
	int n = 0;

	for (e = model_entries; e && n < 20; e = e->next, n++)
		host->buf_addf(&ids, "%s%s", n ? ", " : "", e->id);
	if (!n)
		host->err_set(err, "no entry '%s': nothing is compiled yet", words);
	else
		host->err_set(err, "no entry '%s': there %s %s%s", words, n == 1 ? "is" : "are", ids.s,
			      e ? " and more, see 'info entries'" : "");
	host->buf_release(&ids);
	return -1;
}

int pick_none(const char *words, struct err *err)
{
	struct buf names = { 0 };
	struct func *f;
	int n = 0;

	if (is_id(words))
		return no_entry(words, err);
	if (!strncmp(words, "code@", 5))
		return host->err_set(err, "Dynamo has not looked at this function: call it first");
	for (f = model_funcs; f; f = f->next)
		if (f->looked && !strncmp(f->name, words, strlen(words)) && n++ < 8)
			host->buf_addf(&names, "%s%s", n > 1 ? ", " : "", f->name);
	if (n)
		host->err_set(err, "no function '%s': it may be %s%s", words, names.s, n > 8 ? ", ..." : "");
	else
		host->err_set(err, "Dynamo has looked at no function '%s': %s", words,
			      model_funcs ? "'info compiled' lists those it has" : "nothing is compiled yet");
	host->buf_release(&names);
	return -1;
}

/* Of a function that Dynamo left as it is: why. */
static int none(const char *words, struct err *err)
{
	struct func *f;

	for (f = model_funcs; f && !(f->looked && places_func_is(f, words)); f = f->next)
		;
	return !f ? pick_none(words, err) :
	       host->err_set(err, "'%s' has no entries: %s", f->name,
			     f->reason ? f->reason : "nothing of it is compiled");
}

int pick_entries(const char *words, struct picked *out, struct err *err)
{
	struct entry *e;

	memset(out, 0, sizeof(*out));
	e = *words ? model_entry_named(words) : NULL;
	if (e) {
		add(out, e);
		return 0;
	}
	if (!*words)
		add_selected(out);
	for (e = model_entries; e && !is_id(words); e = e->next)
		if (*words && places_func_is(e->func, words))
			add(out, e);
	if (!*words && !out->n)
		for (e = model_entries; e; e = e->next)
			add(out, e);
	if (*words && !out->n) {
		free(out->entry);
		return none(words, err);
	}
	return 0;
}

void pick_complete(struct session *s, const char *words, const char *word, struct val *list)
{
	const struct entry *e;
	const struct func *f;

	(void)s;
	(void)word;
	if (strchr(words, ' '))
		return;
	for (e = model_entries; e; e = e->next)
		host->val_push(list, host->val_str(e->id));
	for (f = model_funcs; f; f = f->next)
		if (f->looked)
			host->val_push(list, host->val_str(f->name));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry that a command edits: given by its id, the only one of a function or resume function, or that of the
   selected frame. */
#include "code/dynamo_code.h"
#include "code/select.h"
#include "edit/dynamo_edit.h"
#include "guards/guard_why.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "model/qualname.h"
#include <stdlib.h>
#include <string.h>

/* A function means its entry if it has one, clones aside: its own before those of its resume functions.  NULL with
   err. */
static struct entry *only_entry(const char *func, struct err *err)
{
	enum { MOST = 20 };
	struct entry *e, *only = NULL, *own = NULL;
	struct selection meant;
	struct buf ids = { 0 };
	int n = 0, nown = 0;

	if (select_find(func, &meant, err) < 0) {
		err_set(err, "no entry '%s': 'info entries' lists them", func);
		return NULL;
	}
	for (e = model_entries; e && !meant.id; e = e->next) {
		if (!e->co || e->edit.clone || !select_has_entry(&meant, e))
			continue;
		only = e;
		if (++n <= MOST)
			buf_addf(&ids, "%s%s", n > 1 ? ", " : "", e->id);
		if (!e->func->root) {
			own = e;
			nown++;
		}
	}
	select_release(&meant);
	if (n > 1 && nown == 1)
		only = own;
	else if (n > 1)
		err_set(err, "'%s' has %d entries: name one of %s%s", func, n, ids.s, n > MOST ? ", ..." : "");
	else if (!n)
		err_set(err, "'%s' has no entry: 'info entries' lists them", func);
	buf_release(&ids);
	return n == 1 || nown == 1 ? only : NULL;
}

int edit_lives(struct entry *e, struct err *err)
{
	char *why;

	if (e->end)
		return err_set(err, "the program has ended, and entry '%s' with it: 'restart' runs the program again",
			       e->id);
	if (e->co && e->func->co && strcmp(model_state(e), "invalidated"))
		return 0;
	why = why_gone(e);
	if (strchr(e->id, '+'))
		err_set(err, "entry '%s' no longer exists: %s; 'entry clone' copies an entry that exists", e->id, why);
	else if (e->func->co)
		err_set(err,
			"entry '%s' no longer exists: %s; the next call of '%s' compiles a new one, see 'info "
			"entries'",
			e->id, why, e->func->name);
	else
		err_set(err, "entry '%s' and its function no longer exist: %s; 'info entries' lists the entries", e->id,
			why);
	free(why);
	return -1;
}

struct entry *edit_entry(const char *name, struct err *err)
{
	struct entry *e;

	if (!*name) {
		err_set(err, "missing entry: 'info entries' lists them");
		return NULL;
	}
	e = model_entry_named(name);
	if (!e)
		e = only_entry(name, err);
	return e && edit_lives(e, err) == 0 ? e : NULL;
}

int edit_check_entry(const char *text, struct err *err)
{
	const struct func *f;

	if (!strpbrk(text, " \t"))
		return 0;
	for (f = model_funcs; f; f = f->next)
		if (f->root && !strcmp(qualname_func((struct func *)f), text))
			return 0;
	return err_set(err, "no entry '%s': 'info entries' lists them", text);
}

static void add_candidate(void *list, const char *name)
{
	val_push(list, val_str(name));
}

void edit_complete_entry(struct session *s, const char *args, const char *word, struct val *list)
{
	(void)s;
	(void)args;
	(void)word;
	select_typed_names(add_candidate, list);
}

struct entry *edit_selected(struct err *err)
{
	struct selected_frame at;
	struct entry *e;

	if (selected_frame_get(&at, err) < 0)
		return NULL;
	e = at.code ? model_entry((PyCodeObject *)at.code->co) : NULL;
	selected_frame_release(&at);
	if (!e)
		err_set(err, "the selected frame does not run generated code: use ENTRY*OFFSET");
	return e;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry that a command edits: given by its id, the only one of a function, or that of the selected frame. */
#include "edit/edited_entry.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "code/select.h"
#include "code/selected_frame.h"
#include "guards/guard_why.h"
#include <stdlib.h>
#include <string.h>

size_t edit_word(const char *args, char *out, size_t size)
{
	size_t n = strcspn(args, " \t");

	n = n < size ? n : size - 1;
	memcpy(out, args, n);
	out[n] = '\0';
	return n;
}

/* A function means its entry if it has one. */
static struct entry *only_entry(const char *func)
{
	struct entry *e, *only = NULL;
	struct selection meant;
	struct err err;
	int n = 0;

	if (select_find(func, &meant, &err) < 0)
		return NULL;
	for (e = model_entries; e && !meant.id; e = e->next)
		if (e->co && select_has_entry(&meant, e)) {
			only = e;
			n++;
		}
	select_release(&meant);
	return n == 1 ? only : NULL;
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

struct entry *edit_entry(const char **args, struct err *err)
{
	char id[80];
	size_t n = edit_word(*args, id, sizeof(id));
	struct entry *e;

	if (!n) {
		err_set(err, "missing entry: 'info entries' lists them");
		return NULL;
	}
	e = model_entry_named(id);
	if (!e)
		e = only_entry(id);
	if (!e) {
		err_set(err, "no entry '%s': 'info entries' lists them", id);
		return NULL;
	}
	if (edit_lives(e, err) < 0)
		return NULL;
	*args += n + strspn(*args + n, " \t");
	return e;
}

void edit_complete_entry(struct session *s, const char *args, const char *word, struct val *list)
{
	struct entry *e;

	(void)s;
	(void)args;
	(void)word;
	for (e = model_entries; e; e = e->next)
		if (e->co)
			select_complete_entry(e, list);
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

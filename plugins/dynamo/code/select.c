/* SPDX-License-Identifier: BSD-3-Clause */
/* Resolves the argument [ENTRY|FUNC] of views and commands to functions and entries.  Knows no view. */
#include "code/dynamo_code.h"
#include "code/locate.h"
#include "code/select.h"
#include "model/compiling.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "model/qualname.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- what words mean ---------------------------------------------------------------------------------------- */

static bool is_id(const char *words)
{
	return isdigit((unsigned char)*words);
}

/* FILE:FUNC, a name as Python qualifies it or its last parts, the name of a resume function. */
static bool func_is_named(struct func *f, const char *words)
{
	struct func *root = model_root(f);
	const char *colon = strrchr(words, ':'), *name = colon ? colon + 1 : words;
	char *file;
	bool fits = true;

	if (colon) {
		file = mem_fmt("%.*s", (int)(colon - words), words);
		fits = host->files.fits(file, root->file);
		free(file);
	}
	return fits && (!strcmp(name, f->name) || !strcmp(name, root->name) || qualname_fits(name, f->qualname) ||
			qualname_fits(name, root->qualname) || locate_known_as(f, name) ||
			(root->wraps && !root->wraps_many && qualname_fits(name, root->wraps)));
}

static void add_to_selection(struct selection *m, struct func *f)
{
	if (select_has_func(m, f))
		return;
	m->func = mem_grow(m->func, &m->funcs_cap, (size_t)m->nfuncs + 1, sizeof(*m->func));
	m->func[m->nfuncs++] = f;
}

static void selection_add(struct selection *m, struct entry *e)
{
	if (select_has_entry(m, e))
		return;
	m->entry = mem_grow(m->entry, &m->entries_cap, (size_t)m->nentries + 1, sizeof(*m->entry));
	m->entry[m->nentries++] = e;
}

/* Code that FUNC means: traced itself, or called by what was. */
static void add_meant(void *arg, struct py_code *co)
{
	const char *name = qualname_plain((PyCodeObject *)co);
	struct selection *m = arg;
	struct entry *e;
	struct func *f;
	int before = m->nfuncs;

	for (f = model_funcs; f; f = f->next)
		if (f->co && (f->co == (PyCodeObject *)co || model_root(f)->co == (PyCodeObject *)co) && f->seen.looked)
			add_to_selection(m, f);
	for (e = model_entries; e && m->nfuncs == before; e = e->next)
		if ((e->wraps && !strcmp(e->wraps, name)) || locate_inlines(e, co))
			selection_add(m, e);
}

static bool select_is_code(struct func *f, const char *words)
{
	struct func *root = model_root(f);

	return f->co && strtoull(words + 5, NULL, 16) == (uintptr_t)(void *)root->co;
}

bool select_names(struct func *f, const char *words)
{
	const struct compiling *top = compiling_top();
	const char *colon = strrchr(words, ':');
	struct selection m = { .all = false };
	struct err err;
	bool yes;

	if (!*words)
		return true;
	if (!strncmp(words, "code@", 5)) /* the program passed the function itself */
		return select_is_code(f, words);
	if (func_is_named(f, words))
		return true;
	if (top && top->func == f && top->wraps) /* a wrapper's code serves many: this compile is of one */
		return qualname_fits(colon ? colon + 1 : words, top->wraps);
	yes = !is_id(words) && host->code.functions(words, add_meant, &m, &err) > 0 && select_has_func(&m, f);
	select_release(&m);
	return yes;
}

/* "no entry '7/7': there are 0/0, 0/1" */
static int no_entry(const char *words, struct err *err)
{
	struct buf ids = { 0 };
	struct entry *e;
	int n = 0;

	for (e = model_entries; e && n < 20; e = e->next, n++)
		buf_addf(&ids, "%s%s", n ? ", " : "", e->id);
	if (!n)
		err_set(err, "no entry '%s': nothing is compiled yet", words);
	else
		err_set(err, "no entry '%s': there %s %s%s", words, n == 1 ? "is" : "are", ids.s,
			e ? " and more, see 'info entries'" : "");
	buf_release(&ids);
	return -1;
}

static int no_function(const char *words, struct err *err)
{
	struct buf names = { 0 };
	struct func *f;
	int n = 0;

	if (!strncmp(words, "code@", 5))
		return err_set(err, "Dynamo has not compiled this function: call it first");
	for (f = model_funcs; f; f = f->next)
		if (f->seen.looked && !strncmp(f->name, words, strlen(words)) && n++ < 8)
			buf_addf(&names, "%s%s", n > 1 ? ", " : "", f->name);
	if (n)
		err_set(err, "no function '%s': it may be %s%s", words, names.s, n > 8 ? ", ..." : "");
	else
		err_set(err, "Dynamo has compiled no function '%s': %s", words,
			model_funcs ? "'info compiled' lists the functions it has" : "nothing is compiled yet");
	buf_release(&names);
	return -1;
}

int select_find(const char *words, struct selection *out, struct err *err)
{
	struct err evaluated = { "" };
	struct entry *e;
	struct func *f;

	memset(out, 0, sizeof(*out));
	out->all = !*words;
	out->id = *words ? model_entry_named(words) : NULL;
	if (out->all || out->id)
		return 0;
	if (is_id(words))
		return no_entry(words, err);
	if (!strncmp(words, "code@", 5)) {
		for (f = model_funcs; f; f = f->next)
			if (f->seen.looked && select_is_code(f, words))
				add_to_selection(out, f);
		return out->nfuncs ? 0 : no_function(words, err);
	}
	for (f = model_funcs; f; f = f->next)
		if ((f->seen.looked || f->root) && func_is_named(f, words))
			add_to_selection(out, f);
	for (e = model_entries; e && !out->nfuncs; e = e->next)
		if (e->wraps && qualname_fits(words, e->wraps))
			selection_add(out, e);
	if (out->nfuncs || out->nentries)
		return 0;
	if (host->code.functions(words, add_meant, out, &evaluated) < 0 && *evaluated.text) {
		select_release(out);
		return err_set(err, "%s", evaluated.text);
	}
	return out->nfuncs || out->nentries ? 0 : no_function(words, err);
}

bool select_has_func(const struct selection *m, const struct func *f)
{
	bool yes = m->all || (m->id && m->id->func == f);
	int i;

	for (i = 0; !yes && i < m->nfuncs; i++)
		yes = m->func[i] == f;
	for (i = 0; !yes && i < m->nentries; i++)
		yes = m->entry[i]->func == f;
	return yes;
}

bool select_has_entry(const struct selection *m, const struct entry *e)
{
	bool yes = m->all || m->id == e;
	int i;

	for (i = 0; !yes && i < m->nfuncs; i++)
		yes = m->func[i] == e->func;
	for (i = 0; !yes && i < m->nentries; i++)
		yes = m->entry[i] == e;
	return yes;
}

void select_release(struct selection *m)
{
	free(m->func);
	free(m->entry);
	memset(m, 0, sizeof(*m));
}

/* ---- their entries ------------------------------------------------------------------------------------------ */

static void selected_add(struct selected_entries *out, struct entry *e)
{
	out->entry = mem_grow(out->entry, &out->cap, (size_t)out->n + 1, sizeof(*out->entry));
	out->entry[out->n++] = e;
}

static void add_of(struct selected_entries *out, const struct func *f)
{
	struct entry *e;

	for (e = model_entries; e; e = e->next)
		if (e->func == f)
			selected_add(out, e);
}

void select_entries_of(const struct func *f, struct selected_entries *out)
{
	out->n = 0;
	add_of(out, f);
}

/* ---- the current function and entry ------------------------------------------------------------------------- */

bool select_option(const char **words, const char *option)
{
	size_t n = strlen(option);
	bool given = !strncmp(*words, option, n) && (!(*words)[n] || (*words)[n] == ' ');

	if (given)
		*words += n + strspn(*words + n, " ");
	return given;
}

bool select_option_all(const char **words)
{
	return select_option(words, "-a");
}

/* Generated code is one entry.  While Dynamo compiles it is the entry just made, before that the function. */
void select_default(struct selection *out)
{
	const struct compiling *top = compiling_top();
	struct err err = { "" };
	struct selected_frame at;
	struct func *f = NULL;

	memset(out, 0, sizeof(*out));
	if (selected_frame_get(&at, &err) == 0) {
		out->id = at.code ? model_entry((PyCodeObject *)at.code->co) : NULL;
		f = at.code ? model_func((PyCodeObject *)at.code->co, false) : NULL;
		if (!at.code && !at.frame && top) {
			out->id = top->entry;
			f = top->func;
		}
	}
	if (!out->id && f && f->seen.looked)
		add_to_selection(out, f);
	out->all = !out->id && !out->nfuncs;
	selected_frame_release(&at);
}

bool select_stopped(void)
{
	struct selected_frame at;
	bool stopped = selected_frame_get(&at, NULL) == 0;

	selected_frame_release(&at);
	return stopped;
}

/* Of a function that Dynamo left as it is: why. */
static int no_entries(const struct selection *m, struct err *err)
{
	struct func *f = m->nfuncs ? m->func[0] : NULL;

	return err_set(err, "'%s' has no entries: %s", f ? qualname_func(f) : "?",
		       f && f->seen.reason ? f->seen.reason : "nothing of it is compiled");
}

int select_entries(const char *words, struct selected_entries *out, struct err *err)
{
	struct selection m;
	struct entry *e;

	memset(out, 0, sizeof(*out));
	if (!*words)
		select_default(&m);
	else if (select_find(words, &m, err) < 0)
		return -1;
	for (e = model_entries; e; e = e->next)
		if (select_has_entry(&m, e))
			selected_add(out, e);
	for (e = *words || out->n ? NULL : model_entries; e; e = e->next)
		selected_add(out, e);
	if (*words && !out->n) {
		no_entries(&m, err);
		select_release(&m);
		return -1;
	}
	select_release(&m);
	return 0;
}

struct func *select_func(const char *words, struct err *err)
{
	struct func *f, *found = NULL;
	struct selection m;
	int n = 0;

	if (select_find(words, &m, err) < 0)
		return NULL;
	for (f = model_funcs; f; f = f->next)
		if (f->seen.looked && f->co && !f->root && select_has_func(&m, f)) {
			found = f;
			n++;
		}
	for (f = n ? NULL : model_funcs; f; f = f->next) /* a resume function, by its own name */
		if (f->seen.looked && f->co && select_has_func(&m, f)) {
			found = f;
			n++;
		}
	select_release(&m);
	if (n > 1)
		err_set(err, "'%s' names %d functions: use FILE:FUNC or CLASS.FUNC", words, n);
	else if (!n)
		err_set(err, "'%s' no longer exists: its code was freed", words);
	return n == 1 ? found : NULL;
}

void select_complete_entry(const struct entry *e, struct val *list)
{
	val_pushf(list, "%s\t%s, %s, %d graph%s", e->id, qualname_entry((struct entry *)e),
		  model_state((struct entry *)e), e->made.ngraphs, e->made.ngraphs == 1 ? "" : "s");
}

void select_complete_func(const struct func *f, struct val *list)
{
	if (f->root && f->resume_line)
		val_pushf(list, "%s\tcontinues %s at line %d", f->name, f->root->qualname, f->resume_line);
	else
		val_pushf(list, "%s\t%s, %s:%d", f->name, strcmp(f->qualname, f->name) ? f->qualname : "function",
			  text_path_file_name(f->file), f->line);
}

/* The name with the class, which a view shows. */
static void complete_shown_name(struct func *f, struct val *list)
{
	if (f->root && f->resume_line)
		val_pushf(list, "%s\tcontinues %s, %s:%d", qualname_func(f), f->root->qualname,
			  text_path_file_name(f->file), f->resume_line);
	else if (strcmp(qualname_func(f), f->name))
		val_pushf(list, "%s\tfunction, %s:%d", qualname_func(f), text_path_file_name(f->file), f->line);
}

void select_typed_names(void (*add)(void *arg, const char *name), void *arg)
{
	struct val *list = val_list();
	const struct entry *e;
	struct func *f;
	size_t i;

	for (e = model_entries; e; e = e->next)
		if (e->co)
			select_complete_entry(e, list);
	for (f = model_funcs; f; f = f->next)
		if (f->co && f->root)
			complete_shown_name(f, list);
	for (i = 0; i < list->u.list.n; i++)
		add(arg, list->u.list.item[i]->u.s);
	val_free(list);
}

void select_complete(struct session *s, const char *words, const char *word, struct val *list)
{
	const struct entry *e;
	struct func *f;

	(void)s;
	(void)word;
	for (e = model_entries; e && !strchr(words, ' '); e = e->next)
		select_complete_entry(e, list);
	for (f = model_funcs; f; f = f->next) {
		if (f->seen.looked && !strchr(words, ' '))
			select_complete_func(f, list);
		if (f->seen.looked)
			complete_shown_name(f, list);
	}
}

int selected_frame_get(struct selected_frame *s, struct err *err)
{
	*s = (struct selected_frame){ .index = -1 };
	return host->frames.selected(&s->frame, &s->code, &s->index, err);
}

void selected_frame_release(struct selected_frame *s)
{
	if (s->code)
		Py_DECREF((PyObject *)s->code->co);
	Py_XDECREF((PyObject *)s->frame);
	*s = (struct selected_frame){ .index = -1 };
}

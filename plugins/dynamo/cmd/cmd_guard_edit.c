/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: guard drop, force, add, edit, restore.  What is asked for goes into the ledger, which does it. */
#include "cmd/cmd_guard_edit.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "code/source_text.h"
#include "guards/guard_index.h"
#include "guards/guard_model.h"
#include "edit/edited_entry.h"
#include "edit/guard_change.h"
#include "edit/impact.h"
#include "edit/ledger.h"
#include "edit/rebuild.h"
#include "edit/text_file.h"
#include "edit/undo.h"
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- guards by words --------------------------------------------------------------------------------------------- */

struct chosen {
	const struct guard **g;              /* those of an entry stand together */
	int n;
	size_t cap;
	bool *has;                           /* by number */
	size_t size;
	bool numbered;                       /* some by their numbers, not by a pattern */
};

static bool chosen_has(const struct chosen *c, int number)
{
	return (size_t)number < c->size && c->has[number];
}

static void choose(struct chosen *c, const struct guard *g)
{
	size_t was = c->size;

	if (chosen_has(c, g->number))
		return;
	if ((size_t)g->number >= c->size) {
		c->has = mem_grow(c->has, &c->size, (size_t)g->number + 1, sizeof(*c->has));
		memset(c->has + was, 0, (c->size - was) * sizeof(*c->has));
	}
	c->has[g->number] = true;
	c->g = mem_grow(c->g, &c->cap, (size_t)c->n + 1, sizeof(*c->g));
	c->g[c->n++] = g;
}

static void chosen_release(struct chosen *c)
{
	free(c->has);
	free(c->g);
	memset(c, 0, sizeof(*c));
}

static int by_entry(const void *a, const void *b)
{
	const struct guard *p = *(const struct guard *const *)a, *q = *(const struct guard *const *)b;

	if (p->entry != q->entry) {          /* in the order in which they were listed first */
		p = p->entry->leaves->guard;
		q = q->entry->leaves->guard;
	}
	return (p->number > q->number) - (p->number < q->number);
}

/* A pattern stands for a source, a text, a kind, or FUNC/KIND@SOURCE. */
static bool matches(const struct guard *g, const char *pattern)
{
	char *whole = mem_fmt("%s/%s@%s", g->entry->func->name, g->kind, g->source);
	struct buf source = { 0 }, text = { 0 };
	bool yes;

	source_people(g->source, &source);
	source_people(g->text, &text);
	yes = !fnmatch(pattern, g->source, 0) || !fnmatch(pattern, g->text, 0) || !fnmatch(pattern, g->kind, 0) ||
	      !fnmatch(pattern, whole, 0) || !fnmatch(pattern, buf_str(&source), 0) ||
	      !fnmatch(pattern, buf_str(&text), 0);
	buf_release(&source);
	buf_release(&text);
	free(whole);
	return yes;
}

/* "[L['n']*" has no brackets that mean a set: a source has them itself. */
static char *quote_brackets(const char *pattern)
{
	char *out = mem_alloc(2 * strlen(pattern) + 1), *p = out;

	for (; *pattern; pattern++) {
		if (*pattern == '[')
			*p++ = '\\';
		*p++ = *pattern;
	}
	return out;
}

static void choose_pattern(struct chosen *c, const char *word, struct entry *in)
{
	char *pattern = quote_brackets(word);
	const struct guards *all;
	struct entry *e;
	struct err none;
	int i;

	for (e = model_entries; e; e = e->next) {
		all = (!in || e == in) && edit_lives(e, &none) == 0 ? guards_of(e) : NULL;
		for (i = 0; all && i < all->n; i++)
			if (matches(&all->guard[i], pattern))
				choose(c, &all->guard[i]);
	}
	free(pattern);
}

/* All that hangs on their values too. */
static void choose_below(struct chosen *c)
{
	int i, k, end, n = c->n;
	struct sources values = { 0 };
	const struct guards *all;

	qsort(c->g, (size_t)n, sizeof(*c->g), by_entry);
	for (i = 0; i < n; i = end) {
		all = c->g[i]->entry->leaves;
		for (end = i; end < n && c->g[end]->entry == c->g[i]->entry; end++)
			sources_add(&values, c->g[end]->source);
		for (k = 0; k < all->n; k++)
			if (sources_in(&values, all->guard[k].source))
				choose(c, &all->guard[k]);
		sources_release(&values);
	}
}

/* The next word of the arguments; quotes inside it keep blanks. */
static char *next_word(const char **args)
{
	const char *s = *args + strspn(*args, " \t"), *p;
	char quote = 0;

	for (p = s; *p && (quote || !isspace((unsigned char)*p)); p++)
		if (quote ? *p == quote : *p == '\'' || *p == '"')
			quote = quote ? 0 : *p;
	*args = p + strspn(p, " \t");
	return p > s ? mem_fmt("%.*s", (int)(p - s), s) : NULL;
}

static int choose_word(struct chosen *c, const char *word, struct entry *in, struct err *err)
{
	const struct guard *g;
	struct entry *e;
	struct err none;
	int n = c->n;

	if (word[strspn(word, "0123456789")]) {
		choose_pattern(c, word, in);
		return c->n > n ? 0 : err_set(err, "no guard '%s': expected a number of 'info guards', or a "
						       "pattern of its source, text or kind, as in '*%s*' or "
						       "'TENSOR_MATCH'", word, word);
	}
	for (e = model_entries; e && !guards_numbered(atol(word)); e = e->next)
		if (edit_lives(e, &none) == 0)
			guards_of(e);        /* nobody listed them yet: they get their numbers here */
	c->numbered = true;
	g = guards_numbered(atol(word));
	if (!g)
		return err_set(err, "no guard '%s': 'info guards' lists them", word);
	if (in && g->entry != in)
		return err_set(err, "guard %s is of entry %s, not of %s", word, g->entry->id, in->id);
	if (edit_lives(g->entry, err) < 0)
		return -1;
	choose(c, g);
	return 0;
}

/* "in ENTRY" at the end: cut off. */
static int entry_at_end(char *args, struct entry **in, struct err *err)
{
	char *p = strstr(args, " in ");
	const char *id = p ? p + 4 : NULL;

	*in = NULL;
	if (!p)
		return 0;
	*in = edit_entry(&id, err);
	*p = '\0';
	return *in ? 0 : -1;
}

/* "N ...|PATTERN [in ENTRY] [-r]" */
static int chosen_by(const char *args, struct chosen *c, struct err *err)
{
	char *copy = mem_str(args), *word;
	const char *p = copy;
	struct entry *in;
	bool below = false;
	int ret;

	memset(c, 0, sizeof(*c));
	if (!strncmp(copy, "-r ", 3)) {
		below = true;
		p += 3;
	} else if (strlen(copy) > 3 && !strcmp(copy + strlen(copy) - 3, " -r")) {
		below = true;
		copy[strlen(copy) - 3] = '\0';
	}
	ret = entry_at_end(copy, &in, err);
	while (ret == 0 && (word = next_word(&p))) {
		ret = choose_word(c, word, in, err);
		free(word);
	}
	if (ret == 0 && !c->n)
		ret = err_set(err, "which guard? a number of 'info guards', or a pattern");
	if (ret == 0 && below)
		choose_below(c);
	if (ret == 0)
		qsort(c->g, (size_t)c->n, sizeof(*c->g), by_entry);
	free(copy);
	return ret;
}

/* ---- drop, force ------------------------------------------------------------------------------------------------- */

static int of_entry(const struct chosen *c, int from)
{
	int n = 0;

	while (from + n < c->n && c->g[from + n]->entry == c->g[from]->entry)
		n++;
	return n;
}

/* What a pattern stands for is what it can still be done to. */
static int refuse_twice(struct chosen *c, struct err *err)
{
	const struct guard *first = NULL;
	int i, n = 0;

	for (i = 0; i < c->n; i++)
		if (!ledger_on(c->g[i]->number))
			c->g[n++] = c->g[i];
		else if (!first)
			first = c->g[i];
	if (first && (c->numbered || !n))
		return err_set(err, "guard %d is under override %d already: 'guard restore %d' first",
			       first->number, ledger_on(first->number)->number, first->number);
	c->n = n;
	return 0;
}

static const char only_fewer[] = "risk: safe: the entry takes no other calls than now; those that it no longer takes, "
	"another entry does, or they compile one\n";

/* n guards of one entry. */
static int do_some(enum deed deed, bool value, const struct guard *const *g, int n, const char *said, struct reply *out,
		   struct err *err)
{
	struct override **list = mem_alloc((size_t)n * sizeof(*list));
	int i, ret;

	for (i = 0; i < n; i++) {
		list[i] = override_new(deed, g[i]->entry, stake_risk(g[i]));
		list[i]->guard = g[i]->number;
		list[i]->value = value;
		if (deed == DEED_FORCE)
			list[i]->text = mem_str(value ? "always holds" : "never holds");
	}
	ret = ledger_do(list, n, &out->text, err);
	for (i = 0; ret == 0 && i < n && i < 10; i++)
		buf_addf(&out->text, "override %d: guard %d of entry %s %s\n", list[i]->number, g[i]->number,
			 g[i]->entry->id, said);
	if (ret == 0 && n > 10)
		buf_addf(&out->text, "overrides to %d: %d more\n", list[n - 1]->number, n - 10);
	free(list);
	return ret;
}

static int do_all(enum deed deed, bool value, const char *args, const char *said, struct reply *out, struct err *err)
{
	struct chosen c;
	struct err why = { "" };
	int ret = chosen_by(args, &c, err), i, n;

	if (ret == 0)
		ret = refuse_twice(&c, err);
	if (ret == 0 && (deed != DEED_FORCE || value))
		stake_tell(c.g, c.n, NULL, &out->text);
	else if (ret == 0)
		buf_addf(&out->text, only_fewer);
	ledger_step(true);
	for (i = 0; ret == 0 && i < c.n; i += n) {
		n = of_entry(&c, i);
		ret = do_some(deed, value, c.g + i, n, said, out, &why);
		if (ret < 0)
			err_set(err, i ? "%s; what entries before %s have is made: 'undo' takes it back" : "%s",
				why.text, c.g[i]->entry->id);
	}
	ledger_step(false);
	chosen_release(&c);
	return ret;
}

int guard_drop(const char *args, struct reply *out, struct err *err)
{
	return do_all(DEED_DROP, true, args, "is dropped", out, err);
}

int guard_force(const char *args, struct reply *out, struct err *err)
{
	size_t n = strlen(args);
	bool no = n > 6 && !strcmp(args + n - 6, " false"), yes = n > 5 && !strcmp(args + n - 5, " true");
	char *rest = mem_fmt("%.*s", (int)(n - (no ? 6 : yes ? 5 : 0)), args);
	int ret = do_all(DEED_FORCE, !no, rest, no ? "never holds: the entry never matches" : "always holds", out, err);

	free(rest);
	return ret;
}

/* ---- restore ----------------------------------------------------------------------------------------------------- */

static bool of_guard(const struct override *o)
{
	return !o->undone && !o->dead && (o->guard || o->deed == DEED_ADD);
}

static bool wanted(const struct override *o, const struct chosen *c)
{
	return of_guard(o) && (!c->n || chosen_has(c, o->guard));    /* none chosen: all */
}

/* The first that is wanted with the others of its entry, at once. */
static int restore_entry(struct override *first, const struct chosen *c, struct reply *out, struct err *err)
{
	struct override **list = NULL, *o;
	size_t cap = 0;
	int n = 0, ret;

	for (o = first; o; o = o->next)
		if (o->entry == first->entry && wanted(o, c)) {
			list = mem_grow(list, &cap, (size_t)n + 1, sizeof(*list));
			list[n++] = o;
		}
	ret = ledger_undo(list, n, &out->text, err);
	free(list);
	return ret;
}

int guard_restore(const char *args, struct reply *out, struct err *err)
{
	struct chosen c = { 0 };
	struct override *o;
	int ret = 0, n = 0;

	if (strcmp(args, "all"))
		ret = *args ? chosen_by(args, &c, err) :
		      err_set(err, "restore which guards? their numbers, or 'all'");
	for (o = ledger; ret == 0 && o; o = o->next)
		if (wanted(o, &c)) {
			ret = restore_entry(o, &c, out, err);
			n++;
		}
	if (ret == 0 && !n)
		ret = err_set(err, "nothing to restore: 'info overrides' lists what is changed");
	chosen_release(&c);
	return ret;
}

/* ---- add --------------------------------------------------------------------------------------------------------- */

int guard_add(const char *args, struct reply *out, struct err *err)
{
	struct entry *e = edit_entry(&args, err);
	PyObject *manager, *check;
	struct override *o;
	int ret;

	if (!e)
		return -1;
	if (!*args)
		return err_set(err, "add which condition? an expression over the arguments, as in 'n > 3'");
	manager = ledger_original(e);
	if (!manager)
		manager = model_manager(e);
	check = manager ? leaf_condition(e, manager, args, err) : NULL;
	Py_XDECREF(manager);
	if (!check)
		return manager ? -1 : err_set(err, "entry '%s' has no guards any more", e->id);
	buf_addf(&out->text, only_fewer);
	o = override_new(DEED_ADD, e, "safe");
	o->check = check;
	o->text = mem_str(args);
	ret = ledger_do(&o, 1, &out->text, err);
	if (ret == 0)
		buf_addf(&out->text, "override %d: entry %s also wants %s\n", o->number, e->id, o->text);
	return ret;
}

/* ---- edit ------------------------------------------------------------------------------------------------------ */

/* "GUARD [in ENTRY] [to] VALUE": the guard; args: the value. */
static int edited_one(const char **args, struct chosen *c, struct err *err)
{
	char *word = next_word(args);
	struct entry *in = NULL;
	int ret = word ? 0 : err_set(err, "edit which guard? 'info guards' lists them");

	if (word && word[strspn(word, "0123456789")] && !strncmp(*args, "in ", 3) && strstr(*args, " to ")) {
		*args += 3;
		in = edit_entry(args, err);
		ret = in ? 0 : -1;
	}
	if (ret == 0)
		ret = choose_word(c, word, in, err);
	free(word);
	if (!strncmp(*args, "to ", 3))
		*args += 3;
	if (ret == 0 && c->n != 1)
		ret = err_set(err, "edit one guard, and say what it is to be: 'guard edit 5 3', "
			      "'guard edit 5 in (2, 3)', 'guard edit 8 size=[None, 3] dtype=torch.float64'");
	return ret;
}

/* What the editor left: without lines of `#`, as one. */
static char *value_in(char *text)
{
	char *out = mem_str(""), *line, *next, *longer;

	for (line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line += strspn(line, " \t");
		if (!*line || *line == '#')
			continue;
		longer = mem_fmt("%s%s%s", out, *out ? " " : "", line);
		free(out);
		out = longer;
	}
	return out;
}

/* In the user's editor: what it is to be, "" when that is nothing else.  The caller's, NULL with err. */
static char *ask_value(const struct guard *g, struct err *err)
{
	struct buf now = { 0 }, text = { 0 }, left = { 0 };
	char *path = text_temporary(err), *value = NULL, *was;

	change_now(g, &now);
	buf_addf(&now, "%s", "");
	buf_addf(&text, "# guard %d of entry %s: %s\n# %s\n# What it is to be instead stands below, as behind "
		 "'guard edit %d': 'help guard' says what can.\n%s\n",
		 g->number, g->entry->id, g->kind, g->text, g->number, now.s);
	if (path && text_write(path, &text, err) == 0 && host->edit_file(path, err) == 0 &&
	    text_read(path, &left, err) == 0) {
		value = value_in(left.s);
		was = value_in(now.s);
		if (!strcmp(value, was))
			*value = '\0';
		free(was);
	}
	if (path)
		unlink(path);
	free(path);
	buf_release(&left);
	buf_release(&text);
	buf_release(&now);
	return value;
}

static int edit_to(const struct guard *g, const char *words, struct reply *out, struct err *err)
{
	PyObject *calls = change_guard(g, words, err);
	struct override *o;
	int ret;

	if (!calls)
		return -1;
	stake_tell(&g, 1, change_text(calls), &out->text);
	o = override_new(DEED_EDIT, g->entry, stake_risk(g));
	o->guard = g->number;
	o->check = calls;
	o->text = mem_str(words);
	ret = ledger_do(&o, 1, &out->text, err);
	if (ret == 0)
		buf_addf(&out->text, "override %d: guard %d of entry %s wants %s; its code is still the "
			 "one compiled for the old value\n", o->number, o->guard, o->entry->id, o->text);
	return ret;
}

int guard_edit(const char *args, struct reply *out, struct err *err)
{
	struct chosen c = { 0 };
	int ret = edited_one(&args, &c, err);
	char *value = NULL;

	if (ret == 0)
		ret = refuse_twice(&c, err);
	if (ret == 0 && !*args) {
		ret = change_may(c.g[0], err);
		value = ret == 0 ? ask_value(c.g[0], err) : NULL;
		ret = value ? 0 : -1;
	}
	if (ret == 0 && value && !*value)
		buf_adds(&out->text, "nothing was changed\n");
	else if (ret == 0)
		ret = edit_to(c.g[0], value ? value : args, out, err);
	free(value);
	chosen_release(&c);
	return ret;
}

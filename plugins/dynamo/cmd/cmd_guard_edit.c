/* SPDX-License-Identifier: BSD-3-Clause */
/* Subcommands: guard drop, force, add, edit, restore.  They add overrides to the ledger, which applies them. */
#include "cmd/chosen_guards.h"
#include "cmd/dynamo_cmd.h"
#include "edit/dynamo_edit.h"
#include "edit/ledger.h"
#include "edit/overridden.h"
#include "edit/overrides.h"
#include "guards/guard_model.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- drop, force ------------------------------------------------------------------------------------------------- */

static int of_entry(const struct chosen *c, int from)
{
	int n = 0;

	while (from + n < c->n && c->g[from + n]->entry == c->g[from]->entry)
		n++;
	return n;
}

/* Leaves out guards that are changed already; refuses if the user named one by its number. */
static int refuse_twice(struct chosen *c, struct err *err)
{
	const struct guard *first = NULL;
	int i, n = 0;

	for (i = 0; i < c->n; i++)
		if (!override_on(c->g[i]->number))
			c->g[n++] = c->g[i];
		else if (!first)
			first = c->g[i];
	if (first && (c->numbered || !n))
		return err_set(err, "guard %d is already changed by override %d: 'guard restore %d' first",
			       first->number, override_on(first->number)->number, first->number);
	c->n = n;
	return 0;
}

static const char only_fewer[] = "risk: safe: the entry takes no more calls than before; other calls use another "
				 "entry or compile one\n";

/* n guards of one entry. */
static int do_some(enum override_kind kind, bool value, const struct guard *const *g, int n, const char *said,
		   struct reply *out, struct err *err)
{
	struct override **list = mem_alloc((size_t)n * sizeof(*list));
	int i, ret;

	for (i = 0; i < n; i++) {
		list[i] = override_new(kind, g[i]->entry, impact_risk(g[i]));
		list[i]->guard = g[i]->number;
		list[i]->value = value;
		if (kind == OVERRIDE_FORCE)
			list[i]->text = mem_str(value ? "always holds" : "never holds");
	}
	ret = ledger_do(list, n, &out->text, err);
	for (i = 0; ret == 0 && i < n && i < 10; i++)
		buf_addf(&out->text, "override %d: guard %d of entry %s %s\n", list[i]->number, g[i]->number,
			 g[i]->entry->id, said);
	if (ret == 0 && n > 10)
		buf_addf(&out->text, "overrides to %d: %d more\n", list[n - 1]->number, n - 10);
	free(list);
	return ret < 0 ? -1 : 0;
}

static int do_all(enum override_kind kind, bool value, const struct cmd_args *args, const char *said, struct reply *out,
		  struct err *err)
{
	struct chosen c;
	struct err why = { "" };
	const char *guards = cmd_arg(args, "GUARD...|PATTERN");
	int ret = chosen_by(guards, cmd_arg(args, "ENTRY"), cmd_arg(args, "-r"), &c, err), i, n;

	if (ret == 0)
		ret = refuse_twice(&c, err);
	if (ret == 0 && (kind != OVERRIDE_FORCE || value))
		impact_tell(c.g, c.n, NULL, &out->text);
	else if (ret == 0)
		buf_addf(&out->text, only_fewer);
	ledger_step(true);
	for (i = 0; ret == 0 && i < c.n; i += n) {
		n = of_entry(&c, i);
		ret = do_some(kind, value, c.g + i, n, said, out, &why);
		if (ret < 0)
			err_set(err, i ? "%s; the entries before %s are already changed: 'undo' reverts that" : "%s",
				why.text, c.g[i]->entry->id);
	}
	ledger_step(false);
	chosen_release(&c);
	return ret;
}

int guard_drop(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return do_all(OVERRIDE_DROP, true, args, "is dropped", out, err);
}

int guard_force(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	const char *value = cmd_arg(args, "true|false");
	bool no = value && !strcmp(value, "false");

	(void)s;
	return do_all(OVERRIDE_FORCE, !no, args, no ? "never passes: the entry never matches" : "always passes", out,
		      err);
}

/* ---- restore ----------------------------------------------------------------------------------------------------- */

static bool of_guard(const struct override *o)
{
	return !o->undone && !o->dead && (o->guard || o->kind == OVERRIDE_ADD);
}

static bool override_is_for(const struct override *o, const struct chosen *c)
{
	return of_guard(o) && (!c->n || chosen_has(c, o->guard)); /* none chosen: all */
}

/* Applies the first chosen guard together with the others of its entry. */
static int restore_entry(struct override *first, const struct chosen *c, struct reply *out, struct err *err)
{
	struct override **list = NULL, *o;
	size_t cap = 0;
	int n = 0, ret;

	for (o = first; o; o = o->next)
		if (o->entry == first->entry && override_is_for(o, c)) {
			list = mem_grow(list, &cap, (size_t)n + 1, sizeof(*list));
			list[n++] = o;
		}
	ret = undo_overrides(list, n, &out->text, err);
	free(list);
	return ret;
}

int guard_restore(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	const char *words = cmd_arg(args, "GUARD...|PATTERN|all");
	struct chosen c = { 0 };
	struct override *o;
	int ret = 0, n = 0;

	(void)s;
	if (strcmp(words, "all"))
		ret = chosen_by(words, cmd_arg(args, "ENTRY"), false, &c, err);
	for (o = ledger; ret == 0 && o; o = o->next)
		if (override_is_for(o, &c)) {
			ret = restore_entry(o, &c, out, err);
			n++;
		}
	if (ret == 0 && !n)
		ret = err_set(err, "nothing to restore: 'info overrides' lists the changes");
	chosen_release(&c);
	return ret;
}

/* ---- add --------------------------------------------------------------------------------------------------------- */

int guard_add(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	const char *id = cmd_arg(args, "ENTRY"), *condition = cmd_arg(args, "EXPR");
	struct entry *e = edit_entry(id, err);
	PyObject *manager, *check;
	struct override *o;
	int ret;

	(void)s;
	if (!e)
		return -1;
	manager = overridden_original(e);
	if (!manager)
		manager = model_manager(e);
	check = manager ? condition_new(e, manager, condition, err) : NULL;
	Py_XDECREF(manager);
	if (!check)
		return manager ? -1 : err_set(err, "entry '%s' no longer has guards", e->id);
	buf_addf(&out->text, only_fewer);
	o = override_new(OVERRIDE_ADD, e, "safe");
	o->kept.check = check;
	o->text = mem_str(condition);
	ret = ledger_do(&o, 1, &out->text, err);
	if (ret == 0)
		buf_addf(&out->text, "override %d: entry %s also requires %s\n", o->number, e->id, o->text);
	return ret < 0 ? -1 : 0;
}

/* ---- edit ------------------------------------------------------------------------------------------------------ */

static int edited_one(const struct cmd_args *args, struct chosen *c, struct err *err)
{
	const char *words = cmd_arg(args, "GUARD"), *id = cmd_arg(args, "ENTRY");
	struct entry *in = id ? edit_entry(id, err) : NULL;
	char *word = id && !in ? NULL : chosen_word(&words);
	int ret = word ? chosen_guards_word(c, word, in, err) : -1;

	free(word);
	if (ret == 0 && c->n != 1)
		ret = err_set(err, "missing value: 'guard edit GUARD VALUE', with one guard and a value "
				   "such as 3, in (2, 3) or size=[None, 3] dtype=torch.float64");
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

/* Lets the user edit the value in an editor.  Returns the new text, "" if it is unchanged, owned by the caller;
   NULL with err. */
static char *ask_value(const struct guard *g, struct err *err)
{
	struct buf now = { 0 }, text = { 0 }, left = { 0 };
	char *path, *value = NULL, *was;

	guard_change_now(g, &now);
	buf_addf(&now, "%s", "");
	buf_addf(&text,
		 "# guard %d of entry %s: %s\n"
		 "# %s\n"
		 "# Its new value is below, in the form that 'guard edit %d' accepts: see 'help guard'.\n"
		 "%s\n",
		 g->number, g->entry->id, g->kind, g->text, g->number, now.s);
	path = text_file_temporary(&text, err);
	if (path && host->files.edit(path, err) == 0 && text_file_read_own(path, &left, err) == 0) {
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
	PyObject *calls = guard_change_calls(g, words, err);
	struct override *o;
	int ret;

	if (!calls)
		return -1;
	impact_tell(&g, 1, guard_change_text(calls), &out->text);
	o = override_new(OVERRIDE_EDIT, g->entry, impact_risk(g));
	o->guard = g->number;
	o->kept.check = calls;
	o->text = mem_str(words);
	ret = ledger_do(&o, 1, &out->text, err);
	if (ret == 0)
		buf_addf(&out->text,
			 "override %d: guard %d of entry %s expects %s; its code is still the one "
			 "compiled for the old value\n",
			 o->number, o->guard, o->entry->id, o->text);
	return ret < 0 ? -1 : 0;
}

int guard_edit(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	const char *wanted_value = cmd_arg(args, "VALUE");
	struct chosen c = { 0 };
	int ret = edited_one(args, &c, err);
	char *value = NULL;

	(void)s;
	if (ret == 0)
		ret = refuse_twice(&c, err);
	if (ret == 0 && !wanted_value) {
		ret = guard_change_may(c.g[0], err);
		value = ret == 0 ? ask_value(c.g[0], err) : NULL;
		ret = value ? 0 : -1;
	}
	if (ret == 0 && value && !*value)
		buf_adds(&out->text, "nothing was changed\n");
	else if (ret == 0)
		ret = edit_to(c.g[0], value ? value : wanted_value, out, err);
	free(value);
	chosen_release(&c);
	return ret;
}

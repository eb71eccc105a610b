/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: entry, eager, undo.  What is asked for goes into the ledger, which puts it into force. */
#include "cmd/cmd_entry.h"
#include "torch/attrs.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "model/qualname.h"
#include "code/select.h"
#include "guards/guard_count.h"
#include "edit/clone.h"
#include "edit/edited_entry.h"
#include "edit/held.h"
#include "edit/ledger.h"
#include "edit/overrides.h"
#include "edit/undo.h"
#include "cmd/cmd_code.h"
#include "cmd/entry_check.h"
#include "cmd/entry_run.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- list ------------------------------------------------------------------------------------------------ */

static int list(struct entry *only, const char *args, struct reply *out, struct err *err)
{
	struct entry *e;
	struct selection meant;
	int guards, n = 0;

	(void)only;
	if (select_find(args, &meant, err) < 0)
		return -1;
	for (e = model_entries; e; e = e->next) {
		if (!select_has_entry(&meant, e))
			continue;
		guards = guards_count(e);
		buf_addf(&out->text, "%-8s %-20s %-12s", e->id, qualname_entry(e), model_state(e));
		if (guards >= 0)
			buf_addf(&out->text, " %d guards", guards);
		buf_adds(&out->text, "\n");
		n++;
	}
	select_release(&meant);
	if (!n)
		buf_adds(&out->text, "no entries\n");
	return 0;
}

/* ---- what changes the cache ------------------------------------------------------------------------------ */

static struct override *active_override(struct entry *e, enum override_kind kind)
{
	struct override *o;

	for (o = ledger; o; o = o->next)
		if (o->entry == e && o->kind == kind && !o->undone && !o->dead)
			return o;
	return NULL;
}

static int once(struct entry *e, enum override_kind kind, const char *risk, const char *said, struct reply *out,
		struct err *err)
{
	struct override *o = active_override(e, kind);
	int ret;

	if (o)
		return err_set(err, "entry '%s' is so already: override %d, 'undo %d' takes it back",
				e->id, o->number,
			       o->number);
	if (active_override(e, OVERRIDE_DELETE))
		return err_set(err, "entry '%s' is deleted: 'undo %d' puts it back", e->id,
			       active_override(e, OVERRIDE_DELETE)->number);
	if (clone_slot(e) && kind != OVERRIDE_INSTALL && !active_override(e, OVERRIDE_INSTALL))
		return err_set(err, "clone '%s' is in no cache yet: 'entry install %s' puts it there", e->id,
			       e->id);
	o = override_new(kind, e, risk);
	ret = ledger_do(&o, 1, &out->text, err);
	if (ret == 0)
		buf_addf(&out->text, "override %d: entry %s %s\n", o->number, e->id, said);
	return ret;
}

static int nothing_more(const char *args, struct err *err)
{
	return *args ? err_set(err, "junk behind the entry: '%s'", args) : 0;
}

static int disable(struct entry *e, const char *args, struct reply *out, struct err *err)
{
	return nothing_more(args, err) < 0 ? -1 :
	       once(e, OVERRIDE_DISABLE, "safe", "never matches: its calls take another entry, or compile", out, err);
}

static int enable(struct entry *e, const char *args, struct reply *out, struct err *err)
{
	struct override *o = active_override(e, OVERRIDE_DISABLE);

	if (nothing_more(args, err) < 0)
		return -1;
	if (!o)
		return err_set(err, "entry '%s' is not disabled", e->id);
	return undo_overrides(&o, 1, &out->text, err);
}

static int clone_entry(struct entry *e, const char *args, struct reply *out, struct err *err)
{
	PyObject *copy, *none = PyTuple_New(0), *replace = PyObject_GetAttrString((PyObject *)e->co, "replace");
	struct entry *made = NULL;

	copy = none && replace ? PyObject_CallObject(replace, none) : NULL;
	PyErr_Clear();
	if (copy && nothing_more(args, err) == 0)
		made = clone_new(e, (PyCodeObject *)copy, err);
	if (made)
		buf_addf(&out->text, "entry %s: a clone of %s; 'entry install %s' puts it into Dynamo's cache\n",
			 made->id, e->id, made->id);
	Py_XDECREF(copy);
	Py_XDECREF(none);
	Py_XDECREF(replace);
	return made ? 0 : -1;
}

static int install(struct entry *e, const char *args, struct reply *out, struct err *err)
{
	if (nothing_more(args, err) < 0)
		return -1;
	if (!clone_slot(e))
		return err_set(err, "entry '%s' is Dynamo's own, it is in the cache: 'entry clone' or 'code "
			       "edit' make one to install", e->id);
	return once(e, OVERRIDE_INSTALL, "code", "is in Dynamo's cache, and tried first", out, err);
}

static int save(struct entry *e, const char *args, struct reply *out, struct err *err)
{
	return code_save(e, args, true, out, err);
}

static int load(struct entry *e, const char *args, struct reply *out, struct err *err)
{
	(void)e;
	return code_load(args, out, err);
}

/* A clone that is in the cache goes out of it; one that is not goes altogether. */
static int delete_clone(struct entry *e, struct reply *out, struct err *err)
{
	struct override *o = active_override(e, OVERRIDE_INSTALL);

	if (o)
		return undo_overrides(&o, 1, &out->text, err);
	held_forget(e);
	clone_forget(e, "deleted in the debugger");
	buf_addf(&out->text, "clone %s is gone\n", e->id);
	return 0;
}

static int delete(struct entry *e, const char *args, struct reply *out, struct err *err)
{
	if (clone_slot(e))
		return nothing_more(args, err) < 0 ? -1 : delete_clone(e, out, err);
	return nothing_more(args, err) < 0 ? -1 :
	       once(e, OVERRIDE_DELETE, "safe", "is out of Dynamo's cache", out, err);
}

static int prefer(struct entry *e, const char *args, struct reply *out, struct err *err)
{
	return nothing_more(args, err) < 0 ? -1 :
	       once(e, OVERRIDE_PREFER, "safe",
		    attrs_have(ATTR_LRU) ?
		    "is tried first; while that lasts Dynamo keeps the order of entries of all functions" :
		    "is tried first until another entry serves a call (not on this torch: for longer)", out, err);
}

static int force(struct entry *e, const char *args, struct reply *out, struct err *err)
{
	return nothing_more(args, err) < 0 ? -1 :
	       once(e, OVERRIDE_FORCE_ENTRY, "type",
			"is tried first and always matches: wrong arguments may crash its graph",
		    out, err);
}

static const struct sub {
	const char *name, *args;
	bool all;                            /* takes what `info entries` takes, not one entry */
	int (*run)(struct entry *e, const char *args, struct reply *out, struct err *err);
} subs[] = {
	{ "list", "[FUNC|ENTRY]", true, list },
	{ "check", "ENTRY [with NAME=EXPR ...]", false, entry_check },
	{ "run", "ENTRY [with NAME=EXPR ...]", false, entry_run },
	{ "diff", "ENTRY [with NAME=EXPR ...]", false, entry_diff },
	{ "disable", "ENTRY", false, disable },
	{ "enable", "ENTRY", false, enable },
	{ "delete", "ENTRY", false, delete },
	{ "prefer", "ENTRY", false, prefer },
	{ "force", "ENTRY", false, force },
	{ "clone", "ENTRY", false, clone_entry },
	{ "install", "CLONE", false, install },
	{ "save", "ENTRY FILE", false, save },
	{ "load", "FILE", true, load },
};
enum { NSUBS = sizeof(subs) / sizeof(*subs) };

static void refuse_verb(const char *word, struct err *err)
{
	struct buf all = { 0 };
	size_t i;

	for (i = 0; i < NSUBS; i++)
		buf_addf(&all, "%s%s", i ? ", " : "", subs[i].name);
	if (*word)
		err_set(err, "no 'entry %s': it is one of %s", word, all.s);
	else
		err_set(err, "entry what? %s", all.s);
	buf_release(&all);
}

static const struct sub *sub_named(const char *word, struct err *err)
{
	const struct sub *found = NULL;
	size_t i, n = strlen(word);

	for (i = 0; n && i < NSUBS; i++) {
		if (!strcmp(subs[i].name, word))
			return &subs[i];
		if (strncmp(subs[i].name, word, n))
			continue;
		if (found) {
			err_set(err, "ambiguous: 'entry %s' may be %s or %s", word, found->name, subs[i].name);
			return NULL;
		}
		found = &subs[i];
	}
	if (!found)
		refuse_verb(word, err);
	return found;
}

static int entry(struct session *s, const char *args, struct reply *out, struct err *err)
{
	char word[20];
	size_t n = edit_word(args, word, sizeof(word));
	const struct sub *sub = sub_named(word, err);
	struct entry *e = NULL;

	(void)s;
	if (!sub)
		return -1;
	args += n + strspn(args + n, " \t");
	if (!sub->all) {
		e = edit_entry(&args, err);
		if (!e)
			return -1;
	}
	return sub->run(e, args, out, err);
}

static void complete(struct session *s, const char *args, const char *word, struct val *list)
{
	const char *rest = args + strcspn(args, " \t");
	struct entry *e;
	size_t i;

	for (i = 0; !*rest && i < NSUBS; i++)
		val_push(list, val_str(subs[i].name));
	if (!*rest || (word > args && word[-1] != ' '))
		return;
	rest += strspn(rest, " \t");
	if (strchr(rest, ' '))
		val_push(list, val_str("with"));
	else if (!strncmp(args, "install ", 8))
		for (e = model_entries; e; e = e->next) {
			if (e->edit.clone)
				val_push(list, val_str(e->id));
		}
	else if (!strncmp(args, "list ", 5))
		select_complete(s, rest, word, list);
	else if (strncmp(args, "load ", 5))
		edit_complete(list);
}

/* ---- eager ----------------------------------------------------------------------------------------------- */

static struct override *active_eager(struct func *f)
{
	struct override *o;

	for (o = ledger; o; o = o->next)
		if (o->kind == OVERRIDE_EAGER && o->func == f && !o->undone && !o->dead)
			return o;
	return NULL;
}

static int eager(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct override *o;
	struct func *f;
	int ret;

	(void)s;
	if (!*args)
		return err_set(err, "eager what? a function that is compiled: 'info compiled' lists them");
	f = select_func(args, err);
	if (!f)
		return -1;
	o = active_eager(f);
	if (o)
		return err_set(err, "'%s' is eager already: override %d, 'undo %d' takes it back",
				args, o->number,
			       o->number);
	o = override_new(OVERRIDE_EAGER, NULL, "safe");
	o->func = f;
	ret = ledger_do(&o, 1, &out->text, err);
	if (ret == 0)
		buf_addf(&out->text,
				"override %d: %s and what it calls run as written from the next call\n", o->number,
			 f->name);
	return ret;
}

/* ---- undo ------------------------------------------------------------------------------------------------ */

static int undo(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct override *o;
	char *end;
	long n;

	(void)s;
	if (!*args)
		return undo_last_step(&out->text, err);
	n = strtol(args, &end, 10);
	if (*end || n <= 0 || n > INT_MAX)
		return err_set(err, "undo what? the number of an override: 'info overrides' lists them");
	o = override_numbered((int)n);
	if (!o)
		return err_set(err, "no override %ld: 'info overrides' lists them", n);
	return undo_overrides(&o, 1, &out->text, err);
}

static void complete_function(struct session *s, const char *args, const char *word, struct val *list)
{
	const struct func *f;

	(void)s;
	(void)args;
	(void)word;
	for (f = model_funcs; f; f = f->next)
		if (f->seen.looked && f->seen.compiles)
			val_push(list, val_str(f->name));
}

static void complete_override(struct session *s, const char *args, const char *word, struct val *list)
{
	const struct override *o;
	char *number;

	(void)s;
	(void)args;
	(void)word;
	for (o = ledger; o; o = o->next)
		if (!o->undone && !o->dead) {
			number = mem_fmt("%d", o->number);
			val_push(list, val_str(number));
			free(number);
		}
}

const struct cmd_def cmd_entry[] = {
	{ .name = "entry", .args = "list|check|run|diff|disable|enable|delete|prefer|force|clone|install|save|load ...",
			.group = GROUP_DYNAMO,
	  .flags = CMD_NEEDS_STOP | CMD_CHANGES | CMD_RAW, .complete = complete, .run = entry,
	  .help = "try or change an entry of Dynamo's cache",
	  .more = "entry list [FUNC|ENTRY]\n"
		  "entry check ENTRY [with NAME=EXPR ...]  do its guards pass for these values?\n"
		  "entry run ENTRY [with NAME=EXPR ...]    run its generated code, guards ignored\n"
		  "entry diff ENTRY [with NAME=EXPR ...]   run both, compare results and side effects\n"
		  "entry disable|enable ENTRY              it never matches; back\n"
		  "entry delete ENTRY                      out of the cache\n"
		  "entry prefer ENTRY                      tried first\n"
		  "entry force ENTRY                       tried first, and always matches\n"
		  "entry clone ENTRY                       a copy, to be edited: its number is ENTRY+1\n"
		  "entry install CLONE                     into Dynamo's cache, tried first\n"
		  "entry save ENTRY FILE                   its guards and code as text\n"
		  "entry load FILE                         a clone from such text\n"
		  "Values that are not given are those of the selected frame.  run and diff put the\n"
		  "program's state back.  Nothing compiles for any of this;\n"
		  "'undo' takes changes back, 'info overrides' lists them." },
	{ .name = "eager", .args = "FUNC", .group = GROUP_DYNAMO, .flags = CMD_NEEDS_STOP | CMD_CHANGES,
	  .complete = complete_function, .run = eager,
	  .help = "run a compiled function, and what it calls, as written",
	  .more = "'undo' brings its entries back.  No entry is lost, none is compiled." },
	{ .name = "undo", .args = "[N]", .group = GROUP_DYNAMO, .flags = CMD_NEEDS_STOP | CMD_CHANGES,
	  .complete = complete_override, .run = undo,
	  .help = "take back the last command that changed Dynamo's cache, or override N",
	  .more = "Without N all that the command did and that is still in force goes at once, however many\n"
		  "guards or entries that are.  The entry is then as Dynamo made it, save for other\n"
		  "overrides in force on it." },
	{ .name = NULL }
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: entry, eager, undo.  They add overrides to the ledger, which applies them. */
#include "cmd/code_text.h"
#include "cmd/dynamo_cmd.h"
#include "code/select.h"
#include "edit/clone.h"
#include "edit/dynamo_edit.h"
#include "edit/ledger.h"
#include "edit/overridden.h"
#include "edit/overrides.h"
#include "guards/guard_model.h"
#include "model/entry.h"
#include "model/entry_state.h"
#include "model/func.h"
#include "model/qualname.h"
#include "torch/attrs.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- list ------------------------------------------------------------------------------------------------ */

static int entry_list(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	struct entry *e;
	struct selection meant;
	int guards, n = 0;

	(void)s;
	if (select_find(args->text, &meant, err) < 0)
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

static int run_once(struct entry *e, enum override_kind kind, const char *risk, const char *said, struct reply *out,
		    struct err *err)
{
	struct override *o = active_override(e, kind);
	int ret;

	if (o)
		return err_set(err, "entry '%s' already has this change, override %d; 'undo %d' reverts it", e->id,
			       o->number, o->number);
	if (active_override(e, OVERRIDE_DELETE))
		return err_set(err, "entry '%s' is deleted: 'undo %d' restores it", e->id,
			       active_override(e, OVERRIDE_DELETE)->number);
	if (clone_slot(e) && kind != OVERRIDE_INSTALL && !active_override(e, OVERRIDE_INSTALL))
		return err_set(err, "clone '%s' is not in the cache yet: 'entry install %s' puts it there", e->id,
			       e->id);
	o = override_new(kind, e, risk);
	ret = ledger_do(&o, 1, &out->text, err);
	if (ret == 0)
		buf_addf(&out->text, "override %d: entry %s %s\n", o->number, e->id, said);
	return ret < 0 ? -1 : 0;
}

static struct entry *entry_of(const struct cmd_args *args, struct err *err)
{
	const char *id = cmd_arg(args, "ENTRY");

	return edit_entry(id, err);
}

static int entry_disable(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	struct entry *e = entry_of(args, err);

	(void)s;
	return !e ? -1 :
		    run_once(e, OVERRIDE_DISABLE, "safe", "never matches: its calls use another entry, or compile", out,
			     err);
}

static int entry_enable(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	struct entry *e = entry_of(args, err);
	struct override *o = e ? active_override(e, OVERRIDE_DISABLE) : NULL;

	(void)s;
	if (e && !o)
		err_set(err, "entry '%s' is not disabled", e->id);
	return o ? undo_overrides(&o, 1, &out->text, err) : -1;
}

static int entry_clone(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	struct entry *e = entry_of(args, err), *made = NULL;
	PyObject *replace = e ? PyObject_GetAttrString((PyObject *)e->co, "replace") : NULL;
	PyObject *copy, *none = PyTuple_New(0);

	(void)s;
	copy = none && replace ? PyObject_CallObject(replace, none) : NULL;
	PyErr_Clear();
	if (copy)
		made = clone_new(e, (PyCodeObject *)copy, err);
	if (made)
		buf_addf(&out->text, "entry %s: a clone of %s; 'entry install %s' puts it into Dynamo's cache\n",
			 made->id, e->id, made->id);
	Py_XDECREF(copy);
	Py_XDECREF(none);
	Py_XDECREF(replace);
	return made ? 0 : -1;
}

static int entry_install(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	const char *id = cmd_arg(args, "CLONE");
	struct entry *e = edit_entry(id, err);

	(void)s;
	if (!e)
		return -1;
	if (!clone_slot(e))
		return err_set(err,
			       "entry '%s' was made by Dynamo and is in the cache; 'entry clone' or 'code "
			       "edit' make one to install",
			       e->id);
	return run_once(e, OVERRIDE_INSTALL, "code", "is in Dynamo's cache, and tried first", out, err);
}

static int entry_save(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	struct entry *e = entry_of(args, err);

	(void)s;
	return e ? code_save(e, cmd_arg(args, "FILE"), true, out, err) : -1;
}

static int entry_load(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return code_load(cmd_arg(args, "FILE"), out, err);
}

/* Deletes a clone: from the cache if it is there, else the clone itself. */
static int delete_clone(struct entry *e, struct reply *out, struct err *err)
{
	struct override *o = active_override(e, OVERRIDE_INSTALL);

	if (o)
		return undo_overrides(&o, 1, &out->text, err);
	overridden_forget(e);
	clone_forget(e, "deleted in the debugger");
	buf_addf(&out->text, "clone %s is deleted\n", e->id);
	return 0;
}

static int entry_delete(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	struct entry *e = entry_of(args, err);

	(void)s;
	if (!e)
		return -1;
	return clone_slot(e) ? delete_clone(e, out, err) :
			       run_once(e, OVERRIDE_DELETE, "safe", "is removed from Dynamo's cache", out, err);
}

static int entry_prefer(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	struct entry *e = entry_of(args, err);

	(void)s;
	return !e ? -1 :
		    run_once(
			    e, OVERRIDE_PREFER, "safe",
			    attrs_have(ATTR_LRU) ?
				    "is tried first; meanwhile Dynamo keeps the order of the entries of all functions" :
				    "is tried first until another entry serves a call (longer needs another torch)",
			    out, err);
}

static int entry_force(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	struct entry *e = entry_of(args, err);

	(void)s;
	return !e ? -1 :
		    run_once(e, OVERRIDE_FORCE_ENTRY, "type",
			     "is tried first and always matches: wrong arguments may crash its graph", out, err);
}

/* ---- trying one ------------------------------------------------------------------------------------------- */

typedef int try_fn(struct entry *e, const char *given, bool anyhow, struct reply *out, struct err *err);

static const char *values_given(const struct cmd_args *args)
{
	const char *given = cmd_arg(args, "NAME=EXPR...");

	return given ? given : "";
}

/* The program's state is another one until the run has ended. */
static int try_aside(const struct cmd_args *args, try_fn *how, struct reply *out, struct err *err)
{
	struct entry *e = entry_of(args, err);
	int ret;

	if (!e || aside_begin(err) < 0)
		return -1;
	ret = how(e, values_given(args), cmd_arg(args, "-f") != NULL, out, err);
	aside_end();
	return ret;
}

static int entry_check_run(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	struct entry *e = entry_of(args, err);

	(void)s;
	return e ? entry_check(e, values_given(args), out, err) : -1;
}

static int run_one(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return try_aside(args, entry_run, out, err);
}

static int diff(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return try_aside(args, entry_diff, out, err);
}

/* ---- the table -------------------------------------------------------------------------------------------- */

static void complete_clone(struct session *s, const char *args, const char *word, struct val *list)
{
	const struct entry *e;

	(void)s;
	(void)args;
	(void)word;
	for (e = model_entries; e; e = e->next)
		if (clone_slot(e))
			select_complete_entry(e, list);
}

static const struct cmd_kind kinds[] = {
	{ .name = "ENTRY", .flags = KIND_WORD, .complete = edit_complete_entry, .check = edit_check_entry },
	{ .name = "CLONE", .flags = KIND_WORD, .complete = complete_clone },
	{ .name = "FUNC", .complete = select_complete },
	{ .name = NULL },
};

#define CHANGES (CMD_NEEDS_STOP | CMD_CHANGES)
#define MISSING_VALUES "Values that are not given are those with which the selected frame was called."

static const struct cmd_sub subs[] = {
	{ .name = "list",
	  .args = "[FUNC|ENTRY]",
	  .flags = CMD_AFTER_EXIT,
	  .run = entry_list,
	  .help = "list entries and their states" },
	{ .name = "check",
	  .args = "ENTRY [with NAME=EXPR...]",
	  .flags = CMD_NEEDS_STOP,
	  .run = entry_check_run,
	  .help = "check whether the guards pass for these values",
	  .more = MISSING_VALUES },
	{ .name = "run",
	  .args = "[-f] ENTRY [with NAME=EXPR...]",
	  .flags = CHANGES,
	  .run = run_one,
	  .help = "run the generated code, if its guards pass for these values",
	  .more = MISSING_VALUES "\n-f: although guards fail.  The program's state is restored afterwards." },
	{ .name = "diff",
	  .args = "[-f] ENTRY [with NAME=EXPR...]",
	  .flags = CHANGES,
	  .run = diff,
	  .help = "run the generated code and the function itself, and compare results and side effects",
	  .more = MISSING_VALUES "\n-f: although guards fail.  The program's state is restored afterwards.\n"
				 "'blame' says whose fault a difference is." },
	{ .name = "disable",
	  .args = "ENTRY",
	  .flags = CHANGES,
	  .run = entry_disable,
	  .help = "keep an entry from matching" },
	{ .name = "enable",
	  .args = "ENTRY",
	  .flags = CHANGES,
	  .run = entry_enable,
	  .help = "let a disabled entry match again" },
	{ .name = "delete",
	  .args = "ENTRY",
	  .flags = CHANGES,
	  .run = entry_delete,
	  .help = "remove an entry from the cache" },
	{ .name = "prefer",
	  .args = "ENTRY",
	  .flags = CHANGES,
	  .run = entry_prefer,
	  .help = "make Dynamo try an entry first" },
	{ .name = "force",
	  .args = "ENTRY",
	  .flags = CHANGES,
	  .run = entry_force,
	  .help = "make an entry match every call",
	  .more = "It is tried first.  Arguments that its guards would refuse may crash its graph." },
	{ .name = "clone",
	  .args = "ENTRY",
	  .flags = CHANGES,
	  .run = entry_clone,
	  .help = "copy an entry, to edit the copy",
	  .more = "The number of the copy is that of the entry with '+1' appended." },
	{ .name = "install",
	  .args = "CLONE",
	  .flags = CHANGES,
	  .run = entry_install,
	  .help = "put a clone into Dynamo's cache, tried first" },
	{ .name = "save",
	  .args = "ENTRY FILE",
	  .flags = CMD_NEEDS_STOP,
	  .run = entry_save,
	  .help = "write the guards and the code of an entry to a file" },
	{ .name = "load",
	  .args = "FILE",
	  .flags = CHANGES,
	  .run = entry_load,
	  .help = "make a clone from such a file" },
	{ .name = NULL },
};

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
		return err_set(err, "missing function: 'eager FUNC|ENTRY'; 'info compiled' lists the functions");
	f = select_func(args, err);
	if (!f)
		return -1;
	o = active_eager(f);
	if (o)
		return err_set(err, "'%s' is already eager by override %d; 'undo %d' reverts it", args, o->number,
			       o->number);
	o = override_new(OVERRIDE_EAGER, NULL, "safe");
	o->func = f;
	ret = ledger_do(&o, 1, &out->text, err);
	if (ret == 0)
		buf_addf(&out->text, "override %d: %s and what it calls run in eager mode from the next call\n",
			 o->number, f->name);
	return ret < 0 ? -1 : 0;
}

/* ---- undo ------------------------------------------------------------------------------------------------ */

static int undo(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct override *o;
	long n;

	(void)s;
	if (!*args)
		return undo_last_step(&out->text, err);
	if (!text_is_number(args, 1, INT_MAX, &n))
		return err_set(err, "'undo' expects the number of an override: 'info overrides' lists them");
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
			select_complete_func(f, list);
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
			number = mem_fmt("%d\t%s %s%s%s", o->number, override_kind_name(o->kind),
					 o->entry ? o->entry->id : o->func->name, o->text ? ": " : "",
					 o->text ? visible(o->text) : "");
			val_push(list, val_str(number));
			free(number);
		}
}

const struct cmd_def cmd_entry[] = {
	{ .name = "entry",
	  .group = GROUP_DYNAMO,
	  .flags = CMD_AFTER_EXIT | CMD_CHANGES | CMD_RAW,
	  .subs = subs,
	  .kinds = kinds,
	  .help = "test, compare and change entries of Dynamo's cache",
	  .more = "No subcommand compiles anything.  'undo' reverts a change, 'info overrides' lists the\n"
		  "changes." },
	{ .name = "eager",
	  .args = "FUNC",
	  .group = GROUP_DYNAMO,
	  .flags = CMD_NEEDS_STOP | CMD_CHANGES,
	  .complete = complete_function,
	  .run = eager,
	  .help = "run a compiled function, and the functions it calls, in eager mode",
	  .more = "No entry is lost, and none is compiled.  'undo' reverts it." },
	{ .name = "undo",
	  .args = "[N]",
	  .group = GROUP_DYNAMO,
	  .flags = CMD_NEEDS_STOP | CMD_CHANGES,
	  .complete = complete_override,
	  .run = undo,
	  .help = "revert the last command that changed Dynamo's cache, or override N",
	  .more = "Without N, reverts all changes by the last command that are still in force, on all\n"
		  "guards and entries at once.  An entry is then as Dynamo made it, except for other\n"
		  "overrides on it." },
	{ .name = NULL },
};

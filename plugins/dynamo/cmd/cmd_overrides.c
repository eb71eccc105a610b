/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: overrides, also written `set overrides`: writes the changes in force as a script of commands that repeat
   them in another run, where guards are identified by function, kind and source.  Changes nothing. */
#include "cmd/cmd_overrides.h"
#include "model/entry.h"
#include "model/func.h"
#include "guards/guard_model.h"
#include "edit/overrides.h"
#include "edit/text_file.h"
#include <string.h>

/* A pattern also matches guards of functions with the same name in other files. */
static int entries_of(const struct func *f)
{
	struct entry *e;
	int n = 0;

	for (e = model_entries; e; e = e->next)
		n += !strcmp(e->func->name, f->name) && e->co;
	return n;
}

/* By its function where that is enough. */
static const char *name_of(const struct override *o)
{
	return entries_of(o->func) == 1 ? o->func->name : o->entry->id;
}

static void write_guard(const struct override *o, struct buf *out)
{
	const struct guard *g = guards_numbered(o->guard);
	const char *verb = o->kind == OVERRIDE_DROP ? "drop" : o->kind == OVERRIDE_FORCE ? "force" : "edit";

	if (!g)
		return;
	buf_addf(out, "guard %s %s/%s@%s", verb, o->func->name, g->kind, g->source);
	if (entries_of(o->func) > 1)
		buf_addf(out, " in %s", o->entry->id);
	if (o->kind == OVERRIDE_FORCE)
		buf_addf(out, o->value ? " true" : " false");
	if (o->kind == OVERRIDE_EDIT)
		buf_addf(out, " to %s", o->text);
	buf_adds(out, "\n");
}

static void write_one(const struct override *o, struct buf *out)
{
	switch (o->kind) {
	case OVERRIDE_DROP:
	case OVERRIDE_FORCE:
	case OVERRIDE_EDIT:
		write_guard(o, out);
		break;
	case OVERRIDE_ADD:
		buf_addf(out, "guard add %s %s\n", name_of(o), o->text);
		break;
	case OVERRIDE_DISABLE:
	case OVERRIDE_DELETE:
	case OVERRIDE_PREFER:
		buf_addf(out, "entry %s %s\n", override_kind_name(o->kind), name_of(o));
		break;
	case OVERRIDE_FORCE_ENTRY:
		buf_addf(out, "entry force %s\n", name_of(o));
		break;
	case OVERRIDE_EAGER:
		buf_addf(out, "eager %s\n", o->func->name);
		break;
	case OVERRIDE_BACKEND:
		buf_addf(out, "set backend %s for %s\n", o->text, o->func->name);
		break;
	case OVERRIDE_INSTALL:
		buf_addf(out, "# entry install %s: 'entry save' keeps its code\n", o->entry->id);
		break;
	case OVERRIDE_VAR:
	case OVERRIDE_STACK:
	case OVERRIDE_JUMP:
		buf_addf(out, "# %s: changed a frame that no longer exists", override_kind_name(o->kind));
		break;
	}
}

static int save_overrides(const char *path, struct reply *out, struct err *err)
{
	struct buf text = { 0 };
	struct override *o;
	int n = 0, ret;

	for (o = ledger; o; o = o->next)
		if (o->number && !o->undone && !o->dead) {
			write_one(o, &text);
			n++;
		}
	ret = text_write(path, &text, err);
	if (ret == 0)
		buf_addf(&out->text, "%d override%s written to '%s': 'source %s' repeats them in another run\n", n,
			 n == 1 ? "" : "s", path, path);
	buf_release(&text);
	return ret;
}

static int overrides_save(struct session *s, const struct cmd_args *args, struct reply *out, struct err *err)
{
	(void)s;
	return save_overrides(cmd_arg(args, "FILE"), out, err);
}

static const struct cmd_sub subs[] = {
	{ .name = "save",
	  .args = "FILE",
	  .flags = CMD_AFTER_EXIT,
	  .run = overrides_save,
	  .help = "write the overrides in force to a file as commands" },
	{ .name = NULL },
};

const struct cmd_def cmd_overrides[] = {
	{ .name = "overrides",
	  .group = GROUP_DYNAMO,
	  .flags = CMD_AFTER_EXIT | CMD_SETS,
	  .subs = subs,
	  .help = "save the changes to Dynamo's cache as commands that repeat them in another run",
	  .more = "Guards are identified by function, kind and source, entries by their function or, if\n"
		  "it has several, by number.  Also written as 'set overrides save FILE'.  'info\n"
		  "overrides' lists the overrides." },
	{ .name = NULL },
};

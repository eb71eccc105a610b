/* SPDX-License-Identifier: BSD-3-Clause */
/* An override as the command line that makes it.  Changes nothing. */
#include "edit/dynamo_edit.h"
#include "edit/overrides.h"
#include "guards/guard_index.h"
#include "guards/guard_model.h"
#include "model/entry.h"
#include "model/func.h"
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
static const char *name_of(const struct override *o, bool here)
{
	return !here && entries_of(o->func) == 1 ? o->func->name : o->entry->id;
}

static void override_guard_line(const struct override *o, bool here, struct buf *out)
{
	const struct guard *g = guards_numbered(o->guard);
	const char *verb = o->kind == OVERRIDE_DROP ? "drop" : o->kind == OVERRIDE_FORCE ? "force" : "edit";

	if (!g)
		return;
	if (here)
		buf_addf(out, "guard %s %d", verb, o->guard);
	else
		buf_addf(out, "guard %s %s/%s@%s", verb, o->func->name, g->kind, g->source);
	if (here || entries_of(o->func) > 1)
		buf_addf(out, " in %s", o->entry->id);
	if (o->kind == OVERRIDE_FORCE)
		buf_addf(out, o->value ? " true" : " false");
	if (o->kind == OVERRIDE_EDIT)
		buf_addf(out, " to %s", o->text);
}

void override_line(const struct override *o, bool here, struct buf *out)
{
	switch (o->kind) {
	case OVERRIDE_DROP:
	case OVERRIDE_FORCE:
	case OVERRIDE_EDIT:
		override_guard_line(o, here, out);
		break;
	case OVERRIDE_ADD:
		buf_addf(out, "guard add %s %s", name_of(o, here), o->text);
		break;
	case OVERRIDE_DISABLE:
	case OVERRIDE_DELETE:
	case OVERRIDE_PREFER:
		buf_addf(out, "entry %s %s", override_kind_name(o->kind), name_of(o, here));
		break;
	case OVERRIDE_FORCE_ENTRY:
		buf_addf(out, "entry force %s", name_of(o, here));
		break;
	case OVERRIDE_EAGER:
		buf_addf(out, "eager %s", o->func->name);
		break;
	case OVERRIDE_BACKEND:
		buf_addf(out, "set backend %s for %s", o->text, o->func->name);
		break;
	case OVERRIDE_INSTALL:
		if (here)
			buf_addf(out, "entry install %s", o->entry->id);
		else
			buf_addf(out, "# entry install %s: 'entry save' keeps its code", o->entry->id);
		break;
	case OVERRIDE_VAR:
	case OVERRIDE_STACK:
	case OVERRIDE_JUMP:
		buf_addf(out, "# %s: changed a frame that no longer exists", override_kind_name(o->kind));
		break;
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Which side effect an instruction of generated code replays: see dynamo_code.h. */
#include "code/dynamo_code.h"
#include "model/effects.h"
#include "model/entry.h"
#include <stdlib.h>
#include <string.h>

/* Is it what an instruction names by "history", or by the constant 'history'?  The target is "self.history". */
static bool target_ends(const char *target, const char *named)
{
	size_t n = strcspn(target, "["), k = strlen(named), from = n;

	if (k > 1 && *named == '\'' && named[k - 1] == '\'') {
		named++;
		k -= 2;
	}
	while (from && target[from - 1] != '.')
		from--;
	return k && n - from == k && !strncmp(target + from, named, k);
}

/* Can an instruction like this name what an effect changes? */
static bool names_target(const char *op)
{
	static const char *const all[] = { "LOAD_ATTR",	  "LOAD_METHOD",   "LOAD_CONST", "LOAD_FAST",	 "LOAD_DEREF",
					   "LOAD_GLOBAL", "LOAD_NAME",	   "STORE_ATTR", "STORE_GLOBAL", "STORE_DEREF",
					   "DELETE_ATTR", "DELETE_GLOBAL", NULL };
	int i;

	for (i = 0; all[i]; i++)
		if (!strncmp(op, all[i], strlen(all[i])))
			return true;
	return false;
}

const char *effect_at(const struct entry *e, struct code *c, int index)
{
	const char *found = NULL;
	struct buf name = { 0 };
	const struct effect *f;

	if (!e->made.effects || index < 0 || index >= c->n || !names_target(host->code.op_name(c->instr[index].op)))
		return NULL;
	host->code.arg_text(c, index, &name);
	for (f = e->made.effects; f; f = f->next) {
		if (!target_ends(f->target, buf_str(&name)))
			continue;
		if (found && strcmp(found, f->target)) {
			found = NULL;
			break;
		}
		found = f->target;
	}
	buf_release(&name);
	return found;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the kinds of regions: the only place that spells them.  Knows no plugin. */
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "engine/region_name.h"

static const char *const names[REGION_KINDS] = {
	[REGION_PROLOGUE] = "prologue", [REGION_GRAPH_CALL] = "graph call",
	[REGION_OUTPUTS] = "outputs",	[REGION_SIDE_EFFECTS] = "side effects",
	[REGION_BREAK] = "break",	[REGION_RESUME_CALL] = "resume call",
	[REGION_ORIGINAL] = "original", [REGION_RETURN] = "return",
};

const char *region_name(enum region_kind kind)
{
	return (unsigned)kind < REGION_KINDS ? names[kind] : "?";
}

static int unknown(const char *text, struct err *err)
{
	struct buf all = { 0 };
	int k;

	for (k = 0; k < REGION_KINDS; k++)
		buf_addf(&all, "%s%s", k ? ", " : "", names[k]);
	err_set(err, "unknown region '%s'; try: %s", text, all.s);
	buf_release(&all);
	return -1;
}

int region_find(const char *text, enum region_kind *kind, struct err *err)
{
	size_t n = strlen(text);
	char *spaced = mem_str(text), *p;
	int k, hits = 0;

	for (p = spaced; *p; p++)
		*p = *p == '-' ? ' ' : *p;
	for (k = 0; k < REGION_KINDS; k++) {
		if (strncmp(names[k], spaced, n))
			continue;
		*kind = (enum region_kind)k;
		hits++;
		if (!names[k][n]) {
			hits = 1;
			break;
		}
	}
	free(spaced);
	return hits == 1 ? 0 : unknown(text, err);
}

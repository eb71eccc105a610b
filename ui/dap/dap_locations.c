/* SPDX-License-Identifier: BSD-3-Clause */
/* Request: breakpointLocations. */
#include <limits.h>
#include <stdlib.h>
#include "engine/loc.h"
#include "ui/dap/dap_call.h"
#include "ui/dap/dap_state.h"

static void locations_add(void *arg, int line, struct code *code)
{
	struct val *at = val_push(arg, val_map());

	(void)code;
	val_put(at, "line", val_int(line - 1 + dap.first_line));
}

/* A line as the client counts; 0: none was given. */
static long long own_line(const struct val *args, const char *key)
{
	long long line = val_get(args, key) ? val_number(args, key, 0) + 1 - dap.first_line : 0;

	return line > INT_MAX ? INT_MAX : line;
}

int dap_locations(struct session *s, struct dap_call *c, struct err *err)
{
	const struct val *source = val_get(c->args, "source");
	long long reference = val_number(source, "sourceReference", 0);
	long long line = own_line(c->args, "line"), last = own_line(c->args, "endLine");
	bool entry = false;
	const char *name = reference ? dap_sources_find(reference, &entry) : val_text(source, "path");
	struct loc *loc;
	char *text;
	int rc;

	if (!name || !*name || line < 1)
		return err_set(err, "breakpointLocations needs a source that is known, and a line");
	text = mem_fmt(entry ? "%s@python:%lld" : "%s:%lld", name, line);
	loc = loc_parse(s, text, err);
	free(text);
	if (!loc)
		return -1;
	c->body = val_map();
	rc = loc_lines(s, loc, (int)(last ? last : line), locations_add, val_put(c->body, "breakpoints", val_list()),
		       err);
	loc_free(loc);
	return rc;
}

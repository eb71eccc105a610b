/* SPDX-License-Identifier: BSD-3-Clause */
/* What several requests need. */
#include "ui/dap/dap_call.h"
#include <stdlib.h>
#include <string.h>
#include "cmd/cmd.h"
#include "ui/dap/dap_state.h"
#include "view/view.h"

struct dap_state dap;

bool dap_flag(const struct val *args, const char *key)
{
	const struct val *v = val_get(args, key);

	return v && v->type == VAL_BOOL && v->u.b;
}

int dap_call_command(struct session *s, struct reply *out, struct err *err, const char *fmt, ...)
{
	char *line, *last = s->lines.last;
	va_list ap;
	int ret;

	va_start(ap, fmt);
	line = mem_vfmt(fmt, ap);
	va_end(ap);
	s->lines.last = NULL; /* what Enter repeats stays */
	ret = cmd_execute(s, line, out, err);
	free(s->lines.last);
	s->lines.last = last;
	free(line);
	return ret;
}

struct rows *dap_call_rows(struct session *s, const char *view, const char *words, struct err *err)
{
	const struct view_ops *v = view_find(view, err);

	return v ? view_rows(s, v, words, err) : NULL;
}

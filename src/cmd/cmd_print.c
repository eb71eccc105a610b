/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that show one value: print, pp, whatis. */
#include <string.h>
#include "base/err.h"
#include "cmd/cmd_table.h"
#include "engine/missing_variable.h"
#include "engine/option.h"
#include "engine/session.h"
#include "engine/stack.h"
#include "py/interp/eval.h"
#include "py/value/value.h"

enum { SUMMARY = 200 }; /* bytes of a value */

static struct py_obj *print_value_of(struct session *s, const char *name, const char *args, struct err *err)
{
	struct scope scope;

	if (!*args) {
		err_set(err, "missing expression: '%s EXPR'", name);
		return NULL;
	}
	if (session_scope(s, &scope, err) < 0)
		return NULL;
	return eval_text(args, &scope, err);
}

static int print_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct py_obj *v;
	struct frame *f;
	struct err none;
	int ret;

	if (s->past)
		return cmd_past_value(s, args, false, out, err);
	v = print_value_of(s, "print", args, err);
	ret = v ? cmd_value(s, v, out, err) : -1;

	if (v && !strcmp(value_type(v), "NoneType") && (f = session_frame(s, &none)))
		missing_variable_note_freed(s, f, args);
	py_unref(v);
	return ret;
}

static int pp_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	long max = option_number(s, "repr-limit");
	struct py_obj *v;
	bool cut = false;
	int ret;

	if (s->past)
		return cmd_past_value(s, args, false, out, err);
	v = print_value_of(s, "pp", args, err);
	ret = v ? value_pretty(v, &out->text, (size_t)max, &cut, err) : -1;

	out->value = true;
	if (ret == 0 && cut)
		buf_addf(&out->text, "... (first %ld bytes: 'set repr-limit' for more)", max);
	py_unref(v);
	return ret;
}

static int whatis_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct py_obj *v;

	if (s->past)
		return cmd_past_value(s, args, true, out, err);
	v = print_value_of(s, "whatis", args, err);
	if (!v)
		return -1;
	buf_addf(&out->text, "%s: ", value_type(v));
	value_show_data(v, &out->text, SUMMARY);
	py_unref(v);
	return 0;
}

const struct cmd_def cmd_print[] = {
	{ .name = "print",
	  .alias = "p",
	  .args = "EXPR",
	  .group = GROUP_LOOK,
	  .flags = CMD_NEEDS_STOP | CMD_RAW | CMD_REPEATS | CMD_GONE,
	  .help = "print the value of an expression in the selected frame",
	  .more = "The value is shown as its repr, at most 'set repr-limit' bytes of it.  $0, $1, ...\n"
		  "are slots of the value stack, __stack__ is the list of them, bottom first.  Code\n"
		  "that the expression calls does not stop.",
	  .complete = cmd_complete_name,
	  .run = print_run },
	{ .name = "pp",
	  .args = "EXPR",
	  .group = GROUP_LOOK,
	  .flags = CMD_NEEDS_STOP | CMD_RAW | CMD_REPEATS | CMD_GONE,
	  .help = "print the value of an expression over several lines, for containers",
	  .complete = cmd_complete_name,
	  .run = pp_run },
	{ .name = "whatis",
	  .args = "EXPR",
	  .group = GROUP_LOOK,
	  .flags = CMD_NEEDS_STOP | CMD_RAW | CMD_GONE,
	  .help = "print the type of a value, and a summary of it",
	  .more = "The summary of a tensor is its type, shape and device; its data is not read.",
	  .complete = cmd_complete_name,
	  .run = whatis_run },
	{ .name = NULL },
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: decompile, code as Python source. */
#include "base/buf.h"
#include "base/visible.h"
#include "cmd/cmd_table.h"
#include "engine/loc.h"
#include "engine/plug.h"
#include "py/code/code.h"
#include "py/py.h"
#include "view/target.h"
#include "view/view.h"
#include <stdlib.h>
#include <string.h>

struct called {
	struct py_code *co; /* borrowed: the first code of a name */
	int n;
};

static void called_add(void *arg, struct py_code *co)
{
	struct called *c = arg;

	if (!c->n || c->co != co)
		c->n++;
	c->co = co;
}

/* "# __resume_at_60_2 is Net.forward (resumed at line 6), entry 4/0" */
static void say_resume(struct session *s, const char *name, struct buf *out)
{
	struct called called = { NULL };
	struct code_info info = { 0 }, generated = { 0 };
	struct places p = { 0 };

	plug_by_name(s, name, called_add, &called);
	if (called.n != 1 || plug_code(s, called.co, &info) <= 0 || !info.name)
		return;
	buf_addf(out, "# %s is %s", name, visible(info.name));
	if (plug_function_places(s, called.co, &p) && plug_code(s, p.place[p.n - 1].code->co, &generated) > 0 &&
	    generated.entry)
		buf_addf(out, ", entry %s", generated.entry);
	buf_addc(out, '\n');
	places_release(&p);
}

/* Generated code calls resume functions by names that Dynamo numbers: below the text, which functions these are. */
static void list_resumes(struct session *s, const char *words, struct buf *out)
{
	struct code_info info;
	struct buf seen = { 0 }, name = { 0 };
	struct target t;
	struct err err;
	char *key;
	int i;

	if (target_find(s, words, &t, &err) < 0)
		return;
	for (i = 0; plug_code(s, t.co, &info) > 0 && info.kind == KIND_GENERATED && i < t.code->n; i++) {
		name.len = 0;
		code_arg_text(t.code, i, &name);
		if (strncmp(py_op_name(t.code->instr[i].op), "LOAD_GLOBAL", 11) || !name.len)
			continue;
		key = mem_fmt("\n%s\n", name.s);
		if (!strstr(buf_str(&seen), key)) {
			buf_adds(&seen, key);
			say_resume(s, name.s, out);
		}
		free(key);
	}
	target_release(&t);
	buf_release(&seen);
	buf_release(&name);
}

static int cmd_decompile_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	const struct view_ops *v = view_find("python", err);

	out->rows = v ? view_rows(s, v, args, err) : NULL;
	if (!out->rows)
		return -1;
	view_text(s, out->rows, &out->text);
	if (!strncmp(args, "-a", 2) && (!args[2] || args[2] == ' '))
		args += 2 + strspn(args + 2, " ");
	list_resumes(s, args, &out->text);
	return 0;
}

const struct cmd_def cmd_decompile[] = {
	{ .name = "decompile",
	  .args = "[-a] [FUNC|ENTRY]",
	  .group = GROUP_LOOK,
	  .flags = CMD_AFTER_EXIT,
	  .help = "show code as Python source",
	  .more = "Without an argument, show the code of the selected frame. A function shows the\n"
		  "newest code generated from it. => marks the statement of the next instruction.\n"
		  "Statements that only serve the compiler, such as calls of profiler hooks, are\n"
		  "folded into a comment; -a shows all of them. Code that cannot be written as\n"
		  "Python is shown as comments with its bytecode, and the reason.",
	  .complete = cmd_complete_location,
	  .run = cmd_decompile_run },
	{ .name = NULL },
};

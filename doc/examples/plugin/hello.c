/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin to start from: one command, one view and one option.  Build it with the Makefile beside it. */
#include <Python.h>
#include <plugin.h>

static const struct cdbg_host *host; /* what a plugin may call; valid from init() to the end of the process */
static long greetings;

/* `hello [EXPR]`: answer with a text.  args is the rest of the command line, never NULL. */
static int hello_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct py_obj *value;

	(void)s;
	if (!*args) {
		buf_addf(&out->text, "hello, %s", host->talk.option_text("hello-name"));
		greetings++;
		return 0;
	}
	value = host->frames.eval(args, err); /* in the selected frame: a new reference, or NULL with err set */
	if (!value)
		return -1;
	buf_adds(&out->text, "hello, ");
	host->values.show(value, &out->text, 200);
	Py_DECREF((PyObject *)value);
	greetings++;
	return 0;
}

static const struct cmd_def hello_commands[] = {
	{ .name = "hello",
	  .args = "[EXPR]",
	  .help = "greet the value of an expression",
	  .more = "Without EXPR, greet the name that 'set hello-name' gives.",
	  .group = GROUP_SUPPORT,
	  .run = hello_run },
	{ .name = NULL },
};
static const struct cmd_def *const commands[] = { hello_commands, NULL };

/* `info hello`: rows of cells.  The same rows become a table, a pane and JSON. */
static const struct view_col hello_cols[] = {
	{ .name = "greetings", .help = "greetings so far" },
	{ .name = "name", .help = "the name that is greeted" },
	{ .name = NULL },
};

static int hello_fill(struct session *s, const struct view_req *req, struct rows *out, struct err *err)
{
	(void)s;
	(void)err;
	if (!host->rows.want(out, req)) /* the row is outside the window that is asked for */
		return 0;
	host->rows.add(out, 0);
	host->rows.num(out, "greetings", greetings);
	host->rows.str(out, "name", ROLE_NAME, host->talk.option_text("hello-name"));
	return 0;
}

static const struct view_ops hello_view = {
	.name = "hello", .help = "greetings so far", .cols = hello_cols, .fill = hello_fill
};
static const struct view_ops *const views[] = { &hello_view, NULL };

/* `set hello-name NAME` */
static const struct option_def options[] = {
	{ .name = "hello-name", .type = OPTION_TEXT, .text = "world", .help = "name that 'hello' greets" },
	{ .name = NULL },
};

static int hello_init(const struct cdbg_host *h, struct err *err)
{
	(void)err;
	host = h;
	bug_restore(h->talk.restore_terminal); /* for what libcdbgbase finds wrong */
	return 0;
}

const struct cdbg_plugin cdbg_plugin = {
	.abi = CDBG_PLUGIN_ABI,
	.name = "hello",
	.commands = commands,
	.views = views,
	.options = options,
	.init = hello_init,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: their tables, finding one by its name, and when it may run.  Knows no front end and no command by name. */
#include "cmd/cmd.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/pick.h"
#include "base/val.h"
#include "engine/option.h"
#include "engine/past.h"
#include "engine/session.h"
#include "py/value/value.h"
#include "view/view.h"

static struct {
	const struct cmd_def *const **tables;
	size_t n, cap;
} added;

void cmd_add(const struct cmd_def *const *tables)
{
	size_t i;

	for (i = 0; i < added.n; i++)
		if (added.tables[i] == tables)
			return;
	added.tables = mem_grow(added.tables, &added.cap, added.n + 1, sizeof(*added.tables));
	added.tables[added.n++] = tables;
}

static const struct cmd_def *in_tables(const struct cmd_def *const *t, int *i)
{
	const struct cmd_def *c;

	for (; *t; t++)
		for (c = *t; c->name; c++)
			if ((*i)-- == 0)
				return c;
	return NULL;
}

const struct cmd_def *cmd_at(int i)
{
	const struct cmd_def *c = NULL;
	size_t t;

	for (t = 0; !c && t < added.n; t++)
		c = in_tables(added.tables[t], &i);
	return c;
}

/* ---- names ---------------------------------------------------------------------------------------- */

static const char *cmd_name_at(const void *arg, int i)
{
	const struct cmd_def *c = cmd_at(i);

	(void)arg;
	return c ? c->name : NULL;
}

static const char *command_alias(const void *arg, int i)
{
	const struct cmd_def *c = cmd_at(i);

	(void)arg;
	return c ? c->alias : NULL;
}

static const struct pick names = {
	.what = "command", .list = "'help' lists the commands", .at = cmd_name_at, .alias = command_alias
};

const struct cmd_def *cmd_exact(const char *name)
{
	static const struct cmd_def *last; /* the same command comes again and again; tables are never taken out */
	int i;

	if (last && !strcmp(last->name, name))
		return last;
	i = pick_exact(&names, name);
	if (i < 0)
		return NULL;
	last = cmd_at(i);
	return last;
}

const struct cmd_def *cmd_find(const char *name, struct err *err)
{
	int i = pick_name(&names, name, err);

	return i < 0 ? NULL : cmd_at(i);
}

/* ---- when it may run -------------------------------------------------------------------------------------- */

int cmd_not_now(struct session *s, const char *what, struct err *err)
{
	if (s->exited)
		return err_set(err, "the program has ended, '%s' needs it: 'restart' runs it again", what);
	return err_set(err, "the program is running, '%s' needs it stopped: Ctrl-C (or 'interrupt') stops it", what);
}

void cmd_say_ended(struct session *s, struct reply *out)
{
	if (s->exited)
		buf_adds(&out->text, "the program has ended: 'restart' runs it with this\n");
}

int cmd_may_run(struct session *s, const struct cmd_def *c, const char *args, struct err *err)
{
	unsigned flags = cmd_flags(c, args);

	if (s->gone && !(c->flags & (CMD_GONE | CMD_PAST)))
		return session_present(s, err);
	if (s->exited && !(flags & CMD_AFTER_EXIT))
		return cmd_not_now(s, c->name, err);
	if ((flags & CMD_NEEDS_STOP) && !session_stopped(s))
		return cmd_not_now(s, c->name, err);
	if ((flags & (CMD_RESUMES | CMD_CHANGES)) && !(c->flags & CMD_PAST) && session_present(s, err) < 0)
		return -1;
	if (flags & CMD_CHANGES)
		past_wrote(s);
	return 0;
}

/* ---- answers ------------------------------------------------------------------------------------------------ */

int cmd_value(struct session *s, struct py_obj *v, struct reply *out, struct err *err)
{
	bool cut = false;
	long max = option_number(s, "repr-limit");

	out->value = true;
	if (value_repr(v, &out->text, (size_t)max, &cut, err) < 0)
		return -1;
	if (cut)
		buf_addf(&out->text, "... (first %ld bytes: 'set repr-limit' for more)", max);
	return 0;
}

void reply_release(struct reply *r)
{
	buf_release(&r->text);
	rows_free(r->rows);
	r->rows = NULL;
	val_free(r->more);
	r->more = NULL;
}

/* ---- arguments ------------------------------------------------------------------------------------------- */

bool cmd_word(const char **args, struct buf *word)
{
	const char *p = *args + strspn(*args, " \t");
	size_t n = strcspn(p, " \t");

	buf_reset(word);
	buf_add(word, p, n);
	*args = p + n + strspn(p + n, " \t");
	return n > 0;
}

int cmd_count(const char *args, long *count, struct err *err)
{
	*count = 1;
	if (*args && !text_is_number(args, 1, LONG_MAX, count))
		return err_set(err, "invalid count '%s': expected a number, 1 or more", args);
	return 0;
}

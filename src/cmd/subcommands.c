/* SPDX-License-Identifier: BSD-3-Clause */
/* Subcommands: finds the one of a line, runs and completes it.  Knows none by name. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/pick.h"
#include "base/val.h"
#include "cmd/cmd.h"
#include "cmd/usage.h"

static const char *sub_name_at(const void *arg, int i)
{
	return ((const struct cmd_sub *)arg)[i].name;
}

const struct cmd_sub *cmd_sub_find(const struct cmd_def *c, const char *name, struct err *err)
{
	char *before = mem_fmt("%s ", c->name);
	const struct pick names = { .what = "subcommand", .before = before, .at = sub_name_at, .arg = c->subs };
	struct buf all = { 0 };
	int i = -1, k;

	if (*name) {
		i = pick_name(&names, name, err);
	} else {
		for (k = 0; c->subs[k].name; k++)
			buf_addf(&all, "%s%s", k ? ", " : "", c->subs[k].name);
		err_set(err, "'%s' needs a subcommand: %s", c->name, buf_str(&all));
		buf_release(&all);
	}
	free(before);
	return i < 0 ? NULL : &c->subs[i];
}

/* The subcommand that args begin with, *rest after it; NULL with err. */
static const struct cmd_sub *first_sub(const struct cmd_def *c, const char *args, const char **rest, struct err *err)
{
	struct buf word = { 0 };
	const struct cmd_sub *sub;

	*rest = args;
	cmd_word(rest, &word);
	for (sub = c->subs; (!word.len || word.s[0] == '-') && sub->name; sub++)
		if (sub->flags & CMD_BARE) {
			*rest = args;
			buf_release(&word);
			return sub;
		}
	sub = cmd_sub_find(c, buf_str(&word), err);
	buf_release(&word);
	return sub;
}

static struct usage usage_of(const struct cmd_def *c, const struct cmd_sub *sub)
{
	return (struct usage){
		.before = c->name, .name = sub->name, .args = sub->args, .kinds = c->kinds, .core = cmd_kinds
	};
}

unsigned cmd_flags(const struct cmd_def *c, const char *args)
{
	const unsigned of_line = CMD_NEEDS_STOP | CMD_RESUMES | CMD_CHANGES | CMD_AFTER_EXIT;
	const struct cmd_sub *sub;

	if (!c->subs)
		return c->flags;
	sub = first_sub(c, args, &args, NULL);
	/* an unknown one is refused at any time */
	return (c->flags & ~of_line) | (sub ? sub->flags : CMD_AFTER_EXIT);
}

/* Is the word of n bytes at s, "-a", in the description? */
static bool has_option(const char *description, const char *s, size_t n)
{
	const char *d;

	for (d = description; d && (d = strchr(d, '-')); d++)
		if (d > description && strchr("[| ", d[-1]) && !strncmp(d, s, n) && (!d[n] || strchr("]| ", d[n])))
			return true;
	return false;
}

int cmd_check_options(const char *of, const char *description, const char *words, struct err *err)
{
	size_t n;

	for (; words[0] == '-' && isalpha((unsigned char)words[1]); words += n, words += strspn(words, " \t")) {
		n = strcspn(words, " \t");
		if (!has_option(description, words, n))
			return err_set(err, "unknown option '%.*s' of '%s'; usage: %s%s%s", (int)(n < 40 ? n : 40),
				       words, of, of, description ? " " : "", description ? description : "");
	}
	return 0;
}

int cmd_invoke(struct session *s, const struct cmd_def *c, const char *args, struct reply *out, struct err *err)
{
	const struct cmd_sub *sub;
	struct cmd_args parsed;
	struct usage usage;
	int ret;

	if (!c->subs && !(c->flags & (CMD_RAW | CMD_SCREEN)) && cmd_check_options(c->name, c->args, args, err) < 0)
		return -1;
	if (!c->subs)
		return c->run(s, args, out, err);
	sub = first_sub(c, args, &args, err);
	if (!sub)
		return -1;
	usage = usage_of(c, sub);
	if (usage_parse(&usage, args, &parsed, err) < 0)
		return -1;
	ret = sub->run(s, &parsed, out, err);
	usage_release(&parsed);
	return ret;
}

/* ---- completion ------------------------------------------------------------------------------------------- */

struct completing {
	struct session *s;
	const char *args, *word;
	bool inside;	    /* word is in an expression, or in an argument of several words */
	const char *usage;  /* what a literal word is part of */
	const char *before; /* the arguments as they are parsed: a copy of args without the word */
	struct val *list;
};

/* Candidates of several words whose first words are typed. */
static void add_longer(struct completing *c, const char *typed, const struct cmd_kind *kind)
{
	struct val *all = val_list();
	size_t i;

	if (kind->complete)
		kind->complete(c->s, c->args, c->word, all);
	for (i = 0; i < all->u.list.n; i++)
		if (!strncmp(all->u.list.item[i]->u.s, typed, strlen(typed)))
			val_push(c->list, val_copy(all->u.list.item[i]));
	val_free(all);
}

static void add_next(void *arg, const char *text, size_t n, const struct cmd_kind *kind)
{
	struct completing *c = arg;
	char *copy;

	if (c->inside && n)
		return;
	if (kind && !n)
		add_longer(c, c->args + (text - c->before), kind);
	else if (kind && kind->complete)
		kind->complete(c->s, c->args, c->word, c->list);
	if (kind)
		return;
	copy = mem_strn(text, n);
	cmd_candidate(c->list, copy, c->usage);
	free(copy);
}

void cmd_sub_complete(struct session *s, const struct cmd_def *c, const char *args, const char *word, struct val *list)
{
	struct completing next = { .s = s, .word = word, .list = list };
	const struct cmd_sub *sub;
	struct usage usage;
	char *before, *whole;
	int i;

	if (!args[strcspn(args, " \t")]) {
		for (i = 0; c->subs[i].name; i++)
			val_push(list, val_str(c->subs[i].name));
		return;
	}
	sub = first_sub(c, args, &next.args, NULL);
	if (!sub || word < next.args)
		return;
	next.inside = word > args && word[-1] != ' ';
	if (next.inside && (word < next.args + 2 || word[-1] != '(' || word[-2] != ' '))
		return;
	word -= next.inside;
	if (sub->complete && next.inside)
		return;
	if (sub->complete) {
		sub->complete(s, next.args, word, list);
		return;
	}
	usage = usage_of(c, sub);
	before = mem_strn(next.args, (size_t)(word - next.args));
	whole = mem_fmt("%s %s %s", c->name, sub->name, sub->args ? sub->args : "");
	next.usage = whole;
	next.before = before;
	usage_next(&usage, before, add_next, &next);
	free(before);
	free(whole);
}

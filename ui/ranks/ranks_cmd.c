/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of the controller: see ranks_cmd.h. */
#include "config.h"
#include "ui/ranks/ranks_cmd.h"
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/val.h"
#include "cmd/cmd.h"
#include "ui/ranks/compare.h"
#include "ui/ranks/controller.h"
#include "ui/ranks/rank.h"
#include "ui/ranks/ranks_data.h"
#include "ui/ranks/ranks_screen.h"
#include "ui/ranks/ranks_show.h"

enum { LIVE = 1u << RANK_STARTING | 1u << RANK_STOPPED | 1u << RANK_RUNNING, MOST_PATIENCE = 3600 };

static enum ranks_end end;
static bool gathering;		   /* the lines of a command up to `end` ... */
static bool gathered_kept;	   /* ... are kept ... */
static struct rank_set gather_for; /* ... and go to these ranks */

bool ranks_cmd_gathers(void)
{
	return gathering;
}

/* ---- sending commands ----------------------------------------------------------------------- */

/* Does the word before the arguments say that each rank gets it, also one that joins later? */
static bool is_kept(const struct cmd_def *d, const char *args)
{
	struct buf word = { 0 };
	const char *rest = args;
	const struct cmd_def *set;
	bool kept;

	if (d->group == GROUP_BREAK)
		return strcmp(d->name, "watch") != 0; /* it begins at a frame */
	if (strcmp(d->name, "set"))
		return false;
	set = cmd_word(&rest, &word) ? cmd_exact(word.s) : NULL; /* `set var` changes one program */
	kept = word.len && !set && strcmp(word.s, "var") && strcmp(word.s, "stack");
	buf_release(&word);
	return kept;
}

/* Those that refused to continue, or printed something. */
static void show_said(struct controller *c, const struct rank_set *to, struct buf *out)
{
	struct rank_set said = { .n = NULL };
	struct rank *r;
	size_t i;

	if (c->data) {
		ranks_data_replies(c, to);
		return;
	}
	for (i = 0; i < to->count; i++) {
		r = controller_rank(c, to->n[i]);
		if (r && r->answer && (*val_text(r->answer, "text") || *val_text(r->answer, "error")))
			rank_set_add(&said, to->n[i]);
	}
	ranks_show_replies(c, &said, to->count > 1, out);
	rank_set_release(&said);
}

/* Their connections end; those that run hear of it as soon as they can. */
static void let_be(struct controller *c, const struct rank_set *to)
{
	struct rank *r;
	size_t i;

	for (i = 0; i < to->count; i++) {
		r = controller_rank(c, to->n[i]);
		if (!r || !rank_live(r))
			continue;
		rank_close(r);
		r->detached = true;
	}
}

/* A machine gets the reply first, and stops as they come. */
static void settle(struct controller *c, const struct rank_set *of, struct buf *out)
{
	if (c->ops->resumed)
		c->ops->resumed(c);
	controller_settle(c, of, false);
	if (!c->ops->moved)
		ranks_show_news(c, out);
}

static void let_go(struct controller *c, const struct rank_set *to, bool all, const char *line, struct buf *out)
{
	controller_resume(c, to, line);
	show_said(c, to, out);
	settle(c, all ? NULL : to, out);
}

static void stop_some(struct controller *c, const struct rank_set *of, struct buf *out)
{
	c->interrupted = true;
	settle(c, of, out);
}

/* A line for some ranks.  all: they are all there are, so what is kept is kept. */
static int send_line(struct controller *c, const struct rank_set *to, bool all, bool prefix, const char *line,
		     struct buf *out)
{
	const char *args = line;
	struct buf word = { 0 };
	struct err err;
	const struct cmd_def *d = cmd_word(&args, &word) ? cmd_find(word.s, &err) : NULL;
	unsigned flags = d ? cmd_flags(d, args) : 0;
	bool kept = d && all && is_kept(d, args);

	buf_release(&word);
	if (d && !strcmp(d->name, "detach")) {
		let_be(c, to);
		return 0;
	}
	if (d && !strcmp(d->name, "interrupt") && !args[strspn(args, " \t")]) {
		stop_some(c, to, out);
		return 0;
	}
	if (flags & CMD_RESUMES) {
		let_go(c, to, all, line, out);
		return 0;
	}
	if (kept)
		controller_keep(c, line);
	controller_ask(c, to, line, c->as);
	ranks_show_replies(c, to, prefix, out);
	gathering = flags & CMD_BLOCK || (flags & CMD_BLOCK_BARE && !args[strspn(args, " \t")]);
	gathered_kept = kept;
	return 0;
}

static int gather_line(struct controller *c, const char *line, struct buf *out)
{
	const char *p = line + strspn(line, " \t");

	if (gathered_kept)
		controller_keep(c, line);
	controller_ask(c, &gather_for, line, c->as);
	if (!strncmp(p, "end", 3) && !p[3 + strspn(p + 3, " \t")])
		gathering = false;
	if (!gathering || c->data)
		ranks_show_replies(c, &gather_for, false, out);
	return 0;
}

/* Whom a line without ranks is for. */
static struct rank_set ranks_for(struct controller *c, const char *line, bool *all)
{
	const char *args = line;
	struct buf word = { 0 };
	struct err err;
	const struct cmd_def *d = cmd_word(&args, &word) ? cmd_find(word.s, &err) : NULL;
	bool resumes = d && cmd_flags(d, args) & CMD_RESUMES;
	struct rank_set one = { .n = NULL };

	buf_release(&word);
	*all = d && ((resumes && c->all) || is_kept(d, args));
	if (*all)
		return controller_in(c, resumes ? 1u << RANK_STOPPED : LIVE);
	if (c->chosen >= 0)
		rank_set_add(&one, c->chosen);
	return one;
}

static int send_to_some(struct controller *c, struct rank_set *to, bool all, bool prefix, const char *line,
			struct buf *out, struct err *err)
{
	int ret;

	if (!to->count && !all)
		ret = err_set(err, "no rank has joined yet: 'ranks' lists them");
	else
		ret = send_line(c, to, all, prefix, line, out);
	if (ret == 0 && gathering) {
		rank_set_release(&gather_for);
		gather_for = *to;
	} else {
		rank_set_release(to);
	}
	return ret;
}

/* ---- its own ---------------------------------------------------------------------------------- */

static int nothing_more(const char *args, const char *name, struct err *err)
{
	return args[strspn(args, " \t")] ? err_set(err, "'%s' takes no arguments", name) : 0;
}

static int ranks_run(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	if (nothing_more(args, "ranks", err) < 0)
		return -1;
	controller_look(c);
	if (c->data)
		ranks_data_table(c);
	else
		ranks_show_table(c, out);
	return 0;
}

/* The ranks that it names are there. */
static int check_there(struct controller *c, const struct rank_set *s, struct err *err)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (!controller_rank(c, s->n[i]))
			return err_set(err, "there is no rank %d: 'ranks' lists them", s->n[i]);
	return 0;
}

static int choose(struct controller *c, const struct rank_set *s, struct buf *out, struct err *err)
{
	struct rank *r;

	if (s->count != 1)
		return err_set(err, "one rank is chosen: 'rank N', or 'rank RANKS COMMAND' for several");
	if (check_there(c, s, err) < 0)
		return -1;
	c->chosen = s->n[0];
	r = controller_rank(c, c->chosen);
	buf_addf(out, "[%d] ", c->chosen);
	rank_describe(r, out);
	buf_addc(out, '\n');
	if (r->state == RANK_STOPPED)
		buf_adds(out, val_text(r->stop, "text"));
	if (c->data)
		val_put(c->data, "rank", val_int(c->chosen));
	return 0;
}

static int rank_run(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	struct rank_set s;
	const char *rest;
	bool all;

	args += strspn(args, " \t");
	if (!*args) {
		buf_addf(out, c->chosen < 0 ? "no rank has joined\n" : "rank %d is chosen\n", c->chosen);
		return 0;
	}
	if (rank_set_read(&s, args, &rest, &all, err) < 0)
		return -1;
	rest += strspn(rest, " \t");
	if (all)
		s = controller_in(c, LIVE);
	if (*rest && (all || check_there(c, &s, err) == 0))
		return send_to_some(c, &s, all, true, rest, out, err);
	if (!*rest && !all && choose(c, &s, out, err) == 0) {
		rank_set_release(&s);
		return 0;
	}
	rank_set_release(&s);
	return all && !*rest ? err_set(err, "'rank all' needs a command, as in 'rank all info locals'") : -1;
}

static void describe_collectives(const struct rank *r, struct buf *out)
{
	const struct val *from = r->state == RANK_RUNNING ? r->look : r->answer;

	if (!from)
		rank_describe(r, out);
	else
		buf_adds(out, *val_text(from, "error") ? val_text(from, "error") : val_text(from, "text"));
}

/* Ranks that run are looked at by a thread of their own. */
static int collectives_run(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	struct rank_set stopped = controller_in(c, 1u << RANK_STOPPED), live = controller_in(c, LIVE);
	int ret = nothing_more(args, "info collectives", err);

	if (ret == 0) {
		controller_ask(c, &stopped, "info collectives", c->as);
		controller_look(c);
		if (c->data)
			ranks_data_looked(c, &live);
		else
			ranks_show_folded(c, &live, describe_collectives, true, out);
	}
	rank_set_release(&stopped);
	rank_set_release(&live);
	return ret;
}

/* What Dynamo does stops each rank; divergence.c lets those go on that stop for the same. */
static int divergence_run(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	static const char *const kinds[] = { "catch compile", "catch recompile", "catch graph-break" };
	struct rank_set live = controller_in(c, LIVE);
	size_t i;
	int ret = nothing_more(args, "catch divergence", err);

	for (i = 0; ret == 0 && !c->watched && i < sizeof(kinds) / sizeof(*kinds); i++) {
		controller_keep(c, kinds[i]);
		controller_ask(c, &live, kinds[i], "text");
	}
	if (ret == 0) {
		c->watched = true;
		buf_adds(out, "catchpoint: divergence of ranks\n");
	}
	rank_set_release(&live);
	return ret;
}

static int divergence_off(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	if (nothing_more(args, "delete divergence", err) < 0)
		return -1;
	c->watched = false;
	return 0;
}

static int set_multiple(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	(void)out;
	args += strspn(args, " \t");
	if (strcmp(args, "on") && strcmp(args, "off"))
		return err_set(err, "invalid value '%.100s' for 'schedule-multiple': expected on or off", args);
	c->all = args[1] == 'n';
	return 0;
}

static int set_patience(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	char *after;
	double seconds;

	(void)out;
	args += strspn(args, " \t");
	seconds = strtod(args, &after);
	if (after == args || *after || !(seconds >= 0 && seconds <= MOST_PATIENCE))
		return err_set(err, "invalid value '%.100s' for 'ranks-patience': expected seconds, from 0 to %d", args,
			       MOST_PATIENCE);
	c->patience = (long)(seconds * 1000);
	return 0;
}

static int set_timeout(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	long seconds;

	(void)out;
	args += strspn(args, " \t");
	if (!text_is_number(args, 1, MOST_PATIENCE, &seconds))
		return err_set(err, "invalid value '%.100s' for 'connection-timeout': expected seconds, from 1 to %d",
			       args, MOST_PATIENCE);
	controller_timeout(c, (int)seconds);
	return 0;
}

static int show_multiple(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	(void)args;
	(void)err;
	buf_addf(out, "schedule-multiple is %s: what continues, continues %s\n", c->all ? "on" : "off",
		 c->all ? "all stopped ranks" : "the chosen rank");
	return 0;
}

static int show_patience(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	(void)args;
	(void)err;
	buf_addf(out, "ranks-patience is %g s\n", (double)c->patience / 1000);
	return 0;
}

static int show_timeout(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	(void)args;
	(void)err;
	buf_addf(out, "connection-timeout is %d s\n", c->timeout);
	return 0;
}

static int interrupt_run(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	if (nothing_more(args, "interrupt", err) < 0)
		return -1;
	stop_some(c, NULL, out);
	return 0;
}

static int detach_run(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	struct rank_set live = controller_in(c, LIVE);
	int ret = nothing_more(args, "detach", err);

	(void)out;
	if (ret == 0)
		end = RANKS_DETACHED;
	rank_set_release(&live);
	return ret;
}

static int quit_run(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	(void)c;
	(void)out;
	if (nothing_more(args, "quit", err) < 0)
		return -1;
	end = RANKS_QUIT;
	return 0;
}

/* A command file; one that reads itself ends at a depth. */
static int source_run(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	enum { MOST = 1 << 20, DEEPEST = 16 };
	static int depth;
	struct buf text = { 0 };
	char *line, *next;
	int ret;

	if (!*args)
		return err_set(err, "'source' needs a file");
	if (depth >= DEEPEST)
		return err_set(err, "too many files that read each other");
	ret = file_read(args, false, &text, MOST, err);
	depth++;
	for (line = text.s; ret == 0 && line && *line && end == RANKS_GO_ON; line = next) {
		next = line + strcspn(line, "\n");
		next += *next ? (*next = '\0', 1) : 0;
		if (line[strspn(line, " \t")] != '#')
			ranks_cmd_run(c, line, out);
	}
	depth--;
	buf_release(&text);
	return ret;
}

static int help_run(struct controller *c, const char *args, struct buf *out, struct err *err);

static const struct ranks_command commands[] = {
	{ .name = "ranks", .help = "state and place of each rank; equal ones in one line", .run = ranks_run },
	{ .name = "info ranks", .help = "the same", .run = ranks_run },
	{ .name = "rank",
	  .args = "[N|RANKS COMMAND]",
	  .help = "choose a rank, or run a command in some",
	  .more = "RANKS are numbers and ranges, as 0-2,5, or all. Answers that are equal are shown once.\n"
		  "Commands without ranks are for the chosen rank; breakpoints, catchpoints and settings are for\n"
		  "all, and ranks that join later, or again, get them too.",
	  .run = rank_run },
	{ .name = "set schedule-multiple",
	  .args = "on|off",
	  .help = "commands that continue are for all stopped ranks, or for the chosen one",
	  .run = set_multiple },
	{ .name = "show schedule-multiple", .help = "whether they are for all", .run = show_multiple },
	{ .name = "set ranks-patience",
	  .args = "SECONDS",
	  .help = "how long the others may run on when a rank has stopped, before the prompt comes",
	  .run = set_patience },
	{ .name = "show ranks-patience", .help = "how long that is", .run = show_patience },
	{ .name = "set connection-timeout",
	  .args = "SECONDS",
	  .help = "after how long without a sign of the other host a rank runs on, and counts as gone here",
	  .more = "Of ranks that connect by TCP; a process that ends on this host is noticed at once. Ranks that join\n"
		  "later get it, too.",
	  .run = set_timeout },
	{ .name = "show connection-timeout", .help = "how long that is", .run = show_timeout },
	{ .name = "info collectives",
	  .help = "the last collectives of each rank, and which it waits in, also of ranks that run",
	  .more = "From torch's flight recorder, which gloo always writes.",
	  .run = collectives_run },
	{ .name = "compare",
	  .args = "[RANKS] VIEW [ARGUMENTS]",
	  .help = "rows of a view that some ranks have and others do not: guards, entries, breaks, locals",
	  .more = "Any view that 'info' shows as rows, with its arguments: 'compare 0-3 guards 0/1'.\n"
		  "The others are compared with the most equal ranks.\n"
		  "The rows' order, addresses, counters in names, device indexes and what is measured do not count.\n"
		  "Ranks that run are not compared.",
	  .run = compare_run },
	{ .name = "catch divergence",
	  .help = "stop when ranks part: one compiles, recompiles or breaks, and the others wait or do something else",
	  .more = "Ranks that stop for the same event of Dynamo go on by themselves. An alarm comes only when every\n"
		  "other live rank waits in a collective, or stands at another event, for two times 'ranks-patience'.\n"
		  "It sets catch compile, catch recompile and catch graph-break in all ranks.",
	  .run = divergence_run },
	{ .name = "delete divergence", .help = "stop no more for it; its catchpoints stay", .run = divergence_off },
	{ .name = "interrupt",
	  .help = "stop all ranks that run, as Ctrl-C does",
	  .more = "A rank that waits in C code, as in a collective, can be looked at there, but not stepped.",
	  .run = interrupt_run },
	{ .name = "screen",
	  .args = "[N]",
	  .help = "the full screen of the chosen rank, or of rank N, below a row of all ranks",
	  .more = "The rank must stand, on this host. What continues it there continues it alone.\n"
		  "C-x r and a number shows another rank, C-x r q or C-x a the prompt again. C-l draws all again,\n"
		  "where another rank has printed something.",
	  .run = ranks_screen_run },
	{ .name = "source", .args = "FILE", .help = "run the commands of a file", .run = source_run },
	{ .name = "detach", .help = "let the job run on without cdbg, and end with its status", .run = detach_run },
	{ .name = "quit", .help = "end all ranks", .run = quit_run },
	{ .name = "help",
	  .args = "[COMMAND]",
	  .help = "the commands of the controller, or those of the ranks",
	  .run = help_run },
	{ .name = NULL },
};

/* The command that a line begins with, by whole words; *args: behind it. */
static const struct ranks_command *find(const char *line, const char **args)
{
	const struct ranks_command *k, *found = NULL;
	const char *p, *name;

	for (k = commands; k->name; k++) {
		for (p = line + strspn(line, " \t"), name = k->name; *name; name++) {
			if (*name == ' ' && *p && strchr(" \t", *p))
				p += strspn(p, " \t");
			else if (*name == *p)
				p++;
			else
				break;
		}
		if (*name || (*p && !strchr(" \t", *p)))
			continue;
		found = k;
		*args = p + strspn(p, " \t");
	}
	return found;
}

static void help_of(const struct ranks_command *k, struct buf *out)
{
	buf_addf(out, "%s%s%s: %s\n", k->name, k->args ? " " : "", k->args ? k->args : "", k->help);
	if (k->more)
		buf_addf(out, "%s\n", k->more);
}

static int help_run(struct controller *c, const char *args, struct buf *out, struct err *err)
{
	const struct ranks_command *k;
	struct rank_set one = { .n = NULL };
	const char *rest;
	char *line;
	int ret;

	k = *args ? find(args, &rest) : NULL;
	if (k) {
		help_of(k, out);
		return 0;
	}
	if (!*args) {
		for (k = commands; k->name; k++)
			buf_addf(out, "%-24s %s\n", k->name, k->help);
		buf_adds(out, "All other commands are those of the ranks: 'rank 0 help' lists them.\n");
		return 0;
	}
	if (c->chosen >= 0)
		rank_set_add(&one, c->chosen);
	line = mem_fmt("help %s", args);
	ret = send_to_some(c, &one, false, false, line, out, err);
	free(line);
	return ret;
}

/* A rank that is stopped is chosen, where the chosen one has ended or runs. */
static void choose_stopped(struct controller *c)
{
	const struct rank *r = controller_rank(c, c->chosen);
	struct rank_set stopped;

	if (r && r->state == RANK_STOPPED)
		return;
	stopped = controller_in(c, 1u << RANK_STOPPED);
	if (stopped.count)
		c->chosen = stopped.n[0];
	rank_set_release(&stopped);
}

enum ranks_end ranks_cmd_run(struct controller *c, const char *line, struct buf *out)
{
	const struct ranks_command *k;
	struct err err = { "" };
	struct rank_set to;
	const char *args;
	bool all;
	int ret;

	end = RANKS_GO_ON;
	c->interrupted = false;
	if (gathering) {
		ret = gather_line(c, line, out);
	} else if (!line[strspn(line, " \t")]) {
		ret = 0;
	} else if ((k = find(line, &args))) {
		ret = k->run(c, args, out, &err);
	} else {
		to = ranks_for(c, line, &all);
		ret = send_to_some(c, &to, all, false, line, out, &err);
	}
	if (ret < 0 && c->data) {
		val_put(c->data, "ok", val_bool(false));
		val_put(c->data, "error", val_str(err.text));
	} else if (ret < 0) {
		buf_addf(out, "error: %s\n", err.text);
	}
	choose_stopped(c);
	return end;
}

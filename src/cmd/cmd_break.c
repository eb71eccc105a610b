/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: break, tbreak, dprintf, delete, clear, enable, disable, condition, ignore. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/val.h"
#include "cmd/bp_numbers.h"
#include "cmd/cmd_table.h"
#include "engine/bp.h"
#include "engine/checkpoint.h"
#include "engine/past_places.h"
#include "engine/pending.h"
#include "engine/session.h"

static void say_made(struct session *s, const struct bp *b, struct reply *out)
{
	struct buf notes = { 0 }, where = { 0 };
	char *why;

	bp_where(s, b, &where);
	bp_notes(b, &notes);
	buf_adds(&out->text, b->temporary ? "temporary " : "");
	if (b->places.n)
		buf_addf(&out->text, "%s %d at %s\n", bp_type_name(b), b->number, buf_str(&where));
	else {
		why = pending_why(s, b->loc);
		buf_addf(&out->text, "%s %d is pending: %s\n", bp_type_name(b), b->number, why ? why : b->loc->text);
		free(why);
	}
	if (notes.len)
		buf_addf(&out->text, "%s\n", buf_str(&notes));
	cmd_say_ended(s, out);
	out->more = val_map();
	val_put(out->more, "breakpoint", bp_summary(s, b));
	buf_release(&notes);
	buf_release(&where);
}

/* Takes log. */
static int make(struct session *s, const char *args, bool temporary, struct message *log, struct reply *out,
		struct err *err)
{
	struct expr *cond;
	struct buf what = { 0 };
	struct loc *loc;
	struct bp *b;

	if (bp_split_if(args, &what, &cond, err) < 0) {
		buf_release(&what);
		message_unref(log);
		return -1;
	}
	loc = loc_parse(s, buf_str(&what), err);
	buf_release(&what);
	if (!loc) {
		expr_unref(cond);
		message_unref(log);
		return -1;
	}
	b = log ? bp_logpoint(s, loc, cond, log, err) : bp_break(s, loc, cond, temporary, err);
	if (!b)
		return -1;
	say_made(s, b, out);
	return 0;
}

/* In the record of a process that is gone. */
static int break_recorded(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct buf where = { 0 };
	struct bp *b = past_places_break(s, args, &where, err);

	if (b) {
		buf_addf(&out->text, "breakpoint %d at %s\n", b->number, buf_str(&where));
		out->more = val_map();
		val_put(out->more, "breakpoint", bp_summary(s, b));
	}
	buf_release(&where);
	return b ? 0 : -1;
}

static int run_break(struct session *s, const char *args, struct reply *out, struct err *err)
{
	if (s->gone)
		return break_recorded(s, args, out, err);
	return make(s, args, false, NULL, out, err);
}

static int run_tbreak(struct session *s, const char *args, struct reply *out, struct err *err)
{
	return make(s, args, true, NULL, out, err);
}

/* ---- logpoints ------------------------------------------------------------------------------------------------ */

/* The comma between the location and the message: the first one outside of brackets and quotes. */
static const char *message_comma(const char *args)
{
	const char *p, *quote;
	int deep = 0;

	for (p = args; *p; p++) {
		quote = *p == '\'' || *p == '"' ? strchr(p + 1, *p) : NULL;
		if (quote)
			p = quote;
		else if (*p == ',' && !deep)
			return p;
		deep += (*p && strchr("([{", *p)) - (*p && strchr(")]}", *p));
	}
	return NULL;
}

static int run_dprintf(struct session *s, const char *args, struct reply *out, struct err *err)
{
	const char *comma = message_comma(args), *typed = comma ? comma + 1 + strspn(comma + 1, " \t") : "";
	size_t n = comma ? (size_t)(comma - args) : 0;
	struct message *log;
	char *text, *where;
	int rc;

	if (!*typed)
		return err_set(err, "missing message after the location and a comma, as in 'dprintf f, x is {x}'");
	text = message_unquote(typed);
	log = message_new(text, err);
	free(text);
	if (!log)
		return -1;
	while (n && (args[n - 1] == ' ' || args[n - 1] == '\t'))
		n--;
	where = mem_strn(args, n);
	rc = make(s, where, false, log, out, err);
	free(where);
	return rc;
}

/* ---- deleting ------------------------------------------------------------------------------------------- */

static void delete_one(struct session *s, struct bp *b, struct buf *out)
{
	buf_addf(out, "%s %d deleted\n", bp_type_name(b), b->number);
	bp_delete(s, b);
}

static int delete_all(struct session *s, struct reply *out)
{
	struct bp *b;
	int number;

	if (!bp_first(s)) {
		buf_adds(&out->text, "no breakpoints\n");
		return 0;
	}
	if (!session_confirm(s, "delete all breakpoints, catchpoints and watchpoints?"))
		return 0;
	for (b = bp_first(s); b; b = bp_after(s, number)) {
		number = b->number;
		delete_one(s, b, &out->text);
	}
	return 0;
}

/* delete checkpoint 1 2 */
static int checkpoint_numbers(const char *args, struct reply *out, struct err *err)
{
	struct buf word = { 0 };
	long number;
	int ret = 0;

	if (!*args)
		return err_set(err, "missing number: 'delete checkpoint N'; 'info checkpoints' lists them");
	while (!ret && cmd_word(&args, &word)) {
		if (!text_is_number(buf_str(&word), 1, INT_MAX, &number))
			ret = err_set(err, "invalid number of a checkpoint: '%s'", word.s);
		else if ((ret = checkpoint_delete((int)number, err)) == 0)
			buf_addf(&out->text, "checkpoint %ld deleted\n", number);
	}
	buf_release(&word);
	return ret;
}

static int run_delete(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct buf word = { 0 };
	const char *rest = args;

	/* as in gdb: delete breakpoints 1 2 */
	if (cmd_word(&rest, &word) && word.len > 1 && !strncmp("breakpoints", buf_str(&word), word.len))
		args = rest;
	if (word.len > 1 && !strncmp("checkpoints", buf_str(&word), word.len)) {
		buf_release(&word);
		return checkpoint_numbers(rest, out, err);
	}
	buf_release(&word);
	return *args ? bp_each_named(s, args, delete_one, &out->text, err) : delete_all(s, out);
}

static bool shares_place(const struct bp *b, const struct places *at)
{
	const struct place *p;
	int i, k;

	for (i = 0; b->type == BP_BREAK && i < b->places.n; i++)
		for (k = 0, p = &b->places.place[i]; k < at->n; k++)
			if (p->code == at->place[k].code && p->index == at->place[k].index)
				return true;
	return false;
}

static int run_clear(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct loc *loc = loc_parse(s, args, err);
	struct places at = { 0 };
	struct bp *b;
	struct frame *f;
	int cleared = 0, number;

	if (!loc || loc_resolve(s, loc, &at, err) < 0) {
		loc_free(loc);
		return -1;
	}
	/* here: the current location, whichever instruction its line begins with */
	f = *args ? NULL : session_frame(s, NULL);
	if (f && f->code && f->index >= 0)
		places_add(&at, f->code, f->index, f->line, NULL);
	for (b = bp_first(s); b; b = bp_after(s, number)) {
		number = b->number;
		if (!shares_place(b, &at) && !(b->type == BP_BREAK && !b->places.n && !strcmp(b->loc->text, args)))
			continue;
		delete_one(s, b, &out->text);
		cleared++;
	}
	places_release(&at);
	loc_free(loc);
	if (!cleared)
		return err_set(err, "no breakpoint at '%s': 'info breakpoints' lists them", *args ? args : ".");
	return 0;
}

/* ---- enabling, conditions and counts ---------------------------------------------------------------------- */

static void enable_one(struct session *s, struct bp *b, struct buf *out)
{
	(void)out;
	bp_enable(s, b, true);
}

static void disable_one(struct session *s, struct bp *b, struct buf *out)
{
	(void)out;
	bp_enable(s, b, false);
}

static int each(struct session *s, const char *args, void (*one)(struct session *, struct bp *, struct buf *),
		struct reply *out, struct err *err)
{
	struct bp *b;
	int number;

	if (*args)
		return bp_each_named(s, args, one, &out->text, err);
	if (!bp_first(s))
		return err_set(err, "no breakpoints");
	for (b = bp_first(s); b; b = bp_after(s, number)) {
		number = b->number;
		one(s, b, &out->text);
	}
	return 0;
}

static int run_enable(struct session *s, const char *args, struct reply *out, struct err *err)
{
	return each(s, args, enable_one, out, err);
}

static int run_disable(struct session *s, const char *args, struct reply *out, struct err *err)
{
	return each(s, args, disable_one, out, err);
}

static int run_condition(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct buf word = { 0 };
	struct expr *cond = NULL;
	struct bp *b;

	if (!cmd_word(&args, &word)) {
		buf_release(&word);
		return err_set(err, "missing number: 'condition N EXPR' sets a condition, 'condition N' removes it");
	}
	/* compiled first: it may start a collection, and with it other threads */
	b = bp_named(s, buf_str(&word), err);
	if (b && *args) {
		cond = expr_new(args, err);
		b = cond ? bp_named(s, buf_str(&word), err) : NULL;
	}
	buf_release(&word);
	if (!b) {
		expr_unref(cond);
		return -1;
	}
	bp_set_condition(b, cond);
	if (!cond)
		buf_addf(&out->text, "%s %d now stops without a condition\n", bp_type_name(b), b->number);
	return 0;
}

/* How often it is skipped again after a stop. */
static long skips_again(const char *word, long count)
{
	return !strcmp(word, "each") ? count : !strcmp(word, "once") ? BP_NEVER : !*word ? 0 : -1;
}

static int run_ignore(struct session *s, const char *args, struct reply *out, struct err *err)
{
	struct buf word = { 0 };
	struct bp *b = NULL;
	long count, again;
	char *end;

	if (cmd_word(&args, &word))
		b = bp_named(s, buf_str(&word), err);
	else
		err_set(err, "missing number: 'ignore N COUNT'");
	buf_release(&word);
	if (!b)
		return -1;
	count = strtol(args, &end, 10);
	again = skips_again(end + strspn(end, " \t"), count);
	if (end == args || count < 0 || count > BP_NEVER || again < 0)
		return err_set(err,
			       "invalid count '%s': expected a number, as in 'ignore %d 10', and 'each' or 'once' "
			       "behind it",
			       args, b->number);
	bp_ignore(b, count, again);
	if (count || again)
		buf_addf(&out->text, "%s %d will ignore the next %ld hit%s%s\n", bp_type_name(b), b->number, count,
			 count == 1 ? "" : "s",
			 !again		   ? "" :
			 again == BP_NEVER ? ", and all after one stop" :
					     ", and as many after each stop");
	else
		buf_addf(&out->text, "%s %d will stop at its next hit\n", bp_type_name(b), b->number);
	return 0;
}

#define LOCATIONS \
	"LOCATION is FILE:LINE, LINE, +N, FUNC, module.FUNC, FILE:FUNC, an expression that\n" \
	"gives a function, *OFFSET, #INDEX, FUNC*OFFSET, FUNC#INDEX, FUNC@REGION,\n" \
	"FUNC@python:LINE (a line of the decompiled source), opcode:NAME, or node:NAME, a node,\n" \
	"buffer or kernel of a compiled graph; NAME may be a pattern: node:add*.  An ENTRY (0/0)\n" \
	"can be used as FUNC.  Without LOCATION, or with `.`: the current location.  A location that\n" \
	"does not exist yet is pending until it does."

const struct cmd_def cmd_break[] = {
	{ .name = "break",
	  .alias = "b br",
	  .args = "[LOCATION] [if COND]",
	  .group = GROUP_BREAK,
	  .flags = CMD_AFTER_EXIT | CMD_GONE,
	  .complete = cmd_complete_location,
	  .run = run_break,
	  .help = "stop each time a location is reached",
	  .more = LOCATIONS
	  "\nIn the record of a process that is gone `continue` and `rcontinue` go to it; LOCATION is\n"
	  "FILE:LINE, LINE, FUNC, FILE:FUNC, ENTRY or node:NAME there." },
	{ .name = "tbreak",
	  .alias = "tb",
	  .args = "[LOCATION] [if COND]",
	  .group = GROUP_BREAK,
	  .flags = CMD_AFTER_EXIT,
	  .complete = cmd_complete_location,
	  .run = run_tbreak,
	  .help = "stop once when a location is reached",
	  .more = LOCATIONS },
	{ .name = "dprintf",
	  .args = "LOCATION [if COND], TEXT",
	  .group = GROUP_BREAK,
	  .flags = CMD_AFTER_EXIT | CMD_RAW,
	  .complete = cmd_complete_location,
	  .run = run_dprintf,
	  .help = "write a text each time a location is reached, without a stop",
	  .more = "In TEXT, {EXPR}, {EXPR!r}, {EXPR:FORMAT} and {EXPR=} are replaced by values in the\n"
		  "frame that reaches the location, as in an f-string; {{ is a brace.  An expression that\n"
		  "raises is replaced by what it raised.  TEXT may be in quotes." },
	{ .name = "delete",
	  .alias = "del",
	  .args = "[N | N-M]...",
	  .group = GROUP_BREAK,
	  .flags = CMD_AFTER_EXIT | CMD_GONE,
	  .complete = bp_complete_number,
	  .run = run_delete,
	  .help = "delete breakpoints, catchpoints and watchpoints by number, or all",
	  .more = "'delete checkpoint N...' ends the processes of checkpoints." },
	{ .name = "clear",
	  .alias = "cl",
	  .args = "[LOCATION]",
	  .group = GROUP_BREAK,
	  .flags = CMD_AFTER_EXIT,
	  .complete = cmd_complete_location,
	  .run = run_clear,
	  .help = "delete the breakpoints at a location, or at the current one" },
	{ .name = "enable",
	  .alias = "en",
	  .args = "[N | N-M]...",
	  .group = GROUP_BREAK,
	  .flags = CMD_AFTER_EXIT | CMD_GONE,
	  .complete = bp_complete_number,
	  .run = run_enable,
	  .help = "enable breakpoints, catchpoints and watchpoints by number, or all" },
	{ .name = "disable",
	  .args = "[N | N-M]...",
	  .group = GROUP_BREAK,
	  .flags = CMD_AFTER_EXIT | CMD_GONE,
	  .complete = bp_complete_number,
	  .run = run_disable,
	  .help = "disable breakpoints, catchpoints and watchpoints by number, or all" },
	{ .name = "condition",
	  .args = "N [EXPR]",
	  .group = GROUP_BREAK,
	  .flags = CMD_AFTER_EXIT | CMD_RAW,
	  .complete = bp_complete_condition,
	  .run = run_condition,
	  .help = "set the condition of a breakpoint, or remove it",
	  .more = "The breakpoint then stops only if EXPR is true in the frame that reaches it, or if\n"
		  "evaluating EXPR fails." },
	{ .name = "ignore",
	  .args = "N COUNT [each|once]",
	  .group = GROUP_BREAK,
	  .flags = CMD_AFTER_EXIT,
	  .complete = bp_complete_one,
	  .run = run_ignore,
	  .help = "ignore the next hits of a breakpoint",
	  .more = "With `each`, it ignores as many again after each stop: `ignore 1 9 each` stops at every\n"
		  "tenth hit.  With `once`, it stops once and ignores all hits after that." },
	{ .name = NULL },
};

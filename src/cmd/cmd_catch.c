/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: catch, tcatch. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/bp_numbers.h"
#include "cmd/cmd_table.h"
#include "engine/bp.h"
#include "engine/past_places.h"
#include "engine/session.h"
#include "py/interp/names.h"
#include "py/value/value.h"

static int make_catchpoint(struct session *s, const char *args, bool temporary, struct reply *out, struct err *err)
{
	struct buf what = { 0 }, kind = { 0 }, notes = { 0 };
	const struct event_kind *k;
	const char *words;
	char name[64];
	struct expr *cond;
	struct bp *b;
	int rc = -1;

	if (bp_split_if(args, &what, &cond, err) < 0)
		goto out;
	words = buf_str(&what);
	if (!cmd_word(&words, &kind)) {
		event_find("", err);
		expr_unref(cond);
		goto out;
	}
	k = event_find(buf_str(&kind), NULL);
	snprintf(name, sizeof(name), "catch %s", k ? k->name : "");
	if (k && cmd_check_options(name, k->args, words, err) < 0) {
		expr_unref(cond);
		goto out;
	}
	if (s->gone && (cond || temporary || past_places_may_catch(buf_str(&kind), words, err) < 0)) {
		if (cond || temporary)
			session_present(s, err);
		expr_unref(cond);
		goto out;
	}
	b = bp_catch(s, buf_str(&kind), words, cond, temporary, err);
	if (!b)
		goto out;
	buf_addf(&out->text, "%scatchpoint %d: %s%s%s\n", temporary ? "temporary " : "", b->number, b->kind->name,
		 *b->words ? " " : "", b->words);
	bp_notes(b, &notes);
	if (notes.len)
		buf_addf(&out->text, "%s\n", buf_str(&notes));
	cmd_say_ended(s, out);
	rc = 0;
out:
	buf_release(&what);
	buf_release(&kind);
	buf_release(&notes);
	return rc;
}

static int run_catch(struct session *s, const char *args, struct reply *out, struct err *err)
{
	return make_catchpoint(s, args, false, out, err);
}

static int run_tcatch(struct session *s, const char *args, struct reply *out, struct err *err)
{
	return make_catchpoint(s, args, true, out, err);
}

/* Adds the name if it reads like that of an exception. */
static void add_exception(void *arg, const char *name, struct py_obj *value)
{
	static const char *const ends[] = { "Error", "Exception", "Warning", "Exit", "Interrupt", "Iteration" };
	size_t i, n = strlen(name), k;
	struct buf b = { 0 };

	value_show_data(value, &b, 60);
	for (i = 0; i < sizeof(ends) / sizeof(*ends) && !strncmp(buf_str(&b), "class ", 6); i++) {
		k = strlen(ends[i]);
		if (n >= k && !strcmp(name + n - k, ends[i]))
			cmd_candidate(arg, name, b.s);
	}
	buf_release(&b);
}

/* Options and other words that are typed as they are: "[-r] [FUNC]", "[nan | inf]". */
static void add_literals(const struct event_kind *k, struct val *list)
{
	char *about = mem_fmt("catch %s %s", k->name, k->args), *word;
	const char *p;
	size_t n;

	for (p = k->args + strcspn(k->args, "-abcdefghijklmnopqrstuvwxyz"); *p;
	     p += strcspn(p, "-abcdefghijklmnopqrstuvwxyz")) {
		n = strspn(p, "-abcdefghijklmnopqrstuvwxyz");
		word = mem_strn(p, n);
		cmd_candidate(list, word, about);
		free(word);
		p += n;
	}
	free(about);
}

/* The arguments of a kind. */
static void complete_words(struct session *s, const char *args, const char *word, struct val *list)
{
	char *kind = mem_strn(args, strcspn(args, " \t"));
	const struct event_kind *k = event_find(kind, NULL);
	struct frame *f = session_stopped(s) ? session_frame(s, NULL) : NULL;

	free(kind);
	if (!k || !k->args)
		return;
	add_literals(k, list);
	if (strstr(k->args, "SIGNAL"))
		cmd_complete_signals(list, SIGINT);
	else if (strstr(k->args, "FUNC"))
		cmd_complete_location(s, args, word, list);
	else if (strstr(k->args, "TYPE") && f && f->fo)
		names_visible(f->fo, add_exception, list);
}

static void cmd_catch_complete(struct session *s, const char *args, const char *word, struct val *list)
{
	const struct event_kind *k;
	int i;

	if (strcspn(args, " \t") < strlen(args)) {
		complete_words(s, args, word, list);
		return;
	}
	for (i = 0; (k = event_at(i)); i++)
		if (k->args)
			val_push(list, val_str(k->name));
}

#define MORE \
	"`catch` alone lists the kinds: exception, and those that plugins add.  WORDS\n" \
	"restrict it: a function, the type of an exception.  Catchpoints are numbered like\n" \
	"breakpoints: delete, disable, condition, ignore and commands work on them."

const struct cmd_def cmd_catch[] = {
	{ .name = "catch",
	  .args = "KIND [WORDS] [if COND]",
	  .group = GROUP_BREAK,
	  .flags = CMD_AFTER_EXIT | CMD_GONE,
	  .complete = cmd_catch_complete,
	  .run = run_catch,
	  .help = "stop each time an event of a kind happens",
	  .more = MORE },
	{ .name = "tcatch",
	  .args = "KIND [WORDS] [if COND]",
	  .group = GROUP_BREAK,
	  .flags = CMD_AFTER_EXIT,
	  .complete = cmd_catch_complete,
	  .run = run_tcatch,
	  .help = "stop once when an event of a kind happens",
	  .more = MORE },
	{ .name = NULL },
};

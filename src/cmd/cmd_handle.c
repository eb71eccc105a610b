/* SPDX-License-Identifier: BSD-3-Clause */
/* Command: handle, which sets what happens when a signal arrives. */
#include <signal.h>
#include <string.h>
#include "base/err.h"
#include "base/signame.h"
#include "base/val.h"
#include "cmd/cmd_table.h"
#include "engine/procs.h"

static const struct action {
	const char *name;
	int stop, print, pass; /* 1: yes, -1: no, 0: unchanged */
	const char *about;
} actions[] = {
	{ "stop", 1, 1, 0, "stop the program, and print it" }, { "nostop", -1, 0, 0, "do not stop the program" },
	{ "print", 0, 1, 0, "print that it arrived" },	       { "noprint", -1, -1, 0, "do not print it, do not stop" },
	{ "pass", 0, 0, 1, "let the program have it" },	       { "noignore", 0, 0, 1, "let the program have it" },
	{ "nopass", 0, 0, -1, "keep it from the program" },    { "ignore", 0, 0, -1, "keep it from the program" },
};

static const struct action *find_action(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(actions) / sizeof(*actions); i++)
		if (!strcmp(actions[i].name, word))
			return &actions[i];
	return NULL;
}

static bool apply_change(bool now, int how)
{
	return how ? how > 0 : now;
}

/* The words: signals, "all", and actions, in any order.  -1: err. */
static int take_words(const char *args, bool *signals, struct action *what, struct err *err)
{
	struct buf word = { 0 };
	const struct action *a;
	int sig, n, ret = 0;

	while (!ret && cmd_word(&args, &word)) {
		a = find_action(word.s);
		sig = a ? 0 : signame_number(word.s);
		if (a) {
			what->name = a->name;
			what->stop = a->stop ? a->stop : what->stop;
			what->print = a->print ? a->print : what->print;
			what->pass = a->pass ? a->pass : what->pass;
		} else if (!strcmp(word.s, "all")) {
			for (n = 0; (sig = procs_signal_at(n)); n++)
				signals[sig] = signals[sig] || (sig != SIGINT && !signame_uncatchable(sig));
		} else if (sig)
			signals[sig] = true;
		else
			ret = err_set(err,
				      "unknown signal or action '%s'; actions are stop, nostop, print, noprint, "
				      "pass and nopass, 'info signals' lists the signals",
				      word.s);
		buf_reset(&word);
	}
	buf_release(&word);
	return ret;
}

static void say_signal(struct buf *out, int sig)
{
	struct disposition d = procs_disposition(sig);

	buf_addf(out, "%s: %s, %s, %s\n", signame_name(sig), d.stop ? "stop" : "nostop", d.print ? "print" : "noprint",
		 d.pass ? "pass" : "nopass");
}

static int cmd_handle_run(struct session *s, const char *args, struct reply *out, struct err *err)
{
	bool signals[SIGNALS] = { false }, any = false;
	struct action what = { .name = NULL };
	struct disposition d;
	int sig;

	(void)s;
	if (!*args)
		return err_set(err, "missing signal: 'handle SIGNAL ACTION...'; 'info signals' lists the signals");
	if (take_words(args, signals, &what, err) < 0)
		return -1;
	for (sig = 1; sig < SIGNALS; sig++) {
		if (!signals[sig])
			continue;
		any = true;
		d = procs_disposition(sig);
		d.stop = apply_change(d.stop, what.stop);
		d.print = apply_change(d.print, what.print);
		d.pass = apply_change(d.pass, what.pass);
		if (what.name && procs_handle(sig, d, err) < 0)
			return -1;
		say_signal(&out->text, sig);
	}
	return any ? 0 : err_set(err, "missing signal in 'handle %s': 'info signals' lists the signals", args);
}

static void cmd_handle_complete(struct session *s, const char *args, const char *word, struct val *list)
{
	size_t i;

	(void)s;
	(void)word;
	for (i = 0; strchr(args, ' ') && i < sizeof(actions) / sizeof(*actions); i++)
		cmd_candidate(list, actions[i].name, actions[i].about);
	cmd_complete_signals(list, 0);
}

const struct cmd_def cmd_handle[] = {
	{ .name = "handle",
	  .args = "SIGNAL... [ACTION...]",
	  .help = "change what happens when a signal arrives",
	  .more = "ACTION is stop or nostop; print or noprint (stop implies print, noprint implies\n"
		  "nostop); pass (noignore) or nopass (ignore): whether the program gets the signal.\n"
		  "SIGNAL is a name or a number; all: every signal that cdbg can catch, except SIGINT.\n"
		  "The program stops in its main thread, before its handler or the default action\n"
		  "runs.  By default SIGINT (Ctrl-C) stops and is not passed.  SIGKILL and SIGSTOP\n"
		  "cannot be caught.  Faults of C code, such as SIGSEGV, cannot be resumed inside the\n"
		  "process: use a debugger of C, which runs in another process.",
	  .group = GROUP_BREAK,
	  .flags = CMD_AFTER_EXIT,
	  .complete = cmd_handle_complete,
	  .run = cmd_handle_run },
	{ .name = NULL },
};

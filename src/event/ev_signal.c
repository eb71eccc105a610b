/* SPDX-License-Identifier: BSD-3-Clause */
/* Stop event: a signal is about to be handled by the program, in its main thread. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/signame.h"
#include "event/event_table.h"

/* Signals caught without a name: those of gdb, except those that job control and ended children send. */
static bool is_common_signal(int sig)
{
	return sig != SIGINT && sig != SIGCHLD && sig != SIGCONT && sig != SIGTSTP && sig != SIGTTIN &&
	       sig != SIGTTOU && sig != SIGWINCH && sig != SIGURG;
}

static bool signal_matches(const struct event *ev, const char *words)
{
	char *copy, *word, *rest;
	bool found = false;

	if (!*words)
		return is_common_signal(ev->signal);
	copy = mem_str(words);
	for (word = strtok_r(copy, " \t", &rest); word && !found; word = strtok_r(NULL, " \t", &rest))
		found = !strcmp(word, "all") || signame_number(word) == ev->signal;
	free(copy);
	return found;
}

static int signal_check(const char *words, struct err *err)
{
	char *copy = mem_str(words), *word, *rest;
	int ret = 0;

	for (word = strtok_r(copy, " \t", &rest); word && !ret; word = strtok_r(NULL, " \t", &rest))
		if (strcmp(word, "all") && !signame_number(word))
			ret = err_set(err, "unknown signal '%s'; 'info signals' lists them", word);
		else if (signame_number(word) == SIGINT)
			ret = err_set(err, "SIGINT interrupts the program for cdbg: see 'help handle' to change that");
		else if (strcmp(word, "all") && signame_uncatchable(signame_number(word)))
			ret = err_set(err, "cannot catch %s: %s", signame_name(signame_number(word)),
				      signame_uncatchable(signame_number(word)));
	free(copy);
	return ret;
}

static void signal_describe(const struct event *ev, struct buf *out)
{
	buf_addf(out, "signal %s, %s", signame_name(ev->signal), signame_help(ev->signal));
}

const struct event_kind ev_signal = {
	.name = "signal",
	.args = "[SIGNAL...]",
	.help = "a signal arrives, before the program's handler or the default action",
	.matches = signal_matches,
	.check = signal_check,
	.describe = signal_describe,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of signals: see signame.h. */
#include "base/signame.h"
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAMED(n) [n] = #n
static const char *const names[SIGNALS] = {
	NAMED(SIGHUP),	NAMED(SIGINT),	  NAMED(SIGQUIT), NAMED(SIGILL),    NAMED(SIGTRAP), NAMED(SIGABRT),
	NAMED(SIGBUS),	NAMED(SIGFPE),	  NAMED(SIGKILL), NAMED(SIGUSR1),   NAMED(SIGSEGV), NAMED(SIGUSR2),
	NAMED(SIGPIPE), NAMED(SIGALRM),	  NAMED(SIGTERM), NAMED(SIGSTKFLT), NAMED(SIGCHLD), NAMED(SIGCONT),
	NAMED(SIGSTOP), NAMED(SIGTSTP),	  NAMED(SIGTTIN), NAMED(SIGTTOU),   NAMED(SIGURG),  NAMED(SIGXCPU),
	NAMED(SIGXFSZ), NAMED(SIGVTALRM), NAMED(SIGPROF), NAMED(SIGWINCH),  NAMED(SIGIO),   NAMED(SIGPWR),
	NAMED(SIGSYS),
};
#undef NAMED

const char *signame_name(int number)
{
	static char text[SIGNALS][8];

	if (number <= 0 || number >= SIGNALS || (!names[number] && number < SIGRTMIN))
		return NULL;
	if (names[number])
		return names[number];
	snprintf(text[number], sizeof(text[number]), "SIG%d", number);
	return text[number];
}

const char *signame_help(int number)
{
	const char *text = strsignal(number);

	return text ? text : "";
}

int signame_number(const char *text)
{
	const char *digits = strncasecmp(text, "SIG", 3) ? text : text + 3;
	char *end;
	long n;
	int i;

	n = isdigit((unsigned char)*digits) ? strtol(digits, &end, 10) : 0;
	if (n && !*end)
		return n > 0 && n < SIGNALS && signame_name((int)n) ? (int)n : 0;
	for (i = 1; i < SIGNALS; i++)
		if (names[i] && (!strcasecmp(names[i], text) || !strcasecmp(names[i] + 3, text)))
			return i;
	return !strcasecmp(digits, "CLD")  ? SIGCHLD :
	       !strcasecmp(digits, "POLL") ? SIGIO :
	       !strcasecmp(digits, "IOT")  ? SIGABRT :
					     0;
}

const char *signame_uncatchable(int sig)
{
	switch (sig) {
	case SIGKILL:
	case SIGSTOP:
		return "no process can catch it";
	case SIGSEGV:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGSYS:
	case SIGTRAP:
	case SIGABRT:
		return "C code that raised it cannot go on, and cdbg runs in the same process; 'gdb --args python ...' "
		       "can stop there";
	default:
		return sig >= 32 && sig < SIGRTMIN ? "the C library uses it for itself" : NULL;
	}
}

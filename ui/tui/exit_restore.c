/* SPDX-License-Identifier: BSD-3-Clause */
/* Restores the terminal however the process ends: handlers of signals restore it, then let the signal have
   its effect. */
#include "config.h"
#include "ui/tui/exit_restore.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/ownfd.h"
#include "base/file.h"
#include "base/signame.h"
#include "py/crash/crash.h"
#include "ui/output/companion.h"
#include "ui/tui/channel.h"
#include "ui/output/progtty.h"
#include "ui/term/terminal.h"

enum { RECHECK_MS = 100 };

/* The last two are handled only if they would end the process. */
static const int deadly[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGHUP };
enum { DEADLY = sizeof(deadly) / sizeof(*deadly), ALWAYS = 5 };

static struct sigaction old[NSIG];
static bool in[NSIG];
static atomic_int continued;
static atomic_int child;
static pid_t guard, owner;
static bool kept;	    /* see exit_restore_keep() */
static int guard_told = -1; /* closing it makes the watchdog read the state */

/* A signal can reach a fork's child before its atfork handlers run: the number of the process decides. */
static bool is_ours(void)
{
	return !atomic_load(&child) && getpid() == owner;
}

/* True: the screen was shown. */
static bool restore_screen(void)
{
	if (!is_ours())
		return false;
	if (!term_restore()) {
		progtty_give();
		return false;
	}
	progtty_die();
	return true;
}

void exit_restore_now(void)
{
	restore_screen();
}

/* Without it nobody knows why the screen is gone; async-signal-safe. */
static void tell_signal(int sig)
{
	char text[80] = "cdbg: the program was ended by ";
	size_t n = strlen(text), more = strlen(signame_name(sig));
	ssize_t written;

	memcpy(text + n, signame_name(sig), more);
	text[n + more] = '\n';
	written = write(term_fd(), text, n + more + 1);
	(void)written;
}

/* The report of a crash goes to the terminal, below what the program wrote last. */
static int crash_terminal(int sig)
{
	(void)sig;
	if (!is_ours())
		return STDERR_FILENO;
	restore_screen();
	return term_fd();
}

static void on_deadly(int sig, siginfo_t *info, void *context)
{
	int e = errno;

	(void)info;
	(void)context;
	if (restore_screen())
		tell_signal(sig);
	sigaction(sig, &old[sig], NULL);
	in[sig] = false;
	raise(sig); /* blocked until this handler returns */
	errno = e;  /* an older action may continue */
}

/* A handler that was installed later may have saved ours as the previous one, and we may then save that one, as
   with readline's. */
static void chain(int sig, siginfo_t *info, void *context)
{
	static volatile sig_atomic_t busy[NSIG];

	if (busy[sig])
		return;
	busy[sig] = 1;
	if (old[sig].sa_flags & SA_SIGINFO)
		old[sig].sa_sigaction(sig, info, context);
	else if (old[sig].sa_handler != SIG_DFL && old[sig].sa_handler != SIG_IGN)
		old[sig].sa_handler(sig);
	busy[sig] = 0;
}

static void on_news(int sig, siginfo_t *info, void *context)
{
	int e = errno;

	if (is_ours()) {
		if (sig == SIGCONT)
			atomic_store(&continued, 1);
		channel_wake();
	}
	errno = e;
	chain(sig, info, context);
}

static void exit_restore_handler(int sig, void (*handler)(int, siginfo_t *, void *), bool only_default)
{
	struct sigaction now, ours = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	if (sigaction(sig, NULL, &now) < 0)
		return;
	if (now.sa_flags & SA_SIGINFO && (now.sa_sigaction == handler || crash_handles(&now)))
		return; /* that of crashes calls crash_terminal() */
	if (only_default && (now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_DFL))
		return;
	old[sig] = now;
	if (handler == on_deadly)
		sigfillset(&ours.sa_mask);
	else
		ours.sa_flags |= SA_RESTART;
	if (sigaction(sig, &ours, NULL) == 0)
		in[sig] = true;
}

/* Only the forking thread lives here; descriptors 0, 1 and 2 stay the program's terminal, which the parent reads. */
static void exit_restore_forked(void)
{
	size_t i;

	if (kept)
		return;
	atomic_store(&child, 1);
	channel_forked();
	term_forked();
	progtty_forked();
	for (i = 0; i < DEADLY; i++)
		if (in[deadly[i]])
			sigaction(deadly[i], &old[deadly[i]], NULL);
}

void exit_restore_keep(bool on)
{
	kept = on;
}

void exit_restore_watch(void)
{
	static bool atfork;
	size_t i;

	if (!atfork)
		pthread_atfork(NULL, NULL, exit_restore_forked);
	atfork = true;
	owner = getpid();
	crash_shown_by(crash_terminal);
	for (i = 0; i < DEADLY; i++)
		exit_restore_handler(deadly[i], on_deadly, i >= ALWAYS);
	exit_restore_handler(SIGWINCH, on_news, false);
	exit_restore_handler(SIGCONT, on_news, false);
}

/* The screen has ended: from now on the watchdog shows what children write to the program's pty. */
static void guard_leave(void)
{
	ownfd_close(guard_told);
	guard_told = -1;
	guard = 0;
}

void exit_restore_unwatch(void)
{
	struct sigaction now;
	int sig;

	crash_shown_by(NULL);
	for (sig = 1; sig < NSIG; sig++) {
		if (!in[sig] || sigaction(sig, NULL, &now) < 0)
			continue;
		if (now.sa_flags & SA_SIGINFO && (now.sa_sigaction == on_deadly || now.sa_sigaction == on_news))
			sigaction(sig, &old[sig], NULL);
		in[sig] = false;
	}
	if (guard > 0)
		guard_leave();
}

bool exit_restore_continued(void)
{
	return atomic_exchange(&continued, 0);
}

/* ---- the watchdog ------------------------------------------------------------------------------- */

static void put_terminal(void *arg, const char *s, size_t n)
{
	(void)arg;
	file_write_all(term_fd(), s, n);
}

/* The report that the program did not write to the end, as far as it came. */
static void guard_crash(void)
{
	const struct crash *c = crash_shared();
	int state = c ? atomic_load(&c->state) : CRASH_NONE;

	if (state == CRASH_READING || state == CRASH_READ)
		crash_text(c, put_terminal, NULL);
}

/* Runs in the watchdog process, which shares with the program the terminals, and the memory with the number of the
   process that has the screen. */
static void guard_run(void *told, int program)
{
	struct pollfd p[2] = { { .fd = program, .events = POLLIN }, { .fd = *(int *)told, .events = POLLIN } };

	do {
		poll(p, 2, program < 0 || p[1].fd < 0 ? RECHECK_MS : -1);
		if (p[1].revents) /* the program may have closed the other end */
			p[1].fd = -1;
	} while (!p[0].revents && !progtty_guard_over() && !(program < 0 && companion_gone()));
	if (!progtty_guard_over() && term_guard_restore())
		progtty_guard_tell();
	if (!progtty_guard_over())
		guard_crash();
	progtty_guard_pump();
}

void exit_restore_guard(bool on)
{
	int keep[5], told[2];

	if (!on && guard > 0 && !atomic_load(&child)) {
		kill(guard, SIGKILL);
		guard_leave();
	}
	if (!on || guard > 0 || !term_guard_share() || pipe2(told, O_CLOEXEC) < 0)
		return;
	crash_shared();
	keep[0] = told[0];
	keep[1] = term_fd();
	guard_told = ownfd_move(told[1]);
	guard = companion_start(guard_run, keep, keep, 2 + progtty_guard_fds(keep + 2), true);
	close(told[0]);
}

void exit_restore_guard_again(void)
{
	if (guard <= 0)
		return;
	exit_restore_guard(false);
	exit_restore_guard(true);
}

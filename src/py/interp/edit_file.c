/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the user's editor on a file. The stopped thread waits for it while the other threads of the program continue
   to run. */
#include <Python.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/interp/host.h"

/* Signals of keys are for the editor: the debugger ignores them while it waits, and the editor does not inherit that
   Python ignores some. */
static const int keys[] = { SIGINT, SIGQUIT }, ignored[] = { SIGPIPE, SIGXFSZ };

/* The user's choice, or NULL. */
static const char *wanted_editor(void)
{
	const char *s = getenv("VISUAL");

	if (!s || !*s)
		s = getenv("EDITOR");
	return s && *s ? s : NULL;
}

static const char *editor(void)
{
	return wanted_editor() ? wanted_editor() : "vi";
}

/* The front end reads standard input: an editor without a terminal must not. */
static void take_input(int terminal)
{
	int i, none;

	for (i = 0; i < 3 && terminal >= 0; i++)
		dup2(terminal, i);
	if (terminal < 0 && !isatty(0)) {
		none = open("/dev/null", O_RDWR);
		if (none >= 0)
			dup2(none, 0);
	}
}

static _Noreturn void run_editor(const char *command, const char *path, int terminal)
{
	sigset_t none;
	int i;

	for (i = 0; i < 2; i++) {
		signal(keys[i], SIG_DFL);
		signal(ignored[i], SIG_DFL);
	}
	take_input(terminal);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execl("/bin/sh", "sh", "-c", command, "sh", path, (char *)NULL);
	_exit(127);
}

/* The status as a shell says it. */
static int shell_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static pid_t clone_self(int end_signal)
{
	return (pid_t)syscall(SYS_clone, end_signal, NULL, NULL, NULL, 0);
}

/* The process between the program and the editor: it exits with the status of the editor. */
static _Noreturn void run_between(const char *command, const char *path, int terminal)
{
	int status = 0;
	pid_t pid;

	signal(SIGCHLD, SIG_DFL); /* no handler of the program runs here */
	pid = clone_self(SIGCHLD);
	if (pid == 0)
		run_editor(command, path, terminal);
	if (pid < 0)
		_exit(126);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	_exit(shell_status(status));
}

/* Creates a process by clone() without a signal at its end (exec would set one): wait() and the handler of SIGCHLD
   of the program do not see it, and no handlers of fork() run. */
static int wait_for_editor(const char *command, const char *path, int terminal, int *status)
{
	pid_t pid = clone_self(0), got;

	if (pid == 0)
		run_between(command, path, terminal);
	if (pid < 0)
		return -1;
	Py_BEGIN_ALLOW_THREADS
	do
		got = waitpid(pid, status, __WALL);
	while (got < 0 && errno == EINTR);
	Py_END_ALLOW_THREADS
	return got < 0 ? -1 : 0;
}

int edit_file(const char *path, int terminal, struct err *err)
{
	char *command = mem_fmt("%s \"$1\"", editor());
	struct sigaction ignore = { .sa_handler = SIG_IGN }, was[2];
	struct termios modes;
	int fd = terminal < 0 ? 0 : terminal, status = 0, ended, i, ret;
	bool tty = tcgetattr(fd, &modes) == 0;

	if (!tty && !wanted_editor()) {
		free(command);
		return err_set(err,
			       "cannot start an editor: there is no terminal; set EDITOR to a program that needs none");
	}
	for (i = 0; i < 2; i++)
		sigaction(keys[i], &ignore, &was[i]);
	ret = wait_for_editor(command, path, terminal, &status);
	if (ret < 0)
		err_set(err, "cannot start the editor '%s': %s", editor(), strerror(errno));
	for (i = 0; i < 2; i++)
		sigaction(keys[i], &was[i], NULL);
	if (tty) /* one that was killed left its own */
		tcsetattr(fd, TCSADRAIN, &modes);
	free(command);
	ended = shell_status(status);
	if (ret == 0 && ended > 128)
		return err_set(err, "the editor '%s' was killed by signal %d", editor(), ended - 128);
	if (ret == 0 && ended)
		return err_set(err, "the editor '%s' failed with status %d; set EDITOR to choose another", editor(),
			       ended);
	return ret;
}

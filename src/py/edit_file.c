/* SPDX-License-Identifier: BSD-3-Clause */
/* The user's editor on a file.  The program waits with it, but its other threads run on. */
#include <Python.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "py/host.h"

static const char *editor(void)
{
	const char *s = getenv("VISUAL");

	if (!s || !*s)
		s = getenv("EDITOR");
	return s && *s ? s : "vi";
}

/* What the editor must not inherit from a debugger that waits for it. */
static void run_editor(const char *command, const char *path)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	execl("/bin/sh", "sh", "-c", command, "sh", path, (char *)NULL);
	_exit(127);
}

int edit_file(const char *path, struct err *err)
{
	char *command = mem_fmt("%s \"$1\"", editor());
	struct sigaction ignore = { .sa_handler = SIG_IGN }, was;
	int status = 0;
	pid_t pid, got;

	sigaction(SIGINT, &ignore, &was);    /* Ctrl-C is the editor's */
	pid = fork();
	if (pid == 0)
		run_editor(command, path);
	Py_BEGIN_ALLOW_THREADS
	do
		got = pid > 0 ? waitpid(pid, &status, 0) : -1;
	while (got < 0 && pid > 0 && errno == EINTR);
	Py_END_ALLOW_THREADS
	sigaction(SIGINT, &was, NULL);
	free(command);
	if (got < 0)
		return err_set(err, "cannot start the editor '%s': %s", editor(), strerror(errno));
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return err_set(err, "the editor '%s' failed with status %d: set EDITOR", editor(),
		       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

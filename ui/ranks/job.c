/* SPDX-License-Identifier: BSD-3-Clause */
/* The launcher as a process: see job.h. */
#include "config.h"
#include "ui/ranks/job.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/visible.h"

/* What cdbg says in the environment. */
static bool is_ours(const char *variable)
{
	static const char *const ours[] = { "CDBG_CONNECT=", "CDBG_TOKEN=", "CDBG_TOKEN_FILE=", "CDBG_REPORT=",
					    "CDBG_REPORT_BLAME=" };
	size_t k;

	for (k = 0; k < sizeof(ours) / sizeof(*ours); k++)
		if (!strncmp(variable, ours[k], strlen(ours[k])))
			return true;
	return false;
}

static char **job_environment(const struct job_says *says)
{
	enum { MORE = 6 }; /* with the NULL */
	const char *path = getenv("PYTHONPATH"), *python = "PYTHONPATH=";
	size_t n = 0, i;
	char **env;

	while (environ[n])
		n++;
	env = mem_alloc((n + MORE) * sizeof(*env));
	for (n = i = 0; environ[i]; i++)
		if (!is_ours(environ[i]) && (!says->start || strncmp(environ[i], python, strlen(python))))
			env[n++] = mem_str(environ[i]);
	if (says->address) {
		env[n++] = mem_fmt("CDBG_CONNECT=%s", says->address);
		env[n++] = mem_fmt("CDBG_TOKEN=%s", says->token);
	}
	if (says->report)
		env[n++] = mem_fmt("CDBG_REPORT=%s", says->report);
	if (says->report && says->blame)
		env[n++] = mem_str("CDBG_REPORT_BLAME=1");
	if (says->start)
		env[n++] = mem_fmt("%s%s%s%s", python, says->start, path && *path ? ":" : "", path ? path : "");
	return env;
}

/* In the child.  What Python ignores, and what the prompt waits for, is as ever. */
static _Noreturn void become(char *const *argv, char **env, const struct rlimit *files, int report)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), e;
	sigset_t none;

	setpgid(0, 0);
	if (null >= 0)
		dup2(null, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	setrlimit(RLIMIT_NOFILE, files);
	environ = env;
	execvp(argv[0], argv);
	e = errno;
	if (write(report, &e, sizeof(e)) < 0)
		_exit(126);
	_exit(127);
}

int job_start(struct job *j, char *const *argv, const struct job_says *says, struct err *err)
{
	char **env = job_environment(says);
	int report[2], e = 0;
	size_t i;

	if (pipe2(report, O_CLOEXEC) < 0)
		return err_set(err, "cannot make a pipe: %s", strerror(errno));
	j->pid = fork();
	if (j->pid == 0)
		become(argv, env, &j->files, report[1]);
	e = j->pid < 0 ? errno : 0;
	close(report[1]);
	if (j->pid > 0)
		setpgid(j->pid, j->pid); /* whichever of the two comes first */
	if (j->pid > 0 && read(report[0], &e, sizeof(e)) == (ssize_t)sizeof(e)) {
		waitpid(j->pid, NULL, 0);
		j->pid = 0;
	}
	close(report[0]);
	for (i = 0; env[i]; i++)
		free(env[i]);
	free(env);
	if (e)
		return err_set(err, "cannot start '%s': %s", visible(argv[0]), strerror(e));
	j->fd = (int)syscall(SYS_pidfd_open, (int)j->pid, 0);
	return j->fd < 0 ? err_set(err, "cannot wait for '%s': %s", visible(argv[0]), strerror(errno)) : 0;
}

bool job_over(struct job *j)
{
	if (!j->pid || j->ended)
		return j->ended;
	j->ended = waitpid(j->pid, &j->status, WNOHANG) == j->pid;
	return j->ended;
}

void job_kill(const struct job *j, int sig)
{
	if (j->pid && !j->ended)
		kill(-j->pid, sig);
}

int job_exit_status(const struct job *j)
{
	return WIFSIGNALED(j->status) ? 128 + WTERMSIG(j->status) : WEXITSTATUS(j->status);
}

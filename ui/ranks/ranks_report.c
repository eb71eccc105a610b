/* SPDX-License-Identifier: BSD-3-Clause */
/* A report of each rank of a job: see ranks_report.h. */
#include "config.h"
#include "ui/ranks/ranks_report.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/outdir.h"
#include "ui/args.h"
#include "ui/ranks/job.h"

/* An earlier report of ranks is replaced as a whole.  python/cdbg_report/ranks.py begins its data with the same. */
#define MARK "{\"format\":\"cdbg ranks\""
static const char data[] = MARK ",\"version\":1}\n";

static int make_folder(const char *path, struct err *err)
{
	struct outdir d;

	if (outdir_open(&d, path, "index.json", MARK, err) < 0)
		return -1;
	if (outdir_write(&d, "index.json", data, sizeof(data) - 1, err) < 0) {
		outdir_discard(&d);
		return -1;
	}
	return outdir_commit(&d, err);
}

/* What would end this process is passed on: ranks report before they end. */
static void wait_for_job(struct job *j, const sigset_t *taken)
{
	int sig;

	while (!job_over(j)) {
		sig = sigwaitinfo(taken, NULL);
		if (sig > 0 && sig != SIGCHLD)
			job_kill(j, sig);
	}
}

static void take_signals(sigset_t *taken)
{
	sigemptyset(taken);
	sigaddset(taken, SIGINT);
	sigaddset(taken, SIGTERM);
	sigaddset(taken, SIGHUP);
	sigaddset(taken, SIGCHLD);
	sigprocmask(SIG_BLOCK, taken, NULL);
}

static int run_job(struct job *j, char *const *argv, const struct job_says *says, const sigset_t *taken,
		   struct err *err)
{
	getrlimit(RLIMIT_NOFILE, &j->files);
	if (job_start(j, argv, says, err) < 0)
		return -1;
	wait_for_job(j, taken);
	close(j->fd);
	return 0;
}

/* Standard output is the job's alone. */
static int write_pages(const char *path, const char *python, const sigset_t *taken, struct err *err)
{
	char *const argv[] = { (char *)python,	  (char *)"-m", (char *)"cdbg.report",
			       (char *)"--ranks", (char *)path, NULL };
	const struct job_says nothing = { .address = NULL };
	struct job maker = { .pid = 0 };

	dup2(2, 1);
	return run_job(&maker, argv, &nothing, taken, err);
}

int ranks_report(const struct args *a, char *const *argv, const char *python, const char *start)
{
	struct job job = { .pid = 0 };
	struct job_says says = { .blame = a->report_blame, .start = start };
	struct err err = { "" };
	char *path = outdir_path(a->report, &err);
	int status = 2;
	sigset_t taken;

	take_signals(&taken);
	says.report = path;
	if (path && make_folder(path, &err) == 0 && run_job(&job, argv, &says, &taken, &err) == 0) {
		status = job_exit_status(&job);
		write_pages(path, python, &taken, &err);
	}
	if (err.text[0])
		dprintf(2, "cdbg: %s\n", err.text);
	free(path);
	return status;
}

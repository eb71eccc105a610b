/* SPDX-License-Identifier: BSD-3-Clause */
/* The launcher of a distributed job as a process: started with what its ranks need to find the controller, or to write
   reports.  Knows no rank. */
#ifndef CDBG_JOB_H
#define CDBG_JOB_H
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

struct err;

struct job {
	pid_t pid; /* 0: none was started */
	int fd;	   /* readable when it has ended; -1 */
	bool ended;
	struct rlimit files; /* open files of its processes; set before it is started */
	int status;	     /* as waitpid() gives it */
};

/* What its environment says to cdbg in the ranks; NULL: not that. */
struct job_says {
	const char *address, *token; /* of the controller */
	const char *report;	     /* the folder that has one for each rank's report; without a link */
	bool blame;		     /* ... calls are judged for it */
	const char *start;	     /* the folder that goes in front of PYTHONPATH */
};

/* A process group of its own, so that Ctrl-C reaches the controller alone, with /dev/null as its input: the terminal is
   the prompt's.  -1: err. */
int job_start(struct job *j, char *const *argv, const struct job_says *says, struct err *err);
bool job_over(struct job *j); /* has it ended?  Then status is set. */
void job_kill(const struct job *j, int sig);
int job_exit_status(const struct job *j); /* as a shell tells it */

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* A report of each rank of a job, and a page of what differs: --ranks --report DIR.  The job runs once, without a
   prompt.  Knows no controller and no rank: each rank writes its own report. */
#ifndef CDBG_RANKS_REPORT_H
#define CDBG_RANKS_REPORT_H

struct args;

/* argv: the launcher's command; python and start: as of ranks_main().  The exit status of the process: the job's, 2 if
   it was not started. */
int ranks_report(const struct args *a, char *const *argv, const char *python, const char *start);

#endif

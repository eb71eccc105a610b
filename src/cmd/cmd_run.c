/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands: interrupt, detach, quit, kill, restart; how a session ends or begins again.  Knows no process. */
#include <stdlib.h>
#include "cmd/cmd_table.h"
#include "engine/session.h"
#include "py/hook/hook.h"

static int run_detach(struct session *s, const char *args, struct reply *out, struct err *err)
{
	if (*args)
		return err_set(err, "detach takes no arguments");
	session_resume(s, RESUME_DETACH);
	buf_adds(&out->text, "detached: the program continues without cdbg\n");
	return 0;
}

static int run_quit(struct session *s, const char *args, struct reply *out, struct err *err)
{
	long status = 0;

	if (s->setup.attached && !s->exited)
		return run_detach(s, args, out, err);
	if (*args && !text_is_number(args, 0, 255, &status))
		return err_set(err, "invalid exit status '%s': expected a number from 0 to 255", args);
	if (!s->exited && !s->gone && !(s->event && s->event->dead) &&
	    !session_confirm(s, "The program is running.  End it?"))
		return 0;
	session_quit(s, (int)status);
	return 0;
}

/* A debugger in another process would survive the program; cdbg does not, but 'run' starts both again with their
   settings. */
static int run_kill(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	if (*args)
		return err_set(err, "'kill' takes no arguments: 'quit STATUS' ends with a status");
	if (s->exited)
		return err_set(err, "the program has ended: 'run' starts it again, 'quit' leaves cdbg");
	if (session_confirm(s, "End the program, and cdbg with it?  'run' starts it again instead."))
		session_resume(s, RESUME_QUIT);
	return 0;
}

static int run_restart(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)out;
	if (*args)
		return err_set(err, "'restart' takes no arguments: the program gets the same ones as before");
	if (!s->setup.restartable)
		return err_set(err,
			       "cannot restart: the script came from standard input, this process was not started as "
			       "'python -m cdbg', it serves a socket and nobody is at its terminal, or the program "
			       "closed descriptors that a restart needs");
	if (!s->exited && !session_confirm(s, "The program is running.  Start it from the beginning?"))
		return 0;
	session_resume(s, RESUME_RESTART);
	return 0;
}

/* While the program runs the front end takes this command, but for one that came before the session began: a visit
   serves that. */
static int run_interrupt(struct session *s, const char *args, struct reply *out, struct err *err)
{
	(void)args;
	(void)out;
	(void)err;
	if (!session_stopped(s) && !s->exited)
		hook_interrupt();
	return 0;
}

const struct cmd_def cmd_run[] = {
	{ .name = "interrupt",
	  .group = GROUP_RUN,
	  .flags = CMD_AFTER_EXIT,
	  .run = run_interrupt,
	  .help = "stop the running program, like Ctrl-C (for machines)" },
	{ .name = "detach",
	  .group = GROUP_RUN,
	  .flags = CMD_RESUMES,
	  .run = run_detach,
	  .help = "remove all hooks and let the program continue without cdbg" },
	{ .name = "quit",
	  .alias = "q exit",
	  .args = "[STATUS]",
	  .group = GROUP_RUN,
	  .flags = CMD_AFTER_EXIT | CMD_RESUMES | CMD_PAST,
	  .run = run_quit,
	  .help = "end the program and cdbg",
	  .more = "The program ends at once, as in gdb: no finally clause and no atexit function runs.\n"
		  "The exit status is 0, or STATUS; after the program's own end, the program's status.\n"
		  "A process that was attached to is left as by 'detach'." },
	{ .name = "kill",
	  .group = GROUP_RUN,
	  .flags = CMD_AFTER_EXIT | CMD_RESUMES,
	  .run = run_kill,
	  .help = "kill the program (this also ends cdbg)",
	  .more = "The same as 'quit', which can also set a status.  'run' ends the program and starts it\nagain." },
	{ .name = "restart",
	  .alias = "run",
	  .group = GROUP_RUN,
	  .flags = CMD_AFTER_EXIT | CMD_RESUMES,
	  .run = run_restart,
	  .help = "start the program again; breakpoints, displays and options stay",
	  .more = "It gets the same arguments, environment and directory as at its first start." },
	{ .name = NULL },
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* The controller of a distributed job: one thread that waits for its ranks, the launcher, signals and the prompt.
   Keeps what holds for all ranks, and gives it to those that join late.  Knows no command. */
#ifndef CDBG_CONTROLLER_H
#define CDBG_CONTROLLER_H
#include <stdbool.h>
#include <stddef.h>
#include "ui/ranks/door.h"
#include "ui/ranks/job.h"
#include "ui/ranks/rank_set.h"

struct controller;
struct rank;
struct val;

#define RANKS_ARE \
	"a rank is a Python process that starts with RANK in its environment, as torchrun and srun set it and " \
	"mp.spawn does not"

/* The side that shows what happens.  What is NULL is told by say(). */
struct controller_ops {
	void (*say)(const char *text); /* a line for people, any time */
	void (*joined)(struct controller *c, const struct rank *r, bool again);
	void (*gone)(struct controller *c, const struct rank *r);
	void (*refused)(struct controller *c, const char *who, const char *why);
	void (*input)(struct controller *c);   /* something can be read from the prompt's descriptor */
	void (*waiting)(struct controller *c); /* it begins to wait until ranks stand */
	void (*moved)(struct controller *c);   /* ... and ranks may have stopped meanwhile */
	void (*resumed)(struct controller *c); /* ranks were continued, or asked to stop: what is known is in c->data */
};

struct controller {
	struct door door;
	struct job job;
	int epoll, signals;
	struct rank **rank; /* by number; NULL: has not joined */
	size_t ranks;	    /* of the array */
	int world;	    /* 0: not known yet */
	int chosen;	    /* the rank that commands are for; -1: none has joined */
	struct val *kept;   /* owned list of commands that each rank gets, in order */
	bool going;	    /* the job was let go: a rank that joins now continues by itself */
	bool all;	    /* set schedule-multiple */
	long patience;	    /* ms: set ranks-patience */
	int timeout;	    /* s: set connection-timeout */
	bool watched;	    /* catch divergence */
	char *seen;	    /* ... as the ranks were seen last; owned, or NULL */
	bool diverged;	    /* ... found that ranks have parted; until that is shown */
	bool interrupted;   /* Ctrl-C, until somebody takes it */
	bool input;	    /* something can be read from the prompt's descriptor */
	bool input_polled;  /* that can be waited for; a file cannot */
	int input_fd;
	bool watched_ready; /* something can be read from controller_watch()'s descriptor */
	bool quiet;	    /* nobody is told who joins and leaves */
	const struct controller_ops *ops;
	struct val *data; /* what the command that runs answers to a machine; owned; NULL: a person asks */
	const char *as;	  /* how ranks answer commands: see rank_send() */
	long ids;
};

int controller_open(struct controller *c, const char *address, const char *token_file, struct err *err);
void controller_close(struct controller *c);
/* Starts the launcher; start: the folder that begins cdbg in ranks.  -1: err. */
int controller_start(struct controller *c, char *const *argv, const char *start, struct err *err);
/* A rank that runs already, and was attached to; takes both.  The other: one fewer is waited for. */
void controller_adopt(struct controller *c, int fd, struct val *hello);
void controller_without(struct controller *c);
/* Have controller_wait() set c->input when something can be read from the prompt's descriptor. */
void controller_want_input(struct controller *c);
/* Have controller_wait() say in c->watched_ready whether this descriptor can be read, until it is closed. */
void controller_watch(struct controller *c, int fd);
/* Waits at most so many ms (-1: no limit) for something to happen, and follows it. */
void controller_wait(struct controller *c, int ms);
struct rank *controller_rank(const struct controller *c, int n); /* NULL: it has not joined */
/* The ranks in one of these states (1 << enum rank_state); released by the caller. */
struct rank_set controller_in(const struct controller *c, unsigned states);
/* A command for some ranks; their replies are in rank.answer when it returns, NULL of a rank that gave none: it has
   gone, or Ctrl-C came.  as: see rank_send(). */
void controller_ask(struct controller *c, const struct rank_set *to, const char *command, const char *as);
/* The same of a command that continues them; does not wait until they stop. */
void controller_resume(struct controller *c, const struct rank_set *to, const char *command);
/* Asks the ranks that run what they are in: rank.look, NULL of one that did not answer in time. */
void controller_look(struct controller *c);
/* A rank whose host is gone is lost within so many seconds, and the other way round. */
void controller_timeout(struct controller *c, int seconds);
void controller_keep(struct controller *c, const char *command); /* each rank that joins from now on gets it */
/*
 * Waits until these ranks (NULL: all) stand: each has stopped or ended; or some have, and the others did nothing for
 * `patience`; or the job is over.  Ctrl-C asks them to stop.  at_start: all of the world must have come.
 */
void controller_settle(struct controller *c, const struct rank_set *of, bool at_start);
bool controller_over(struct controller *c); /* the launcher has ended, or all ranks have where there is none */

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* In a rank of a distributed job: connects to the controller, and shows who this is.  Knows no session. */
#ifndef CDBG_RANK_JOIN_H
#define CDBG_RANK_JOIN_H

struct err;

struct rank_join {
	const char *address;	/* unix:PATH or HOST:PORT; NULL: there is no controller */
	const char *token;	/* or NULL */
	const char *token_file; /* ... then it is in this file; or NULL */
	const char *torch;	/* its version, for the controller; or NULL */
};

/* A descriptor over which the controller sends commands, in the machine interface.  Rank, world and the like are what
   the launcher says in the environment.  Waits at most HANDSHAKE_MS.  -1: err, for the user of the job. */
int rank_join(const struct rank_join *j, struct err *err);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What ranks say, as data for programs: the same as ranks_show.h has for people.  Knows no command and no protocol. */
#ifndef CDBG_RANKS_DATA_H
#define CDBG_RANKS_DATA_H

struct controller;
struct rank;
struct rank_set;
struct val;

struct val *ranks_data_set(const struct rank_set *s); /* a list of numbers */
/*
 * Puts the replies of these ranks into c->data: of one rank "rank" and the members of its reply; of several "ranks",
 * "ok" (did all do it?) and "answers", where equal ones are one object with its "ranks".  The answers are used up.
 */
void ranks_data_replies(struct controller *c, const struct rank_set *of);
/* The same after controller_look(): the answer of one that runs is what it was in. */
void ranks_data_looked(struct controller *c, const struct rank_set *of);
void ranks_data_table(struct controller *c);	     /* `ranks`: a row a rank into c->data */
struct val *ranks_data_event(const struct rank *r);  /* its stop, or its end, with "rank" */
struct val *ranks_data_member(const struct rank *r); /* who it is: "rank", "host", "pid" and the like */
/* Who is missing where a part of the ranks waits: {"ranks":[3],"collective":...} for each such collective.  In one of
   all ranks nobody is named: what each does instead is known. */
struct val *ranks_data_absent(const struct controller *c);
struct val *ranks_data_divergence(const struct controller *c); /* a stop of reason "divergence" */

#endif

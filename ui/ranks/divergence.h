/* SPDX-License-Identifier: BSD-3-Clause */
/* `catch divergence`: ranks that part from each other.  Every rank stops for what Dynamo does; those that stop for the
   same go on by themselves.  Knows no command. */
#ifndef CDBG_DIVERGENCE_H
#define CDBG_DIVERGENCE_H
#include <stdbool.h>

struct controller;
struct rank;
struct rank_set;
struct val;

enum divergence {
	DIVERGENCE_NONE,  /* somebody stopped for another reason, or nobody is watched: the prompt's matter */
	DIVERGENCE_WAIT,  /* nothing is known yet */
	DIVERGENCE_SAME,  /* all stand for the same: they can go on */
	DIVERGENCE_FOUND, /* they have parted, and c->diverged is set */
};

/* quiet: nothing happened for `patience`: then ranks that run are looked at.  An alarm needs two such looks that saw
   the same, in which all other live ranks wait in a collective or stand elsewhere. */
void divergence_forget(struct controller *c); /* the look before: the ranks go on */
enum divergence divergence_check(struct controller *c, bool quiet);
/* After DIVERGENCE_FOUND: the ranks that parted from the others, added to an empty set: the live ones that do something
   else than the largest group of equal ones.  Of groups of one size the one that waits is the norm. */
void divergence_parted(const struct controller *c, struct rank_set *out);
/* The collective in which a rank that runs waited when it was looked at: borrowed; NULL: in none, or no rank. */
const struct val *divergence_waits_in(const struct rank *r);
bool divergence_same(const struct val *a, const struct val *b); /* are they one collective? */
/* Of a collective that a rank waits in: the ranks of its group, and those of them that do not wait in it.  Both are
   released by the caller.  False: who belongs to the group is not known, and both are empty. */
bool divergence_absent(const struct controller *c, const struct val *in, struct rank_set *members,
		       struct rank_set *absent);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The way from a checkpoint to an instruction that was recorded: in the process of the checkpoint the program runs on
   to it, and what runs is compared with what ran before.  Knows neither processes nor the record that was left. */
#ifndef CDBG_WAY_H
#define CDBG_WAY_H
#include <stdbool.h>
#include <stdint.h>

struct buf;
struct code;
struct hook_thread;
struct session;

extern bool way_away; /* the program is on it: nothing else stops it */

/* A stop: the last instruction that is recorded; name: of its function. */
void way_note(uint64_t number, uint32_t unit, const char *name);
/* The process is about to leave for a checkpoint.  goal: the number of the instruction before which the program is to
   stop; the stops before that number are points to compare, and so are those that follow, in the order of their
   numbers. */
void way_leave(uint64_t goal, uint64_t before);
void way_leave_point(uint64_t number, uint32_t unit, const char *name);
/* For the process that goes there; nothing is added if no way was begun. */
void way_write(struct buf *out);
void way_read(struct session *s, const char *text);
/* In that process, before its stop is shown: the program continues, if the goal is ahead. */
void way_begin(struct session *s);
/* sink->recorded(): is this the goal? */
bool way_at(struct session *s, struct hook_thread *t, const struct code *c, int unit);
/* A stop begins, or the program ends: so does a way that has not reached its goal, with a note. */
void way_stopped(struct session *s);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What a record tells of many instructions: a list of them, values that were written, calls, time.  Reads it from one
   end to the other; runs nothing. */
#ifndef CDBG_PAST_HISTORY_H
#define CDBG_PAST_HISTORY_H
#include <stdbool.h>
#include "py/record/record_read.h"

struct buf;
struct err;
struct session;

/* An instruction and what it made, once that is known; or a value that was written. */
struct history_row {
	uint64_t number, serial;
	const struct record_code *code;
	uint32_t unit;
	int level;		  /* frames that are recorded below it */
	bool argument;		  /* of a list of writes: the call passed it, and this is its first instruction */
	struct record_value made; /* kind RECORDED_UNKNOWN: nothing, or it is not known */
};

struct history {
	struct history_row *row; /* owned */
	size_t n, cap;
};

/* The last n instructions before the moment that is looked at, that one included.  -1: err. */
int history_last(struct session *s, long n, struct history *out, struct err *err);
/* Values of a variable of any recorded function, those that its calls passed too, or of slot N ("$N") of the selected
   frame's code, newest first. */
int history_writes(struct session *s, const char *name, struct history *out, struct err *err);
void history_release(struct history *h);

/* A call: of a code object. */
struct history_call {
	uint64_t number, serial; /* number: of its first instruction */
	const struct record_code *code;
	char *arguments;	    /* owned: "n=3, m=None" */
	struct record_value result; /* kind RECORDED_UNKNOWN: it raised, or has not returned */
	uint64_t begin, end;	    /* ticks; end 0: it has not ended, or began before the record */
	int how;		    /* enum hook_how; -1: it has not ended */
};

struct history_calls {
	struct history_call *call; /* owned */
	size_t n, cap;
};

/* Oldest first; func "": of all code. */
int history_calls(struct session *s, const char *func, struct history_calls *out, struct err *err);
void history_calls_release(struct history_calls *h);

/* The time of a region, node, kernel, or of a function that has none. */
struct history_time {
	const struct record_code *code;
	int32_t note; /* -1: the whole function */
	uint64_t count;
	double seconds;
};

struct history_times {
	struct history_time *time; /* owned */
	size_t n, cap;
};

int history_times(struct session *s, struct history_times *out, struct err *err); /* most first */
void history_times_release(struct history_times *h);

/* Texts of a row: its function, offset, opcode and argument, region or node. */
const char *history_function(const struct record_code *c);
void history_instr(const struct history_row *r, uint32_t *offset, const char **op, const char **arg, int *line,
		   const char **what);
/* As history_instr() names it. */
const char *history_note(const struct record_code *c, int32_t note);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the time of compiles went: torch's own phases as a tree, and costs by line, module and operator.  Plain data;
   knows not how it is measured. */
#ifndef DYNAMO_MODEL_TIMING_H
#define DYNAMO_MODEL_TIMING_H
#include "torch/cdbg_host.h"

struct entry;
struct func;

enum phase {
	PHASE_TRACE,
	PHASE_DISCARDED,
	PHASE_GUARDS,
	PHASE_BACKEND,
	PHASE_AOT,
	PHASE_JOINT,
	PHASE_LOWERING,
	PHASE_SCHEDULING,
	PHASE_CODE,
	PHASE_COMPILE,
	PHASE_AUTOTUNE,
	PHASE_LOAD,
	PHASE_CACHE,
	PHASE_IMPORT,
	PHASE_GC,
	PHASE_OTHER,
	PHASE_COUNT,
};

struct phase_info {
	const char *key;   /* its column: "lowering" */
	const char *title; /* for people, short: "C++/Triton" */
	const char *help;
	const char *doing; /* on the status line: "inductor, scheduling"; "": nothing to say */
};

extern const struct phase_info phase_info[PHASE_COUNT];
enum phase phase_of(const char *event); /* of an event of torch's; PHASE_OTHER for an unknown one */

/* An event of torch's, all of that name within the same one; seconds without time in stops. */
struct span {
	struct span *next, *first; /* beside it; within it, oldest first */
	const char *name;	   /* the model's text; NULL: the root */
	double self, total;	   /* without, with those within it */
	long calls;
	bool discarded; /* a restart threw its results away */
};

/* Of one line of the program in one module. */
struct line_cost {
	const char *file, *module; /* the model's texts; module NULL: none */
	int line;
	double trace, lowering; /* seconds: Dynamo's, inductor's */
	long starts, lowered;	/* how often Dynamo began it; nodes that inductor lowered */
};

struct operator_cost {
	const char *target; /* the model's text, as nodes have it */
	double fake, lowering;
	long lowered; /* nodes lowered */
};

enum cache { CACHE_AOT, CACHE_INDUCTOR, CACHE_COUNT };

/* How often a cache of torch's had what was asked for, had it not, and could not be asked. */
struct cache_use {
	long hits, misses, bypasses;
};

struct timing_threads {
	bool running; /* it goes on, in this thread: */
	unsigned long own;
	unsigned long other[32]; /* those that helped; further ones are not counted */
	int n;
};

struct timing_attempts {
	int timed;	/* those that cdbg timed, because this torch does not */
	char *restarts; /* torch's reasons, a line for each; or NULL */
	char *misses;	/* of compiled autograd: why it captured again, a line for each; or NULL */
};

struct timing_lines {
	struct line_cost *line;
	size_t n, cap;
	int *slot; /* hash table: index + 1 */
	size_t slots;
};

struct timing_operators {
	struct operator_cost *op;
	size_t n, cap;
};

/* One compile, or the part of it that came later: the backward graph's, autotuning at run time. */
struct timing {
	struct timing *next;  /* the order in which they began */
	char *id;	      /* as the entry is called; NULL: torch gave none */
	PyObject *compile_id; /* owned: torch's object, or NULL */
	struct func *func;    /* NULL: not known */
	struct entry *entry;  /* NULL: it gave none, or none of Dynamo's */
	bool backward;
	double wall; /* the outermost events, without other compiles within them */
	struct span root;
	struct span beside; /* in other threads meanwhile: part of no total */
	struct timing_threads threads;
	struct timing_attempts attempts;
	struct cache_use cache[CACHE_COUNT];
	struct timing_lines lines;
	struct timing_operators ops;
};

extern struct timing *model_timings;
struct timing *timing_new(const char *id, PyObject *compile_id, bool backward);
/* That compile's: by torch's object if it has one, else the newest of this name; NULL: none. */
struct timing *timing_find(PyObject *compile_id, const char *id, bool backward);
/* The one within `of` with this name, made when it is the first. name: the model's text. */
struct span *span_within(struct span *of, const char *name);
struct line_cost *timing_line(struct timing *t, const char *file, int line, const char *module);
struct operator_cost *timing_operator(struct timing *t, const char *target);
/* Seconds by phase; their sum is what the outermost events took. */
void timing_phases(const struct timing *t, double out[PHASE_COUNT]);
void timings_release(void);

#endif

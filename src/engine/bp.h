/* SPDX-License-Identifier: BSD-3-Clause */
/* Breakpoints, catchpoints and watchpoints: their table, places, counts and conditions.  Knows no command. */
#ifndef CDBG_BP_H
#define CDBG_BP_H
#include <limits.h>
#include "engine/loc.h"
#include "event/event.h"
#include "py/interp/eval.h"
#include "py/interp/message.h"
#include "py/hook/hook.h"

struct session;

enum bp_type { BP_BREAK, BP_CATCH, BP_WATCH };

struct bp {
	struct bp *next;
	int number; /* never given twice */
	enum bp_type type;
	bool enabled, temporary, silent;
	bool told;		       /* BP_CATCH: why it cannot stop in what runs was reported */
	struct loc *loc;	       /* BP_BREAK: as parsed, resolved again whenever code appears */
	struct places places;	       /* where it is armed now; none: pending */
	const struct event_kind *kind; /* BP_CATCH */
	char *words;		       /* arguments of the catchpoint, or the watched expression */
	struct expr *cond;	       /* NULL: none */
	struct message *log;	       /* BP_BREAK: a logpoint, which writes this and does not stop; NULL: it stops */
	long hits;
	long ignore;	     /* so many hits do not stop */
	long again;	     /* ... and so many after each stop */
	char **commands;     /* NULL-terminated, or NULL */
	struct watch *watch; /* BP_WATCH: watch.c's */
	/* BP_WATCH: called when it is enabled or disabled, and before it is deleted; else NULL. */
	void (*enable)(struct session *s, struct bp *b, bool on);
	void (*ended)(struct session *s, struct bp *b);
	int busy;  /* users that evaluate its condition: the last one frees it */
	bool dead; /* deleted during an evaluation */
	/* In the record of a process that is gone, see past_places.h. */
	uint64_t *recorded; /* BP_BREAK: places in ascending order, owned */
	int nrecorded;
	uint64_t activation; /* BP_WATCH: the frame's serial */
};

/* A new one is enabled.  Takes loc, cond and log, also on failure.  NULL with err: nothing was added. */
struct bp *bp_break(struct session *s, struct loc *loc, struct expr *cond, bool temporary, struct err *err);
struct bp *bp_logpoint(struct session *s, struct loc *loc, struct expr *cond, struct message *log, struct err *err);
/* A temporary breakpoint where a function's code begins, its own or generated, which runs this command line; an earlier
   one for the same code takes it too.  Returns its number; -1: err. */
int bp_run_at(struct session *s, struct py_code *co, const char *line, struct err *err);
struct bp *bp_catch(struct session *s, const char *kind, const char *words, struct expr *cond, bool temporary,
		    struct err *err);
struct bp *bp_watch(struct session *s, const char *text, struct err *err);
/* One without code, for the record of a process that is gone; its places are the caller's to add. */
struct bp *bp_recorded(struct session *s, enum bp_type type, const char *text);
struct bp *bp_find(struct session *s, int number);
struct bp *bp_first(struct session *s);
/* The first one with a higher number; NULL: none.  A loop whose body may run the program's code must use this: both
   the current breakpoint and the next one may be deleted meanwhile. */
struct bp *bp_after(struct session *s, int number);
void bp_delete(struct session *s, struct bp *b);
void bp_enable(struct session *s, struct bp *b, bool on);
void bp_set_condition(struct bp *b, struct expr *cond); /* takes cond; NULL: none */
void bp_set_commands(struct bp *b, char **lines);	/* takes the lines (mem_*, NULL-terminated), NULL: none */
/* The remark on the place at this instruction, where it stands for another: borrowed, or NULL. */
const char *bp_note_at(const struct bp *b, const struct code *c, int index);
/* The line that the place at this instruction stands for; 0: none. */
int bp_line_at(const struct bp *b, const struct code *c, int index);
/* "line 2 is in the graph call of 0/0"; several places: one a line.  Of a catchpoint: why it cannot stop in what runs
   now.  Empty when there is nothing to say. */
void bp_notes(const struct bp *b, struct buf *out);
const char *bp_type_name(const struct bp *b); /* "breakpoint", "logpoint", "catchpoint", "watchpoint" */
/* It for programs, as a map that the caller owns: number, type, enabled; of a breakpoint also verified (false: it is
   pending), file and line, null where they are not known, and note if it is elsewhere than typed. */
struct val *bp_summary(struct session *s, const struct bp *b);
/* Its location for people: "toy.py:3 (toy_example)", "pending: later_module.py:3", "graph-break toy_example", "n +
   1". */
void bp_where(struct session *s, const struct bp *b, struct buf *out);
/* The command lines that create it again, for `save breakpoints` and `restart`. */
void bp_script(struct session *s, const struct bp *b, struct buf *out);
/* Is the condition true?  The evaluation is bracketed like a stop.  An error counts as true, with the reason in
   *trouble. */
bool bp_condition(struct session *s, struct bp *b, struct hook_thread *t, const struct scope *sc, char **trouble);
/* Runs this with the names of a frame, in the bracket of a stop.  false: after Ctrl-C, which stops the program. */
bool bp_evaluate(struct session *s, struct hook_thread *t, const struct scope *sc,
		 void (*run)(void *arg, const struct scope *sc), void *arg);
/* Count a hit whose condition is true; false: `ignore` still skips it. */
bool bp_count(struct bp *b);
/* Keep a breakpoint while the program's code runs; the last user frees one that was deleted meanwhile. */
struct bp *bp_hold(struct bp *b); /* returns b */
bool bp_drop(struct bp *b);	  /* false: it was deleted and is freed */
/* The last number that was used; 0: none yet. */
int bp_last(const struct session *s);
/* For bp_set.c and watch.c: into the table, with its number; out of it (false: it is not in it); and its memory. */
void bp_add(struct session *s, struct bp *b);
bool bp_unlink(struct session *s, struct bp *b);
void bp_free(struct bp *b);

/* New code appeared (generated code, the body of a module): resolve locations that are pending or may have more
   places. */
void bp_code_appeared(struct session *s);
/* The program gives a function with the code old the code now: breakpoints on that function wait in both. */
void bp_code_replaced(struct session *s, struct py_code *old, struct py_code *now);
/* The code of a compiled graph appeared: the same for locations in graphs, and catchpoints with places. */
void bp_graph_appeared(struct session *s);
/* The body of a module of the program is about to run: the same for locations that this body can affect. */
void bp_module_appeared(struct session *s, struct py_code *body);
/* The body of a library module is about to run: the same if a pending location names this module. */
void bp_body_appeared(struct session *s, struct py_code *body);
/* At an instruction flagged CODE_BREAK: the breakpoint that stops here now, after counting the hit; or NULL.
   Logpoints have written their messages then.  The
   stop deletes a temporary one.  A condition that raises an error stops too; *trouble has the reason (owned by the
   caller). */
struct bp *bp_hit(struct session *s, struct hook_thread *t, struct py_frame *f, struct code *c, int index,
		  char **trouble);
/* The catchpoint that stops at this event, after counting the hit; or NULL.  Sets ev->number. */
struct bp *bp_caught(struct session *s, struct event *ev, char **trouble);
bool bp_catching(struct session *s, const char *kind);
/* Arm code for all breakpoints that are set; called after each change. */
void bp_arm(struct session *s);
enum { BP_NEVER = INT_MAX };			     /* for again: it stops once */
void bp_ignore(struct bp *b, long hits, long again); /* so many hits do not stop, then so many after each stop */
void bp_require(struct bp *b, struct expr *cond);    /* takes the condition of a new one */

#endif

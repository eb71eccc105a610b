/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of stop events and events: what can stop the program, as data. */
#ifndef CDBG_EVENT_KIND_H
#define CDBG_EVENT_KIND_H
#include <stdbool.h>
#include <stddef.h>

struct buf;
struct code;
struct err;
struct event;
struct hook_thread;
struct places;
struct py_frame;
struct py_obj;
struct val;

struct event_kind {
	const char *name; /* "graph-break": as typed after catch, and as reason in JSON */
	const char *args; /* arguments of catch: "[FUNC]"; NULL: it cannot be caught */
	const char *help; /* one line */
	/* The first catchpoint of this kind is set (on), or the last one is deleted (off).  May be NULL. */
	void (*arm)(bool on);
	/* Instructions at which this happens at run time: a catchpoint is set there like a breakpoint, and resolved
	   again whenever code appears.  Returns how many; NULL or 0: events of this kind are emitted instead. */
	int (*places)(const char *words, struct places *out);
	/* The frame is at one of these instructions: does the event happen now? May emit another event and return
	   false. NULL: always. */
	bool (*happens)(const char *words, struct py_frame *f, struct code *c, int index);
	/* Detail of such a stop, owned by the caller; asked inside it.  May be NULL. */
	struct val *(*detail)(struct code *c, int index);
	/* Does this event match the arguments of `catch KIND`?  NULL: compare the function's name. */
	bool (*matches)(const struct event *ev, const char *words);
	/* Add the text for people after "stopped: ", one line without newline.  NULL: the name. */
	void (*describe)(const struct event *ev, struct buf *out);
	/* Check the arguments of `catch KIND`; -1 with err.  NULL: any are valid. */
	int (*check)(const char *words, struct err *err);
	/* Adds all that a user needs to know about such a stop, in lines, the first one a title: what happened,
	   where, why, what to do. Adds nothing if `describe` says all of it.  May be NULL. */
	void (*card)(const struct event *ev, struct buf *out);
	/* A catchpoint of this kind has no instruction to stop at.  Adds why none can come from what runs now, and
	   what to do, in lines; nothing if it may still come.  May be NULL. */
	void (*absent)(const char *words, struct buf *out);
	/* Adds what `info breakpoints` says of such a catchpoint, in lines.  May be NULL. */
	void (*notes)(const char *words, struct buf *out);
};

/* A frame without a Python frame: the function that is being compiled.  All text is borrowed. */
struct fake_frame {
	const char *function, *file;
	int line;	       /* 0: unknown */
	const char *entry;     /* or NULL */
	struct py_code *code;  /* the uncompiled code that is being compiled; borrowed, or NULL */
	struct py_obj *locals; /* dict of the arguments' values; borrowed, may be NULL */
	struct py_obj *globals;
	const struct val *symbolic; /* list of maps name, value, type, kind: what it has computed; or NULL */
	const struct val *stack;    /* list of maps value, type, kind, bottom first; or NULL */
};

/* Everything is borrowed, but the session stops with a copy that holds what it shows: see event_hold(). */
struct event {
	const struct event_kind *kind;
	struct hook_thread *thread;
	struct py_frame *frame; /* innermost real frame to show, or NULL: none */
	struct code *code;
	int index;			/* instruction, -1 */
	bool at_event;			/* frame is at an instruction event: stack and jump are whole */
	int number;			/* of the breakpoint, catchpoint or watchpoint; 0: none */
	struct py_obj *value;		/* return: the value that is returned; watch: the new value */
	struct py_obj *type, *exc, *tb; /* exception */
	bool dead;			/* the frames of tb have exited: post mortem */
	const struct fake_frame *top;	/* shown as level 0 above frame, or NULL */
	int signal;			/* signal: its number */
	const struct val *detail;	/* a map, given to machines as it is; or NULL */
};

#endif

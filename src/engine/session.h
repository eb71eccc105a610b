/* SPDX-License-Identifier: BSD-3-Clause */
/* The session: one program being debugged, what it is stopped at, and the only call that goes up, to a front end. */
#ifndef CDBG_SESSION_H
#define CDBG_SESSION_H
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "engine/stack.h"
#include "event/event.h"

struct session;

enum note_level { NOTE_INFO, NOTE_WARNING };

struct front_ops {
	const char *name;                    /* "plain", "json", "tui" */
	/* The program stopped.  Reads command lines and gives them to cmd_execute() until s->resume is set. */
	void (*stopped)(struct session *s, const struct event *ev);
	void (*running)(struct session *s);  /* it goes on; may be NULL */
	/* Worth saying, no answer and no stop.  Any time, with the GIL. */
	void (*note)(struct session *s, enum note_level level, const char *text);
	/* Text of trace output, commands of breakpoints and displays: as if the last command had said it. */
	void (*say)(struct session *s, const char *text);
	/* The program ended.  Serves views, restart and quit until s->resume is RESUME_QUIT or RESUME_RESTART. */
	void (*exited)(struct session *s, int status);
	/* A yes-or-no question; without a person to ask: yes. */
	bool (*confirm)(struct session *s, const char *question);
	void (*release)(struct session *s);  /* leave the terminal as it was; called once, may be NULL */
};

/* What the stopped program does next; set by commands, looked at by the front end after each command. */
enum resume { RESUME_NONE, RESUME_GO, RESUME_DETACH, RESUME_QUIT, RESUME_RESTART };

struct session {
	const struct front_ops *front;
	enum resume resume;
	/* The stop, while there is one (thread != NULL). */
	struct hook_thread *thread;
	struct event *event;                 /* a copy that holds its objects; commands keep it true */
	struct hook_thread *viewed;          /* the selected thread: the stopped one, or what `thread N` chose */
	struct stack stack;                  /* of the selected thread */
	int selected;                        /* level of the selected frame */
	/* Life of the program. */
	bool started, exited, detached;
	int status;                          /* exit status, once exited */
	bool interactive;                    /* a person is at a terminal: ask, page, colour */
	bool batch;
	bool restartable;                    /* the process can begin anew */
	/* How the process ends or starts anew; set by module.c, does not return when it works. */
	void (*end)(struct session *s, bool restart);
	/* Lines to run before the front end is asked: -ex, -x, rc files, commands of breakpoints. */
	struct line_queue *queue;
	char *last_line;                     /* for the empty line that repeats */
	struct gather *gather;               /* lines being gathered up to `end`, or NULL */
	/* Owned by their own files. */
	struct bp_table *bps;
	struct step *steps;
	struct options *options;
	struct display_list *displays;
	struct source_cache *sources;
	struct plugs *plugs;
};

struct session *session_get(void);           /* the one session; NULL before session_new() and after a detach */
struct session *session_living(void);        /* the one that debugs now, or NULL */
struct session *session_new(const struct front_ops *front);
int session_start(struct session *s, struct err *err);       /* hooks in */
void session_detach(struct session *s);      /* hooks and wraps out; the front end's release is called */
/* The script's code object is about to run in this thread: stop before its first instruction (kind `start`). */
void session_stop_at(struct session *s, struct py_code *co);
/* The same for the script of this co_filename, which this thread compiles and runs next; NULL: no longer. */
void session_stop_at_file(struct session *s, struct py_obj *file);
/* cdbg.breakpoint(): stop at the next instruction of the innermost frame that is not cdbg's own. */
void session_break_here(struct session *s);
/* An exception nobody caught: stop with the dead frames readable.  All borrowed. */
void session_post_mortem(struct session *s, struct py_obj *type, struct py_obj *exc, struct py_obj *tb);
/* The program ended: the front end serves what remains; returns when it is time to end the process. */
void session_exit(struct session *s, int status);
/* A forked child: hooks out, no front end; true where follow-fork-mode has it go on with the session. */
bool session_forked(struct session *s);
void session_forked_parent(struct session *s);       /* ... and its parent, which then runs on without */

/*
 * An event that stops the program: serves the front end until it is told to go on.  Called in the program's thread
 * with the GIL, from a hook or a plugin.  A stop that another thread meets meanwhile waits here (GIL released) and is
 * shown next.  Nothing escapes: the program's exception, tracing and Dynamo's state are as before.
 */
void session_stop(struct session *s, const struct event *ev);
bool session_stopped(const struct session *s);

/* Lines to be run as if typed; front ones first when `next`. */
void session_queue(struct session *s, const char *line, bool next);
char *session_unqueue(struct session *s);    /* NULL when empty; the caller owns the line */
void session_note(struct session *s, enum note_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void session_say(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The selected frame; NULL with err when the program is not stopped or has none. */
struct frame *session_frame(struct session *s, struct err *err);
struct scope;
int session_scope(struct session *s, struct scope *out, struct err *err);     /* names of the selected frame */
/* Set the next instruction of the stopped frame; refused with the reason where that cannot be. */
int session_jump(struct session *s, struct code *c, int index, struct err *err);
/* Write a slot of the stopped frame's value stack; refused with the reason where that would corrupt the interpreter. */
int session_set_slot(struct session *s, int slot, struct py_obj *value, struct err *err);
/* Select another thread's stack (`thread N`). */
int session_select_thread(struct session *s, int number, struct err *err);
/* The program's own files: roots of what FUNC means; found by session_exec and module bodies. */
void session_program_code(struct session *s, struct py_code *module_body);
/* The n-th module body of the program's own files that ran or is about to; borrowed, NULL past the last. */
struct py_code *session_module_code(const struct session *s, int n);

#endif

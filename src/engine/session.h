/* SPDX-License-Identifier: BSD-3-Clause */
/* The session: one program being debugged, its current stop, and the table of functions of the front end. */
#ifndef CDBG_SESSION_H
#define CDBG_SESSION_H
#include "base/buf.h"
#include "base/err.h"
#include "base/val.h"
#include "engine/stack.h"
#include "event/event.h"

struct bp;
struct session;

enum note_level { NOTE_INFO, NOTE_WARNING };
enum queued_by { QUEUED_AT_START, QUEUED_BY_FILE, QUEUED_BY_STOP };

/* Why no line was read. */
enum input_end {
	INPUT_LINE,    /* there is one */
	INPUT_CLEARED, /* Ctrl-C */
	INPUT_EOF,     /* Ctrl-D, or the end of a pipe */
	INPUT_GONE,    /* the terminal hung up, or the program took our descriptors */
	INPUT_NOBODY,  /* nobody can be asked now; at a later stop somebody may */
};

struct reply;

/* A command that has run. */
struct ran {
	const char *line;
	bool typed; /* read by the front end; else queued: -ex, files, breakpoints' commands */
	bool failed;
	struct reply *reply;
	const struct err *err; /* why it failed */
};

enum bp_news { BP_NEWS_SET, BP_NEWS_CHANGED, BP_NEWS_GONE };

/* What a logpoint wrote at a hit; all borrowed. */
struct log_line {
	int number;	  /* of the logpoint */
	const char *text; /* without a newline at its end */
	const char *file; /* of the code that ran */
	int line;	  /* in it; 0: not known */
};

/* What a front end does: it displays and reads.  The session says when, in cmd_serve(). */
struct front_ops {
	const char *name;     /* "plain", "json", "tui" */
	const char *no_child; /* why it cannot follow a child of the program; NULL: it can */
	void (*stopped)(struct session *s, const struct event *ev); /* show the stop */
	void (*exited)(struct session *s, int status); /* show that the program ended; a detached one's too */
	/* Before each line; false: no lines are taken, s->resume tells what becomes of the program.  May be NULL. */
	bool (*ready)(struct session *s);
	char *(*read)(struct session *s, enum input_end *end); /* a line, owned by the caller; NULL: *end says why */
	void (*begin)(struct session *s, bool typed);	       /* a command begins; may be NULL */
	void (*ran)(struct session *s, const struct ran *ran); /* show its result */
	void (*served)(struct session *s);		       /* no more lines are read for this stop; may be NULL */
	void (*running)(struct session *s);		       /* the program continues; may be NULL */
	/* The program runs, and the front end has asked for this by hook_visit(): execute what waits.  No stop is
	   shown, no frame is selected, and steps go on.  May be NULL. */
	void (*visit)(struct session *s);
	/* Beside another one, see ui/beside.h; may be NULL. */
	void (*wake)(void);		    /* read() is to call beside_serve(); any thread, without the GIL */
	void (*changed)(struct session *s); /* a command of the other one has run at this stop */
	/* A message that is neither an answer nor a stop.  Any time, with the GIL. */
	void (*note)(struct session *s, enum note_level level, const char *text);
	/* Output of traces, commands of breakpoints and displays, shown like the answer to a command. */
	void (*say)(struct session *s, const char *text);
	/* A logpoint was hit; the program runs.  Any time, with the GIL.  NULL: say. */
	void (*log)(struct session *s, const struct log_line *line);
	/* A breakpoint, catchpoint or watchpoint was set, was enabled or disabled, is about to be deleted; or a
	   breakpoint is no longer pending, or has moved.  Any time, with the GIL.  May be NULL. */
	void (*breakpoint)(struct session *s, const struct bp *b, enum bp_news news);
	/* Ask the user a yes-or-no question; yes if nobody can be asked. */
	bool (*confirm)(struct session *s, const char *question);
	void (*release)(struct session *s);		   /* leave the terminal as it was; called once, may be NULL */
	void (*again)(struct session *s, struct buf *out); /* then: for the program's next run; may be NULL */
	/* Checkpoints; leave NULL: there are none with this front end.  on: threads of the front end touch nothing
	   until it is called again, because the process forks; not called in the child.  May be NULL. */
	void (*hold)(struct session *s, bool on);
	/* Another process of the program is to continue, which this one waits for: leave the terminal, and add what the
	   front end there must know. */
	void (*leave)(struct session *s, struct buf *out);
	/* This process is that one, forked in a command or before a stop was shown, or it has left before; said: what
	   the other one added. */
	int (*enter)(struct session *s, const char *said, struct err *err);
};

/* What the stopped program does next; set by commands, looked at after each command. */
enum resume { RESUME_NONE, RESUME_GO, RESUME_DETACH, RESUME_QUIT, RESUME_RESTART, RESUME_BACK /* see checkpoint.h */ };

/* What module.c and the front end say about this session when it begins. */
struct session_setup {
	bool interactive; /* the user is at a terminal: ask, page, use colours */
	bool batch;
	bool attached;				      /* `quit` leaves the program running */
	bool restartable;			      /* the process can be started again */
	void (*serve)(struct session *s);	      /* the loop that reads and runs lines at a stop */
	void (*end)(struct session *s, bool restart); /* ends the process or starts it again; no return then */
};

/* What src/cmd keeps of the lines that it runs. */
struct session_lines {
	char *last;	       /* for the empty line that repeats */
	struct gather *gather; /* lines being gathered up to `end`, or NULL */
	bool answered;	       /* the user has typed a line in this session */
	bool typed;	       /* the one that runs comes from the user, not from a file or a breakpoint's commands */
};

/* Written by the engine alone, but for the two parts that others own. */
struct session {
	const struct front_ops *front;
	bool front_changed; /* another front end was chosen: it shows the stop, too */
	enum resume resume;
	/* The stop, while there is one (thread != NULL). */
	struct hook_thread *thread;
	struct event *event;	    /* a copy that owns its objects; commands update it */
	struct hook_thread *viewed; /* the selected thread: the stopped one, or that of `thread N` */
	struct stack stack;	    /* of the selected thread */
	int selected;		    /* level of the selected frame */
	struct past *past;	    /* the moment that is looked at; NULL: the present */
	unsigned long long ago;	    /* ... so many recorded instructions ago */
	bool gone;		    /* there is no present: this is the record of a process that is gone */
	int gone_ring;		    /* ... of this thread of it, see record_gone_ring() */
	/* Since the stop before, and up to the first command of this one, nothing ran that could read the input, write
	   to Python's streams or change descriptors. */
	bool undisturbed;
	int asked; /* commands and displays of this stop, which may run any code */
	/* Life of the program. */
	bool started, exited, detached;
	bool unanswered;   /* it was detached because nobody could be asked */
	int status;	   /* exit status, once exited */
	bool graphs_shown; /* stepg: graphs are stepped through until a step begins outside of one */
	struct session_setup setup;
	struct session_lines lines;
	/* Lines to run before the front end reads one: -ex, -x, rc files, commands of breakpoints. */
	struct line_queue *queue;
	/* Owned by their own files. */
	struct bp_table *bps;
	struct step *steps;
	struct options *options;
	struct display_list *displays;
	struct source_cache *sources;
	struct plugs *plugs;
	/* The thread that stopped last, as it continued. */
	struct {
		/* Of its innermost frame, not followed, if that runs a line of a graph that calls functions of a
		   library only, and nothing but the command to continue was asked; else NULL. */
		const struct code *code;
		int line, thread;
		unsigned long serial;
	} left;
};

struct session *session_get(void);    /* the newest session; NULL before session_new()          */
struct session *session_living(void); /* the session if it is debugging now, else NULL */
struct session *session_new(const struct front_ops *front);
void session_over(struct session *s); /* one that only answers questions: it counts as detached from the beginning */
bool session_stopped(const struct session *s);

/* What the program does after this command. */
void session_unanswered(struct session *s); /* detach: nobody answers here */
void session_resume(struct session *s, enum resume how);
void session_quit(struct session *s, int status);  /* the process ends, with this status if the program has not */
void session_ask(struct session *s);		   /* before a command, or an expression, that may run any code */
void session_select(struct session *s, int level); /* the frame that commands look at */
void session_change_front(struct session *s);	   /* *s->front has been exchanged */

/* Queue lines to be run as if typed: one after all others; those of a breakpoint that stops, or of a command file,
   before the others. */
void session_queue(struct session *s, const char *line);
void session_queue_commands(struct session *s, char **lines); /* NULL-terminated */
/* Takes lines, each of which ends with a NUL.  -1: too many files that read each other; the lines of all of them were
   dropped. */
int session_queue_file(struct session *s, const char *name, struct buf *lines, struct err *err);
char *session_unqueue(struct session *s); /* NULL when empty; the caller owns the line */
bool session_queued(const struct session *s);
/* The i-th queued line of a breakpoint that stopped; NULL past the last.  Borrowed. */
const char *session_queued_by_stop(const struct session *s, int i);
/* An interrupt: drop queued lines of files and breakpoints, with a note unless silent; those given at the start
   stay. */
void session_drop_lines(struct session *s, bool silent);
/* All queued lines as text, and in place of what is queued now.  Each is a letter, the line and a NUL. */
void session_queue_save(const struct session *s, struct buf *out);
void session_queue_load(struct session *s, const char *text, size_t n);
/* Ask the user; yes where nobody can be asked: a program, or a line of a file. */
bool session_confirm(struct session *s, const char *question);
void session_note(struct session *s, enum note_level level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void session_say(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void session_log(struct session *s, const struct log_line *line);
void session_breakpoint(struct session *s, const struct bp *b, enum bp_news news);

/* The selected frame; NULL with err when the program is not stopped or has none. */
struct frame *session_frame(struct session *s, struct err *err);
int session_present(struct session *s, struct err *err); /* -1: this is the past, which can only be read */
struct scope;
int session_scope(struct session *s, struct scope *out, struct err *err); /* names of the selected frame */

#endif

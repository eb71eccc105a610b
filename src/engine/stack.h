/* SPDX-License-Identifier: BSD-3-Clause */
/* The frames of a stopped thread as the user sees them: kind of code, line, entry, and which of them form one
   logical frame.  Knows plugins by their answers only. */
#ifndef CDBG_STACK_H
#define CDBG_STACK_H
#include "py/code/code.h"
#include "py/frame/frame.h"

struct event;
struct past_frame;
struct session;

struct frame {
	int level;
	struct py_frame *fo; /* owned; NULL: a fake one (compiling), or one of the past */
	struct code *code;   /* NULL with a fake one, and where it is gone; kept alive by fo */
	/* What the record has of a frame of the past: borrowed from session.past.  NULL: the frame is there. */
	const struct past_frame *past;
	int index;     /* instruction, -1: none */
	bool at_event; /* stopped before that instruction; else suspended in it */
	bool dead;     /* post mortem */
	enum kind kind;
	const char *function, *file; /* borrowed */
	const char *qualname;	     /* for people: with its class; or of what a wrapper wraps */
	char *own_name;		     /* owned: the text of qualname, if it is not the code object's */
	int line;		     /* the user's; 0: none */
	int function_line;	     /* of a frame whose line is 0: that of its function; else 0 */
	struct py_obj *kept;	     /* owned: variables on the value stack, see frame_stack_locals(); NULL: none */
	char *entry;		     /* owned; NULL: none */
	const char *inner;	     /* the region's, see there; NULL: none */
	const char *region;	     /* name of its kind; generated code only */
	const char *node;	     /* of a graph, what its line computes, valid while code is; NULL: nothing */
	const char *user_file;	     /* of a graph: where the program wrote that; NULL: unknown */
	int user_line;
	bool library;		       /* of a graph: the line calls functions of a plugin's library only */
	int logical;		       /* equal for frames that run parts of one function; see stack_depth() */
	bool hidden;		       /* `backtrace` without -a omits it */
	const struct fake_frame *fake; /* borrowed from the event */
};

/* Frames are read when somebody asks for them: most stops of a step look at the innermost one only. */
struct stack {
	struct frame **frame; /* a frame stays where it is until stack_clear() */
	size_t cap;
	int n;		       /* frames that were read, innermost first */
	int made;	       /* frames that have memory */
	int omitted;	       /* outer frames of a traceback that are left out */
	struct py_frame *rest; /* owned: the next one to read; NULL: all were read */
	bool numbered;	       /* `logical` of each is known */
	bool skip_hidden;      /* hidden frames before the next one that is shown are left out */
};

/* The frames of the thread that the event stopped. */
void stack_fill(struct stack *st, struct session *s, const struct event *ev);
/* Those of any thread, all at once: it may run on. */
/* Frames of the past, innermost first. */
void stack_fill_past(struct stack *st, struct session *s, const struct past_frame *frame, int n);
void stack_fill_thread(struct stack *st, struct session *s, struct py_thread *ts);
struct frame *stack_frame(struct stack *st, struct session *s, int level); /* NULL: there is none */
int stack_depth(struct stack *st, struct session *s); /* the number of frames; `logical` of each is known then */
void stack_clear(struct stack *st);		      /* drops the frames; memory for a few is kept for the next stop */
void stack_release(struct stack *st);

/* Variables that generated code keeps on its value stack, looked up each time, since `set stack` changes them.
   Borrowed. */
struct py_obj *stack_kept(struct session *s, struct frame *f);
/* The same for a frame that is in no stack: a new reference, or NULL. */
struct py_obj *stack_kept_in(struct session *s, struct py_frame *f, bool at_event);
/* Writes one of them; false: there is none of that name. */
bool stack_set_kept(struct session *s, struct frame *f, const char *name, struct py_obj *value);
/* The kind of this code: plugins are asked first, then the file decides; kept in the record.  Hot after the first
   call. */
enum kind stack_kind(struct session *s, struct code *c);
/* Do steps and backtraces show this code?  User and generated code; graphs and library code as step-into says. */
bool stack_shown(struct session *s, struct code *c);
/* Nearest caller of f that steps may stop in; new reference or NULL. */
struct py_frame *stack_outer(struct session *s, struct py_frame *f);
/* The name of the user's function that the frame runs, or runs a part of, when it runs a resume function: owned by the
   caller. */
char *stack_function(struct session *s, const struct frame *f);
/* The source to show for a frame: its line, or that of the program for a node of a graph. */
const char *stack_source(const struct frame *f, int *line);
/* The line of the user's source that an instruction stands for; 0: none. */
int stack_line(struct session *s, struct code *c, int index);
/* The line of the function that the code runs a part of, below its decorators: where an instruction without a line
   is. */
int stack_function_line(struct session *s, struct code *c);

#endif

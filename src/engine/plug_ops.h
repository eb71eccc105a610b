/* SPDX-License-Identifier: BSD-3-Clause */
/* The questions that the engine asks plugins about code and values, and their answers. */
#ifndef CDBG_PLUG_OPS_H
#define CDBG_PLUG_OPS_H
#include <stdbool.h>
#include <stddef.h>
#include "engine/region.h"
#include "py/code/code_record.h"

struct buf;
struct child_sink;
struct err;
struct places;
struct py_frame;
struct py_obj;

/* All text is the plugin's, valid until its next answer. */
struct code_info {
	enum kind kind;		  /* KIND_GENERATED, KIND_GRAPH, ... */
	const char *entry;	  /* "0/0", or NULL */
	const char *title;	  /* "generated code of toy_example, entry 0/0", or NULL */
	struct py_code *original; /* what it was generated from (maybe a resume function), or NULL */
	struct py_code *root;	  /* the user's function, also for its resume functions; or NULL */
	bool resume;		  /* from a resume function: continues the function of another frame */
	/* The function's name for people: with its class; of a decorator's wrapper, what it wraps.  NULL: that of the
	   code, as Python qualifies it. */
	const char *name;
};

/* What a line of a graph's code (KIND_GRAPH) computes.  The file's name is valid for good. */
struct graph_node {
	const char *name; /* valid while the code is; NULL: nothing */
	const char *file; /* where the program wrote that; NULL: unknown */
	int line;
	bool library; /* it calls functions of the plugin's library only */
};

/* What compiling made of a source line.  All zero: nothing is known of it. */
struct line_mark {
	int nodes;	/* of graphs, that come from it or from what it called */
	bool evaluated; /* compiling went over it */
	bool missed;	/* it has code that compiling did not reach */
	bool broke;	/* a graph ended there */
	bool resumes;	/* a function that continues after a break begins there */
	double seconds; /* that compiling took for it, if that is asked for by an option of the plugin */
};

/* Each may be NULL.  1: answered, 0: the plugin does not know.  The caller keeps an exception of the program that is
   pending. */
struct plug_ops {
	/* What is this code, and what does it compute? */
	struct {
		int (*of)(struct py_code *co, struct code_info *out);
		int (*regions)(struct code *c, const struct region **out, int *n);
		int (*line)(struct code *c, int index, int *line); /* user's line, 0: none */
		/* Does this function's own code run only inside compiled regions, that is, between calls of
		   host->stops.region()? */
		int (*inside)(struct py_code *original);
		/* All generated code that runs for this function: its entries', its resume functions'. */
		int (*pieces)(struct py_code *original, void (*add)(void *arg, struct py_code *generated), void *arg);
		int (*node)(struct code *c, int line, struct graph_node *out);
		/* exec() is about to run this code: how much code of graphs is in it. */
		int (*body)(struct py_code *body);
		/* Does a graph's code (KIND_GRAPH) that this thread runs run only to be traced, on tensors without
		   values? */
		int (*traced)(struct code *c);
		/* Marks lines first to first + n - 1 of a file, out being zeroed, with what compiling made of them
		   for this code, which is generated or was compiled, for the code that it continues and that
		   continues it, and for functions inlined in those.  c NULL: what this thread compiles. */
		int (*lines)(struct code *c, const char *file, int first, int n, struct line_mark *out);
	} code;
	/* Instructions that stand for a place of the program. */
	struct {
		/* Instructions that stand for FILE:LINE, or for the start of (a piece of) this function, beside its
		   own. */
		int (*line)(const char *file, int line, struct places *out);
		int (*function)(struct py_code *original, struct places *out);
		/* Instructions in other functions' generated code that stand for this one, because it was inlined
		   there. */
		int (*inlined)(struct py_code *original, struct places *out);
		/* Where a graph's code computes nodes whose names match a pattern as a shell's; and the names there
		   are, each with a tab and what it is if the plugin can tell. */
		int (*node)(const char *pattern, struct places *out);
	} places;
	/* What a name means, and the names there are. */
	struct {
		/* Code objects behind a wrapper, module or resume function: calls add for each. */
		int (*unwrap)(struct py_obj *v, void (*add)(void *arg, struct py_code *co), void *arg);
		int (*code)(const char *name, void (*add)(void *arg, struct py_code *co), void *arg);
		int (*entry)(const char *entry, struct py_code **generated, struct err *err); /* borrowed; -1: err */
		/* What is related to a thing: `what` is "entry", "instruction", "region", "line", "node" or
		   "guard", id its name ("0/0", "0/0:42", "0/0:graph call", "FILE:LINE", "__compiled_fn_1:add",
		   "12"); if an earlier region has the same name: "0/0:resume call@194", with its first instruction.
		   Calls add for each. */
		int (*links)(const char *what, const char *id,
			     void (*add)(void *arg, const char *what, const char *id, int line), void *arg);
		int (*nodes)(void (*add)(void *arg, const char *name), void *arg);
		/* What entry() and by_name() take now, each with a tab and what it is; names may have spaces. */
		int (*list)(void (*add)(void *arg, const char *name), void *arg);
	} names;
	/* For source made from code. */
	struct {
		/* steady: this global, which the code reads, is never bound again while
		   it runs. boilerplate: what an instruction does that users need not read ("calls of profiler
		   hooks"); NULL: it has to be shown. */
		int (*steady)(struct code *c, const char *name);
		const char *(*boilerplate)(struct code *c, int index);
		int (*name_length)(const char *name); /* bytes of a global's name that a user needs to see; 0: all */
		/* For generated code at this instruction: the names of variables of the function whose values it
		   keeps in a list on the value stack, for a function that continues it, or was given in one: "y,,z"
		   (the second value has no name), as frame_stack_locals() takes them; NULL: it keeps none. */
		const char *(*kept)(struct code *c, int index);
		/* For source made from generated code, which is only read: what a name stands for.  "": a variable
		   in which the code keeps a value for itself, "()": such a variable with a tuple that nothing
		   changes, "with": one with a context manager that binds no name when it is entered or left.  Of a
		   global, the dotted name of what it is ("builtins").  Of a function with its module ("m.f"), its
		   name, or how a call of it is written: "$1.size($2)" or another expression of its arguments and of
		   builtins, "$1.$2 = $3" or "del $1.$2", where $2 of the last two is the name as a string; "$def":
		   a call makes a function of its code, its globals, name, defaults, cells, keyword defaults and
		   annotations; "$cell": it makes a cell; "$with": a context manager whose __exit__() does the same
		   with an exception and without.  NULL: itself. Valid until it is called again. */
		const char *(*reads_as)(const char *name);
		/* The dotted name of the class that an object must have for this generated code to run:
		   "L['x'].a[0]" is an item of an attribute of the argument x, "G['x']" a global.  NULL: it is not
		   known.  Valid until it is called again. */
		const char *(*class_of)(struct code *c, const char *object);
	} source;
	/* A stop begins and ends, code runs or was changed. */
	struct {
		/* The innermost bracket of every stop: switch the plugin's frame evaluator off, and on again. */
		void *(*enter)(void);
		void (*leave)(void *saved);
		/* Whether any code of the plugin is armed or stepped; called only if hook_needs_regions(). */
		void (*watched)(bool on);
		/* The user changed a frame of this code: `what` is "set var", "set stack" or "jump", text how. */
		void (*changed)(struct code *c, const char *what, const char *text);
		/* A frame of a graph that is stepped is about to run another line.  Does that line compute
		   something, as node reports? */
		bool (*graph_line)(struct py_frame *f, struct code *c, int index);
		/* For an exception that reached its frame from the plugin's library: the line of the program that
		   the library read, or called, when it was raised.  The texts are valid for good. */
		int (*raised_at)(struct py_obj *exc, const char **file, const char **function, int *line);
	} steps;
	/* Values of the plugin's library. */
	struct {
		/* For watchpoints: add bytes that differ after the value was changed in place.  1, or 0 for a value
		   of another kind, or 2 where some changes are not seen.  Runs none of the program's code and
		   touches no device. */
		int (*state)(struct py_obj *v, struct buf *out);
		/* What is in a value of the plugin's library, in front of its attributes: each to sink->add(),
		   where child_wanted().  1, or 2: its attributes are among them; 0: a value of another kind.  Runs
		   none of the program's code; touches no device that was not asked for. */
		int (*children)(struct py_obj *v, struct child_sink *sink);
	} values;
	/* The debugger or the program ends. */
	struct {
		void (*detach)(void); /* remove all wrappers */
		void (*finish)(void); /* the program has ended: drop what would print at exit */
	} life;
};

#endif

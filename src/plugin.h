/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin interface: what a plugin gives (struct cdbg_plugin) and what it may call (struct cdbg_host).
   A plugin includes this file, its own headers and Python.h, and nothing else of cdbg. */
#ifndef CDBG_PLUGIN_H
#define CDBG_PLUGIN_H
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/outdir.h"
#include "base/val.h"
#include "base/visible.h"
#include "py/asm/style.h"
#include "py/code/code_record.h"
#include "py/handle.h"
#include "py/hook/hook_region.h"
#include "py/value/child.h"
#include "py/value/format.h"
#include "event/kind.h"
#include "engine/option_def.h"
#include "engine/plug_ops.h"
#include "engine/region.h"
#include "view/view_def.h"
#include "cmd/cmd_def.h"

/* Raised with any change of a struct that a plugin fills in or reads.  The interface is private until 1.0: a plugin is
   built for one number, and cdbg refuses another. */
#define CDBG_PLUGIN_ABI 10

/* A plugin is linked with a copy of base (buf, err, text, val, visible) of its own: `pkg-config --libs cdbg`.  Of the
   other included headers it gets data only; what it may call beside base is in struct cdbg_host.  Handles
   (struct py_obj *, ...) are the Python objects themselves; cast them.  Everything is called with the GIL. */
struct cdbg_host {
	struct session *session; /* for the functions below that take one; NULL after a detach */
	/* Code objects, their instructions, text and source. */
	struct {
		struct code *(*get)(struct py_code *co);
		struct code *(*peek)(struct py_code *co);
		void (*decode)(struct code *c);
		void (*set_notes)(struct code *c, struct code_notes *notes); /* takes a block of mem_alloc() */
		int (*index)(struct code *c, int offset);
		void (*arg_text)(struct code *c, int index, struct buf *out);
		struct py_obj *(*arg_object)(struct code *c, int index);
		const char *(*op_name)(int op);
		void (*appeared)(void); /* new generated code, entries or functions: places may have changed */
		void (*kind_changed)(struct code *c); /* ask `code` about it again */
		/* Code objects that a FUNC means, see loc_functions(). */
		int (*functions)(const char *func, void (*add)(void *arg, struct py_code *co), void *arg,
				 struct err *err);
		int (*op_pops)(int op, int arg); /* items that an instruction takes from the stack */
		bool (*op_ends)(int op);	 /* never continues with the next instruction */
		/* Code as text, and such text assembled; see asm.h. */
		void (*asm_write)(struct code *c, const struct asm_style *style, struct buf *out);
		struct py_code *(*asm_read)(struct code *base, const char *text, struct py_obj *extra, struct err *err);
		char *(*asm_id)(const char *text);
		void (*asm_call)(const char *constant, struct buf *out);
		const char *(*region_name)(enum region_kind kind); /* "graph call" */
		/* Code as Python, and the code compiled from that text once it is edited; see
		   py/decompile/decompile.h. */
		char *(*python_write)(struct code *c, struct err *err);
		struct py_code *(*python_read)(struct code *c, const char *text, struct err *err);
	} code;
	/* Values: text of them, and what shows them. */
	struct {
		void (*show)(struct py_obj *v, struct buf *out, size_t max);
		void (*add_format)(struct value_format *f);
		void (*drop_format)(struct value_format *f);
		int (*repr)(struct py_obj *v, struct buf *out, size_t max, bool *cut, struct err *err);
		bool (*text)(struct py_obj *text, struct buf *out, size_t max);
		/* Add a data tree as JSON, always valid UTF-8, without a newline. */
		void (*json)(struct buf *out, const struct val *v);
		/* "__builtins__" of the plugin's own Python code, which the program cannot change: borrowed. */
		struct py_obj *(*builtins)(void);
		/* A value whose own repr would end the program: see value.h. */
		void (*add_unreadable)(bool (*show)(struct py_obj *v, struct buf *out));
		bool (*readable)(uintptr_t from, uintptr_t to); /* see readable.h */
		/* A record has, of values of this exact type, the number that recorded_text() gave a text, and what say
		   adds to *numbers, which knows nothing at first.  say runs no Python; NULL: none any more. */
		void (*recorded)(struct py_obj *type, uint32_t (*say)(struct py_obj *v, struct value_numbers *numbers));
		uint32_t (*recorded_text)(const char *text); /* a new number; 0: nothing is recorded */
	} values;
	/* Rows of a view, and answers made of them. */
	struct {
		void (*add)(struct rows *r, unsigned marks);
		void (*num)(struct rows *r, const char *col, long long i);
		void (*str)(struct rows *r, const char *col, enum role role, const char *s);
		void (*flag)(struct rows *r, const char *col, bool b);
		void (*val)(struct rows *r, const char *col, enum role role, struct val *v);
		/* What a read-only command prints for people, added to out. */
		int (*command)(const char *line, struct buf *out, struct err *err);
		/* A fill() asks before each row whether it is in the requested window (it counts either way). */
		bool (*want)(struct rows *r, const struct view_req *req);
		void (*follow)(struct view_req *req, size_t current, size_t total);
		void (*title)(struct rows *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
		const struct val *(*cell)(const struct rows *r, size_t row, const char *col);
		void (*cut)(struct buf *out, const char *s, size_t columns);
		/* A command's answer that is a view: its rows, and their text. */
		int (*reply)(const struct view_ops *v, const char *words, struct reply *out, struct err *err);
		/* What people read in a table instead of the cell; NULL: the cell. */
		void (*shown)(struct rows *r, const char *col, const char *s);
		/* view_cut() with the ellipsis in the middle. */
		void (*cut_name)(struct buf *out, const char *s, size_t columns);
		/* Add the text of an answer's rows to its text, for a command that prints more below the table. */
		void (*reply_text)(struct reply *out);
		/* By its name, of any plugin or cdbg's own; NULL: there is none. */
		const struct view_ops *(*view)(const char *name);
		void (*release)(struct rows *r); /* the rows of a reply */
	} rows;
	/* The frame that is selected in a stop. */
	struct {
		/* The selected frame: new references (may be NULL each), index -1 when unknown.  -1: not stopped. */
		int (*selected)(struct py_frame **f, struct code **c, int *index, struct err *err);
		/* Evaluate in the selected frame: new reference, NULL with err. */
		struct py_obj *(*eval)(const char *text, struct err *err);
		struct py_obj *(*locals)(struct py_frame *f); /* a new dict of its bound variables, cells too */
		/* Local i of a frame, as its code counts their names: borrowed, NULL: it is not bound. */
		struct py_obj *(*local)(struct py_frame *f, int i);
		/* What completes an expression in a command of a plugin; as cmd_def.complete. */
		void (*complete)(struct session *s, const char *args, const char *word, struct val *list);
		/* The exception that the current stop shows: borrowed; NULL: it shows none. */
		struct py_obj *(*exception)(void);
		bool (*main_blocked)(void); /* gil_thread_main_blocked() */
	} frames;
	/* Files of the program, and places in them. */
	struct {
		void (*add_place)(struct places *p, struct code *c, int index, int line, const char *note);
		const char *(*line)(const char *file, int line);
		bool (*is_user)(const char *file); /* one of the program's own files?  NULL: false */
		/* The user's editor on this file; returns when it has ended.  -1: err. */
		int (*edit)(const char *path, struct err *err);
		/* Does a file match what the user typed for it: its name, the end of its path, or the whole path? */
		bool (*fits)(const char *typed, const char *file);
	} files;
	/* Events, and the program at a stop. */
	struct {
		/* Offer a stop, which a catchpoint (or for_all) must match.  Returns when the program continues. */
		void (*event)(const struct event *ev);
		bool (*catching)(const char *kind);    /* is any catchpoint of this kind set and enabled? */
		void (*region)(enum hook_region what); /* hook_region(): around Dynamo's set_eval_frame and graphs */
		bool (*inside)(void); /* this thread serves a prompt: what it compiles is for the user */
		/* What the current stop has to say, added to out: its card, else its line, and where an exception
		   was raised. The name of its kind.  After the program has ended: of the last stop that had a card.
		   NULL: there is none. */
		const char *(*text)(struct buf *out);
		/* Would a frame of this code that begins now, in this thread, stop somewhere? */
		bool (*would_stop)(struct code *c);
		/* In a stop: the program's other threads wait, each before its next instruction, until
		   threads_release(). Those without a Python frame run on.  -1: err says why they cannot be held.
		   threads_release(): false if they ran again before: an interrupt came, or this thread waited for
		   long. */
		int (*hold)(struct err *err);
		bool (*release)(void);
		/* Does the thread of this identity, as threading has it, wait to stop itself? */
		bool (*waits)(unsigned long ident);
		/* Runs this as at a stop, without one, see session_aside().  false: it was not run. */
		bool (*aside)(void (*run)(void *arg), void *arg);
		/* Did a Ctrl-C come that ends the command?  Then it is handled. */
		bool (*interrupted)(void);
		/* Run a command line where this function's code begins next, its own or generated: a temporary
		   breakpoint stops there, and several lines for the same code share it.  Returns its number; -1:
		   err. */
		int (*run_at)(struct py_code *co, const char *line, struct err *err);
	} stops;
	/* Notes, options and the screen. */
	struct {
		void (*note)(int level, const char *text);
		void (*say)(const char *text);
		long (*option_number)(const char *name);
		const char *(*option_text)(const char *name);
		/* Puts the terminal back before the process aborts: init() gives it to bug_restore(). */
		void (*restore_terminal)(void);
		const char *(*version)(void); /* cdbg's own */
		/* A verb of the full screen; -1: it failed, or there is no full screen. */
		int (*screen)(const char *verb, const char *args, struct buf *out, struct err *err);
		/* What the program is in, shown while it runs; see engine/doing.h. */
		void (*doing)(const char *text, double began, const char *after);
	} talk;
};

struct cdbg_plugin {
	int abi;				/* CDBG_PLUGIN_ABI */
	const char *name;			/* "dynamo" */
	const char *wakes_on;			/* Python module whose import wakes it; NULL: at once */
	const struct event_kind *const *events; /* each table NULL-terminated, or NULL */
	const struct view_ops *const *views;
	const struct cmd_def *const *commands;
	const struct option_def *options;
	const struct plug_ops *questions;
	/* Loaded: keep host.  0, or -1 with err (the plugin is then not used). */
	int (*init)(const struct cdbg_host *host, struct err *err);
	/* wakes_on was imported (or is already): install hooks.  A failure disables the plugin, never the program. */
	int (*wake)(struct err *err);
	/* A Python package whose code is a library's wherever its files are, in a source tree for example; or NULL. */
	const char *package;
};

/* The one symbol a plugin exports. */
extern const struct cdbg_plugin cdbg_plugin __attribute__((visibility("default")));

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder offer to each other and to other folders, file by file. */
#ifndef DYNAMO_OBSERVE_H
#define DYNAMO_OBSERVE_H
#include <stdbool.h>
#include <stddef.h>
#include "torch/cdbg_host.h"
#include "torch/wrapper.h"

struct compiling;
struct entry;
struct node;
struct nodes;
struct stage;

/* ---- autograd_misses.c: compiled autograd's reasons why it captures again: torch tells them to a logger, which is
   cdbg's here and passes them on to the one that the program set. */
extern const struct watcher watch_autograd_logger;
extern const struct watcher watch_autograd_compiler;
/* The reasons that came since the last call, a line for each; owned by the caller, NULL: none. */
char *autograd_misses_take(void);
void autograd_misses_stop(void); /* the program's logger again */

/* ---- cache_lookup.c: dynamo's lookups: the hook that it calls after each one, and its callback before generated
   code runs.  Both are set only while hits are counted or misses are caught.  C++ code calls both and ends the
   process on an exception, so they never raise one. */
void lookup_changed(struct session *s); /* the option count */
void lookup_wake(void);
void lookup_stop(void);
bool lookup_counted(void);   /* hits are counted, or were at some time */
bool lookup_countable(void); /* does this version of torch have the hooks? */
enum lookup { LOOKUP_NONE, LOOKUP_HIT, LOOKUP_MISS };
void lookup_watch(bool on);    /* turn on for callers of lookup_take() */
enum lookup lookup_take(void); /* the result of this thread's last lookup; returned once */

/* ---- cache_notes.c: what inductor's code was made of, kept between runs.  Torch's cache has only text: no node of a
   later stage names the captured ones that it was made of, and no buffer its nodes.  cdbg notes them when it
   sees the compile, by the hash of the code, and finds them when a later run takes the same code from the cache. */
/* Notes what a stage with code was made of.  captured: the graph; all: the stages that are known, code among them. */
void cache_notes_keep(const struct nodes *captured, const struct stage *all, const struct stage *code);
/* Fills in nodes or buffers of a stage that torch took from its cache, and of the others that the same note has.  They
   are those of the compile, with the lines of this process: the note counts only if the captured graph, or the graph
   that inductor was given, is the same as then.  Without a note the stage stays text. */
void cache_notes_find(const struct entry *e, struct stage *s);

/* ---- compile_clock.c: A clock that stands still while its thread serves a stop.  Knows nothing of Dynamo. */
/* A stop of this thread begins or ends: its time is none of what a compile took. */
void compile_clock_stopped(bool begins);
/* Seconds that the program, or a command at a stop, has run in this thread.  Only times of one depth compare. */
double compile_clock(void);
int compile_clock_depth(void); /* 0: the program itself; 1: a command at a stop; 2: at a stop within that */

/* ---- excluded.c: functions that Dynamo does not compile because of a rule: those in files of torch and of other
   libraries, and those that the program disabled.  They are not in the model, which holds functions that may be
   compiled. */
extern const struct watcher watch_disable;
void excluded_note(PyCodeObject *co, const char *reason);
/* false: past the last */
bool excluded_row(size_t i, const char **name, const char **file, int *line, const char **reason);

/* ---- existing.c: reads from Dynamo's own tables what it compiled before cdbg was loaded.  What Dynamo does not keep
   stays unknown: the lines of graphs that only the backend holds.  Knows no event. */
void existing_read(void); /* reads Dynamo's own tables; cheap to call again */

/* ---- kept.c: what torch keeps of those compiles: seconds, reasons, graph breaks. */
void kept_read(void); /* once, after existing_read() */

/* ---- graph_parts.c: graphs that are compiled in parts: Dynamo's DDPOptimizer splits one under
   DistributedDataParallel and passes each part to the backend (torch/_dynamo/backends/distributed.py, 2.6 to
   2.15).  Each becomes a graph of the entry, named after the whole one. */
extern const struct watcher watch_part;

/* ---- interpreted.c: graphs that torch runs by torch.fx.Interpreter, node by node, and never as their code: sub-
   graphs of checkpoint() and of autograd.Function with backend eager, and all of aot_eager in torch 2.6.  While
   cdbg would stop in that code, it is called instead. */
extern const struct watcher watch_interpret;
/* A graph with sub-graphs was captured, or one that the interpreter runs: watch the interpreter from now on. */
void interpreted_watch(void);

/* ---- line_starts.c: records the lines that Dynamo evaluates while it compiles, in the function and in all that it
   inlines: a line that puts nothing into a graph leaves no other trace.  Changes nothing; knows no breakpoint
   and no region. */
extern const struct watcher watch_starts_line;
/* A translator begins.  If it is the outermost one, discards the lines of an earlier attempt to compile. */
void evaluated_again(struct compiling *c, PyObject *tx);

/* ---- lowered_origins.c: the buffers of the code that inductor has just written, and the nodes that they are
   computed from. */
/* Adds those of a graph lowering, which is freed after the compile.  In the sub-graphs of higher-order operators a node
   has the name that graphs_node() takes, "true_graph_0.cos". */
void lowered_origins_add(struct stage *s, PyObject *lowering);

/* ---- program_exit.c: the end of the program: torch changes its caches at exit, which the program did not do, so the
   states of entries are recorded before. */
int program_exit_watch(void); /* -1: it cannot be */
void program_exit_forget(void);

/* ---- reading.c: notes what Dynamo reads while it compiles: values with a source, functions that it inlines, results
   that it takes once, hooks of modules for which it asks a guard.  Changes nothing, and realizes no variable of
   Dynamo's. */
extern const struct watcher watch_build;
extern const struct watcher watch_constant_result;
extern const struct watcher watch_guards_asked; /* with watch_guards_timed */
/* A translator begins: the outermost one of an attempt, which may not be the first, or that of an inlined function. */
void reading_begins(struct compiling *c, PyObject *tx);

/* ---- side_effects.c: side effects that generated code replays after its graph, read from Dynamo when it writes that
   code.  Runs none of the program's code. */
extern const struct watcher watch_effects;

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this plugin share: the model of what Dynamo made, and who fills and who asks it. */
#ifndef CDBG_DYNAMO_H
#define CDBG_DYNAMO_H
#include <Python.h>
#include <frameobject.h>
#include "plugin.h"

extern const struct cdbg_host *host;         /* set by init, before anything else is called */

/* ---- names.c: every attribute of torch that is touched --------------------------------------------- */

enum name_id {
	/* wrapped while awake */
	NAME_VERSION,
	NAME_COMPILE, NAME_CATCH, NAME_REASONS, NAME_GUARDS, NAME_LOG_BREAK, NAME_USER_COMPILER, NAME_RESUME_GLOBAL,
	NAME_SAID_BREAK, NAME_GLOBAL, NAME_RUN, NAME_ADD_GUARD, NAME_REASON, NAME_SUBGRAPH, NAME_EFFECTS, NAME_WRAP,
	NAME_DISABLE, NAME_RESET, NAME_LOAD_PRECOMPILED, NAME_SET_STANCE, NAME_SHAPE_LINE, NAME_STARTS_LINE,
	/* wrapped while graph breaks are caught */
	NAME_UNSUPPORTED, NAME_STEP,
	/* replaced while something is watched */
	NAME_SET_1, NAME_SET_2, NAME_SET_3,
	/* read */
	NAME_SET_EVAL_FRAME, NAME_ENTRY_LIST, NAME_STANCE, NAME_ORIG_MAP, NAME_INPUT_CODES, NAME_OUTPUT_CODES,
	NAME_RESUME_META, NAME_CLEANUP, NAME_CURRENT_TX, NAME_TRACED, NAME_RELATIONAL, NAME_DISPATCH_KEYS,
	NAME_COMPLETE_HOOK, NAME_RUN_CALLBACK, NAME_RUN_CALLBACK_GET, NAME_PRECOMPILED, NAME_LIMIT, NAME_LIMIT_ALL,
	NAME_LIMIT_OLD, NAME_LIMIT_ALL_OLD, NAME_USER_STACK,
	NAME_JOINT, NAME_FORWARD_BACKWARD, NAME_INFERENCE, NAME_CACHED, NAME_LOWERED, NAME_COMPILE_ID,
	NAME_LOGS_TRAINED, NAME_LOGS_INFERENCE, NAME_CACHED_OLD,
	NAME_COMPILER_FN, NAME_BACKENDS,
	NAME_DISALLOWED,
	/* for editing */
	NAME_ENTRY_BACKEND, NAME_RESET_PRECOMPILED, NAME_SKIP_CODE, NAME_LIMIT_FLAG, NAME_SKIP_FLAG,
	NAME_RESET_CODE, NAME_LRU, NAME_STRATEGY, NAME_ACTION, NAME_STRATEGY_TYPE,
	NAME_GUARDED, NAME_GUARDED_WRAP, NAME_FRAME_RETURN, NAME_TREE_ROOT, NAME_TREE_NODE, NAME_TREE_DICT,
	NAME_TENSOR, NAME_GRAD, NAME_GRAD_SET,
	NAME_COUNT,
};

/* traced.c: where in a function is what Dynamo has at this offset in the copy that it traces? */
int traced_offset(PyCodeObject *co, int offset);

/* Look all of them up.  Imports nothing that torch._dynamo has not. */
void names_find(void);
bool names_have(enum name_id id);
/* The value it has now: a new reference, or NULL with no exception set. */
PyObject *names_get(enum name_id id);
PyObject *names_original(enum name_id id);   /* likewise, behind our wrapper */
PyObject *attr(PyObject *v, const char *name);       /* a new reference; NULL, no exception: v is or has none */
/* Replace by a stand-in that tells its watcher / by this object; nothing when it is missing or replaced already. */
void names_wrap(enum name_id id);
/* ... when its module is imported by now. */
void names_wrap_late(enum name_id id);
void names_replace(enum name_id id, PyObject *by);
/* Put the original back, if what stands there is still ours. */
void names_restore(enum name_id id);
bool names_torch_file(const char *file);     /* is it one of torch's own? */
/* Does this code lie in torch itself? */
bool names_library(PyCodeObject *co);
/* The i-th row of `info dynamo`; false past the last. */
bool names_row(int i, const char **name, const char **use, const char **seen, const char **state);

/* ---- utf8.c: texts of Python's strings --------------------------------------------------------------- */

/* NULL, without an exception, for anything but a str, and for one with a lone surrogate, which UTF-8 cannot hold. */
const char *utf8_of(PyObject *v);
/* One of the model's texts, with lone surrogates escaped ("\\udce9"); "?" for anything but a str. */
const char *utf8_kept(PyObject *v);
char *str_of(PyObject *v);                   /* its str(), likewise escaped, the caller's; NULL: None, or it raised */

/* ---- model.c: what was compiled -------------------------------------------------------------------- */

/* A source line, and whose; texts are the model's and live as long as it. */
struct spot {
	const char *file, *function;
	int line;
	bool own;                            /* of the traced function itself, not of one inlined into it */
};

struct nodes;
struct graph {
	char *name;                          /* "__compiled_fn_1", without the uuid */
	char *full;
	int nodes;                           /* operations, -1: unknown */
	bool read;                           /* the spots are there */
	struct spot *spot;                   /* each once, in the order of the graph */
	int nspots;
	size_t spots_cap;
	struct nodes *copy;                  /* graphs.h; NULL: not recorded */
};

enum { LAST_CALLS = 16 };

/* A code object that Dynamo traced or may trace: a function of the program's, or a resume function. */
struct func {
	struct func *next;                   /* of all, newest first */
	struct func *chain;                  /* of those with the same hash */
	PyCodeObject *co;                    /* borrowed: weak tells when it dies; then NULL */
	PyObject *weak;
	char *name, *file;                   /* co_name, co_filename */
	char *qualname;                      /* with its class, without the functions around it: "Net.forward" */
	char *wraps;                         /* of a decorator's wrapper: what it wrapped when last compiled, or NULL */
	bool wraps_many;                     /* ... and it was compiled for several functions: one code object */
	int line;
	struct func *root;                   /* of a resume function: the user's function; else NULL */
	int resume_line;                     /* of a resume function: where it goes on; 0: unknown */
	char *module;                        /* its globals are this module's, or NULL */
	bool wrapped;                        /* torch.compile was called with it */
	bool looked;                         /* Dynamo has looked at it */
	int compiles, skips, fails;          /* fails: its caller got an exception instead */
	int compiling;                       /* threads that compile it now */
	char *reason;                        /* of the last skip or failure, or NULL */
	struct entry **order;                /* ev_guard_fail.c's: how its entries were tried last, norder */
	int norder;
	bool gave_up;                        /* ... it was tried, and something could not be traced */
	struct entry *call[LAST_CALLS];           /* what served the last calls, in a ring: see model_called() */
	unsigned ncalls;                     /* how many that were */
};

/* A resume function as one entry's generated code knows it; several globals may stand for the same code. */
struct resume {
	struct func *func;
	char *global;                        /* "__resume_at_92_2" */
	int offset;                          /* in the function that was traced; -1: none */
};

/* A cache entry: one generated code object. */
struct entry {
	struct entry *next;                  /* in the order of compiling */
	struct entry *chain;
	PyCodeObject *co;                    /* borrowed, NULL once dead */
	PyObject *weak;
	char *id;                            /* unique: "0/0", "0/0#2" */
	char *raw;                           /* as Dynamo has it */
	struct func *func;                   /* what was traced */
	char *wraps;                         /* ... what func, a decorator's wrapper, wrapped then; or NULL */
	struct graph *graph;
	int ngraphs;
	struct resume *resume;               /* what it may call */
	int nresumes;
	int guards;                          /* leaf guards when compiled, -1: unknown */
	double seconds;                      /* 0: unknown */
	bool fresh;                          /* Dynamo has not yet put it into its cache */
	bool before;                         /* compiled before we looked */
	struct effect *effects;              /* effects.c's: what it replays after its graph */
	struct evaluated *evaluated;         /* evaluated.c's: lines that Dynamo went over; NULL: not known */
	struct stage *stages;                /* stages.c's: what its backend made of its graphs */
	const char *end;                     /* its state when the program ended, NULL before */
	PyObject *record;                    /* owned: the calls that built its guards, see record_finish(); or NULL */
	struct region *region;               /* regions.c's, NULL: not yet computed */
	int nregions;
	struct spot *region_spot;
	char *title;
	char *why;                           /* why it was compiled when it was not the first; or NULL */
	long hits;                           /* counted by lookup.c */
	char *gone;                          /* what invalidated it, in Dynamo's words; NULL: not known */
	struct guards *leaves;               /* guard_model.c's, NULL: not yet read */
	struct spot called;                  /* the line that called it when it was compiled; file NULL: not known */
	PyObject *manager;                   /* owned while fresh: what will guard it */
	PyObject *backend;                   /* owned where Dynamo's own entry does not tell it, else NULL */
	struct clone *clone;                 /* clone.c's: it is the user's own; NULL: Dynamo's */
};

struct breakage {                            /* a graph break, as it was compiled */
	struct breakage *next;
	int number;
	struct func *func;                   /* that was being compiled */
	char *file;
	int line, nodes;
	char *reason, *kind, *entry;
	char *symbolic;                      /* the translator's stack then, bottom first */
	bool whole;                          /* ... with what the instruction that broke had taken from it */
	struct spot *stack;                  /* outermost first */
	int nstack;
	char *resume;                        /* names of the resume functions, or NULL: none */
	bool skipped;
	bool failed;                         /* the compile then ended with an exception */
};

extern struct func *model_funcs;
extern struct entry *model_entries;
extern struct breakage *model_breaks;
struct breakage **model_breaks_end(void);

const char *model_text(const char *s);       /* one copy of each text, for the life of the model */
struct func *model_func(PyCodeObject *co, bool make);
struct entry *model_entry(PyCodeObject *generated);
struct entry *model_entry_named(const char *id);
struct entry *model_add_entry(PyCodeObject *generated, struct func *f, const char *raw);
void model_recode(struct entry *e, PyCodeObject *co);       /* it runs this code from now on */
void model_module(struct func *f, PyObject *globals);
/* Dynamo may know it for a resume function that we did not see made. */
void model_resume_known(struct func *f);
struct func *model_root(struct func *f);     /* itself when it is none */
void model_add_resume(struct entry *e, PyCodeObject *co, const char *global);
char *model_next_id(const char *raw);        /* what an entry of this id will be called; the caller's */
/* "live", "invalidated", "reset": asks Dynamo. */
const char *model_state(struct entry *e);
int model_leaf_guards(PyObject *guard_manager);      /* -1: cannot be counted */
int model_guards(struct entry *e);           /* leaf guards it has now, -1: gone */
PyObject *model_manager(struct entry *e);    /* its guard manager now: a new reference, NULL: gone */
PyObject *model_invalidated(struct entry *e);        /* what stands in its place in Dynamo's cache: likewise */
PyObject *model_backend(struct entry *e);    /* likewise */
void model_called(struct entry *e);          /* it serves a call */
int model_order(struct entry *e);            /* 1: Dynamo tries it first; 0: never */
/* The live entries of a function in the order in which they are tried: how many, the array is the caller's. */
int model_tried(struct func *f, struct entry ***out);
bool model_cached(struct entry *e);          /* in Dynamo's cache, whatever was done to it there */
bool model_listed(struct entry *e);          /* in Dynamo's cache, if only as one that was invalidated */
/* The entry that this item of Dynamo's list is; one that was never seen is made.  NULL: it cannot be told. */
struct entry *model_entry_item(struct func *f, PyObject *item);
/* Takes the copy, which may be NULL. */
void model_add_graph(struct entry *e, const char *name, struct nodes *copied);
void model_read_graph(struct graph *g);      /* copy -> spots, once */
struct breakage *model_add_break(void);
/* The way from the function into what it called, where the break is: ", in inner at toy.py:3". */
void breaks_inner(const struct breakage *b, struct buf *out);
/* Did it come up when this entry was made? */
bool breaks_of(const struct breakage *b, const struct entry *e);
const char *breaks_state(const struct breakage *b);  /* "resumed", "skipped", "failed"; NULL: it is not known yet */
/* The line of the function itself. */
int breaks_line(const struct breakage *b);
const char *breaks_file(const struct breakage *b);
void model_freeze(void);                     /* the program ends: what torch does at its exit is not its doing */
void model_release(void);                    /* everything is forgotten, every reference dropped */

/* ---- cache.c: what was compiled before we came ----------------------------------------------------- */

void cache_read(void);                       /* from Dynamo's own tables; cheap to call again */

/* ---- compiling.c: functions that Dynamo is looking at now, in this thread ---------------------------- */

/* The symbolic state when an exception was made, by the exception's address. */
struct snapshot {
	struct snapshot *next;
	const void *exc;
	struct val *locals, *stack;          /* owned */
	int line;
};

struct compiling {
	struct compiling *next;              /* the one around it */
	PyObject *frame;                     /* owned: what Dynamo was given; NULL: it was called some other way */
	PyObject *caller;                    /* owned frame object, or NULL */
	PyObject *generated;                 /* owned, once compiled */
	struct func *func;
	char *raw;                           /* compile id; NULL before it has one */
	char *id;                            /* ... as the entry will be called */
	double began;
	struct entry *entry;
	PyObject *graphs;                    /* owned list of (name, nodes) */
	PyObject *resumes;                   /* owned list of (name, code) */
	struct effect *effects;
	struct evaluated *evaluated;         /* evaluated.c's, until there is an entry */
	bool under_way;                      /* ... the outermost translator is past the line where it began */
	struct stacks *stacks;               /* guard_lines.c's, until there is an entry, or NULL */
	PyObject *added;                     /* owned: guard_lines.c's, or NULL */
	PyObject *calls;                     /* owned list of calls that build guards, or NULL */
	PyObject *backend;                   /* owned: see_backend()'s, or NULL */
	char *wraps;                         /* what func wraps, see qualname_wrapped(); or NULL */
	char *skip;                          /* why Dynamo skips the frame, in its words; or NULL */
	char *why;                           /* why Dynamo compiles again, in its words, a line an entry; or NULL */
	struct snapshot *snapshots;
	struct stage *stages;                /* stages.c's, until there is an entry */
	struct trace *trace;                 /* trace.c's, NULL: not kept */
	struct breakage **mark;              /* where breaks of this compile begin */
	bool failed;
	struct spot called;                  /* lines_caller()'s, file NULL: none */
	bool called_known;
	PyObject *tx;                        /* owned: the translator that an exception left last, or NULL */
};

struct stacks;
void stacks_free(struct stacks *s);          /* guard_lines.c */
struct compiling *compiling_top(void);       /* NULL: none in this thread */
struct compiling *compiling_push(PyObject *frame);
void compiling_pop(void);
/* Offer a stop at the function being compiled; takes detail, not the lists.  line: where it is, 0: its first. */
void compiling_event(const struct event_kind *kind, struct compiling *c, int line, const char *entry,
		     struct val *detail, const struct val *locals, const struct val *stack);
/* Of such a kind: is it the function meant by these words that is being compiled? */
bool compiling_matches(const struct event *ev, const char *words);

/* ---- lines.c: the line to show of a stack, outermost first ------------------------------------------- */

/* The innermost line that is not torch's own; one of a library counts, one of Python's own library only where there is
   no other.  -1: all are torch's. */
int lines_inner(const struct spot *stack, int n);
/* The line to show beside that one: the innermost of the program, for a library's; else the outermost.  Calls that a
   decorator passes on are left out.  Reads sources.  -1: there is none. */
int lines_outer(const struct spot *stack, int inner);
/* Where the function being compiled was called, likewise not in torch: NULL: not known. */
const struct spot *lines_caller(struct compiling *c);
/* "model.py:84 in forward (from train.py:5)"; outer NULL: without the last. */
void lines_place(const struct spot *s, const struct spot *outer, struct buf *out);

/* ---- watch.c: stand-ins for functions of Dynamo's --------------------------------------------------- */

/* One call of such a function; all is borrowed. */
struct call {
	PyObject *const *arg;                /* positional ones first, then those that names tells */
	Py_ssize_t n;                        /* how many are positional */
	PyObject *names;                     /* a tuple, or NULL */
	PyObject *result;                    /* NULL: not yet, or it raised */
	PyObject *raised;                    /* in after(): the exception that it raised, or NULL */
	PyObject **own;                      /* before() may put other arguments here; freed when it returns */
};

/* Who is told.  Exceptions that these leave are dropped; before() finds none, in after() the call's is set aside. */
struct watcher {
	void (*before)(struct call *c), (*after)(struct call *c);
};

PyObject *call_arg(const struct call *c, Py_ssize_t i, const char *name);   /* the i-th, or that name's, or NULL */
PyObject *watch_new(PyObject *original, const struct watcher *by);          /* a new reference, or NULL */

extern const struct watcher watch_compile, watch_catch, watch_reasons, watch_guards, watch_log_break, watch_said_break,
	watch_user_compiler, watch_global, watch_resume_global, watch_subgraph, watch_effects, watch_wrap,
	watch_disable, watch_reset, watch_stance, watch_unsupported, watch_step, watch_joint, watch_forward_backward,
	watch_run, watch_add_guard, watch_logs_trained, watch_logs_inference,
	watch_inference, watch_cached, watch_lowered, watch_precompiled, watch_shape_line,
	watch_starts_line;

/* ---- observe.c: what Dynamo does, put into the model ------------------------------------------------- */

int observe_start(struct err *err);
void observe_stop(void);                     /* everything in torch as it was */

/* ---- evaluated.c: lines that Dynamo goes over while it compiles --------------------------------------- */

/* Of one code object. */
struct evaluated {
	struct evaluated *next;
	const char *file, *function;         /* the model's texts; the function's qualified name */
	int first;                           /* line of bit 0 */
	bool own;                            /* of the compiled function, not of one inlined in it */
	unsigned char *bits;
	int nbytes;
};

void evaluated_free(struct evaluated *v);
/* A translator begins: what another attempt to compile went over is forgotten, if it is the outermost. */
void evaluated_again(struct compiling *c, PyObject *tx);
/* Did Dynamo go over this line when it made the entry?  *inlined: the inlined function that it is in, or NULL. */
bool evaluated_line(const struct entry *e, const char *file, int line, const char **inlined);
/* Did it inline the function of this code? */
bool evaluated_inlined(const struct entry *e, PyCodeObject *co);

/* ---- symbolic.c: the lists that fake_frame wants, from a translator; owned by the caller ------------ */

#define SYMBOLIC_BEFORE "_cdbg_stack"        /* a translator's stack before the instruction it is at */
struct val *symbolic_locals(PyObject *tx);
struct val *symbolic_stack(PyObject *tx);
/* The values of a list, as text: "%add f32[2] cpu, 3". */
void symbolic_items(PyObject *list, struct buf *out);
/* Who wants to be told of each instruction that Dynamo's translator is about to do. */
enum { STEPS_BREAKS = 1, STEPS_TRACE = 2 };
void symbolic_steps(unsigned who, bool on);

/* ---- trace.c: the symbolic run, kept ---------------------------------------------------------------- */

struct trace;
void trace_step(PyObject *tx);
void trace_end(struct compiling *c);         /* it compiled, or gave up */
void trace_wake(void);
void trace_stop(void);
void trace_changed(struct session *s);       /* the option trace-compile was set */

/* ---- regions.c, call_text.c ---------------------------------------------------------------------------- */

int regions_of(struct entry *e, const struct region **out);  /* how many; computed once */
/* The first region of this kind; NULL: none. */
const struct region *regions_first(struct entry *e, enum region_kind kind);
const struct region *regions_at(struct entry *e, int index);
/* The text of a call whose callable is loaded at index `at` and called at `call`: "__compiled_fn_1(a, b)". */
char *words_call(struct code *c, int at, int call, const char *name);
char *words_resume(const struct resume *r);  /* "__resume_at_92_2(x, b)" */
char *words_live(const struct func *f);      /* "x, b" */
bool words_end(const char *s, const char *with);
const char *words_file(const char *path);    /* "toy.py", without its folders; "" for NULL */

/* ---- source_text.c: what guards and placeholders are about, for people -------------------------------------- */

/* Each source in a text as a person writes it: "self.layer[0].weight"; the rest of the text as it is. */
void source_people(const char *text, struct buf *out);
/* The long guard on how a tensor's dimensions are marked (mark_dynamic() and its like), in a few words; false: it is
   another guard. */
bool source_marks(const char *text, struct buf *out);
/* A guard's text or what it expects, for people, cut at the end; and a source alone, cut in the middle. */
void source_shown(const char *text, size_t columns, struct buf *out);
void source_name(const char *source, size_t columns, struct buf *out);

/* ---- qualname.c: names of functions as people write them ------------------------------------------------ */

/* "Net.forward": without the functions around it; the code's own, or "?". */
const char *qualname_plain(PyCodeObject *co);
/* Does a typed name fit a __qualname__: its last parts, functions around it named or not? */
bool qualname_fits(const char *typed, const char *qualname);
/* "BertModel.forward": what the function of this code wraps, when it is called with these locals and this closure;
   both may be NULL.  The caller's; NULL: it is no wrapper of a decorator. */
char *qualname_wrapped(PyCodeObject *co, PyObject *locals, PyObject *closure);
/* A compile begins with these locals and this closure: what its function wraps is noted. */
void qualname_note(struct compiling *c, PyObject *locals, PyObject *closure);
/* What the entry's function wrapped when it was compiled, or NULL; its title names that. */
void qualname_set(struct entry *e, const char *wraps);
/* Names for people; machines get co_name. */
const char *qualname_func(const struct func *f);
const char *qualname_entry(const struct entry *e);
const char *qualname_compiling(const struct compiling *c);

/* ---- select.c: "[FUNC|ENTRY]" behind a view or command -------------------------------------------------- */

/* What such words mean, resolved once: everything that takes FUNC goes through this. */
struct meant {
	bool all;                            /* nothing was said */
	const struct entry *id;              /* the words are this entry's name; or NULL */
	struct func **func;                  /* owned: these functions and their resume functions */
	int nfuncs;
	size_t funcs_cap;
	struct entry **entry;                /* owned: and entries in which the function is inlined */
	int nentries;
	size_t entries_cap;
};

/* Whatever `break` takes as FUNC, and names of entries.  -1: err, they mean nothing that Dynamo has looked at. */
int meant_find(const char *words, struct meant *out, struct err *err);
bool meant_func(const struct meant *m, const struct func *f);
bool meant_entry(const struct meant *m, const struct entry *e);
void meant_release(struct meant *m);
/* The one function that Dynamo has looked at that words mean, resume functions aside; NULL: err. */
struct func *pick_func(const char *words, struct err *err);
/* The same for one function, asked while the program runs: no expression is evaluated. */
bool meant_names(struct func *f, const char *words);
/* Without words: the entry that the selected frame runs, the one just compiled, the function of the selected frame or
   the one being compiled; all where none of these is. */
void pick_at_hand(struct meant *out);
/* Takes "-a" off the front: also what is invalidated. */
bool pick_all(const char **words);
void pick_complete(struct session *s, const char *words, const char *word, struct val *list);

/* ---- places.c: questions about locations ----------------------------------------------------------- */

int places_line(const char *file, int line, struct places *out);
int places_function(struct py_code *original, struct places *out);
int places_first(struct code *c);             /* index of the first instruction with an event behind RESUME */
int places_inlined(struct py_code *original, struct places *out);
int places_inside(struct py_code *original);
int places_unwrap(struct py_obj *v, void (*add)(void *arg, struct py_code *co), void *arg);
int places_pieces(struct py_code *original, void (*add)(void *arg, struct py_code *co), void *arg);
int places_by_name(const char *name, void (*add)(void *arg, struct py_code *co), void *arg);
/* Is this function inlined in what the entry's graphs hold, or in what broke its graph? */
bool places_inlines(struct entry *e, struct py_code *original);
/* As typed, or the whole path. */
bool places_file_is(const char *typed, const char *file);
/* A resume function, and the global that generated code calls it by. */
bool places_known_as(const struct func *f, const char *global);
void places_wrapped(PyObject *wrapper);      /* torch.compile made it: its function's code is compiled from now on */

/* ---- switch.c: Dynamo's evaluator ------------------------------------------------------------------- */

void switch_watch(bool on);
void *switch_enter(void);
void switch_leave(void *saved);
void switch_stop(void);

/* ---- follow.c: actions of views with columns file and line, entry, graph, override -------------------- */

void follow_line(const struct rows *r, size_t row, enum row_action what, struct buf *line);
void follow_entry(const struct rows *r, size_t row, enum row_action what, struct buf *line);
void follow_entries(const struct rows *r, size_t row, enum row_action what, struct buf *line);
void follow_graph(const struct rows *r, size_t row, enum row_action what, struct buf *line);
void follow_override(const struct rows *r, size_t row, enum row_action what, struct buf *line);

/* ---- links.c: what belongs together; 1: it is known ------------------------------------------------- */

int links_of(const char *what, const char *id, void (*add)(void *arg, const char *what, const char *id, int line),
	     void *arg);

/* ---- excluded.c: what a rule keeps Dynamo from ---------------------------------------------------------- */

void left_note(PyCodeObject *co, const char *reason);
/* false: past the last */
bool left_row(size_t i, const char **name, const char **file, int *line, const char **reason);

/* ---- effects.c: what generated code replays -------------------------------------------------------- */

void effects_free(struct effect *e);

void ev_graph_break_wake(void);
/* An exception left a compile: it may be a break that nobody logs.  whole: the function had to be one graph. */
void ev_graph_break_escaped(struct compiling *c, PyObject *exc, bool whole);
void ev_skip_emit(struct compiling *c, const char *reason);
void ev_compile_emit(struct compiling *c);
extern const struct event_kind ev_graph_break, ev_compile, ev_resume, ev_skip;
extern const struct view_ops view_compiled, view_breaks, view_entries, view_graphs, view_resume, view_dynamo,
	view_graph, view_effects, view_links, view_trace;
extern const struct cmd_def cmd_explain[], cmd_graph[];

/* ---- source.c: what the decompiler asks of generated code; see plug_ops ------------------------------- */

int source_steady(struct code *c, const char *name);
const char *source_boilerplate(struct code *c, int index);
int source_name_length(const char *name);

#endif

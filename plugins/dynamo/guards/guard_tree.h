/* SPDX-License-Identifier: BSD-3-Clause */
/* Guards: the tree as Dynamo holds it, its leaves as the model keeps them, and both against the values of a frame. */
#ifndef CDBG_GUARDS_H
#define CDBG_GUARDS_H
#include "dynamo.h"

/* ---- guard_tree.c: a guard manager's tree; nothing in it may outlive its root ----------------------------------- */

struct way;                                  /* guard_eval.c's */

struct branch {                              /* a place in the tree: one value that is looked at */
	int parent, depth;                   /* parent -1: the root */
	PyObject *manager;                   /* owned */
	PyObject *how;                       /* owned: the accessor that leads here, once tree_ways() was asked */
	int item;                            /* or this item of the parent, a dict, -1: none */
	bool key;                            /* ... its key, not its value */
	const struct way *way;               /* how the accessor finds a value, once asked for */
	char *name;                          /* ... and by what name, owned */
};

struct leaf {
	PyObject *guard;                     /* owned */
	int branch;
	bool epilogue;                       /* checked after the whole tree: symbolic shapes */
};

struct tree {
	PyObject *wrapper, *root;            /* owned while it is used: they keep alive what is below */
	PyObject *weak, *weak_root;          /* owned: whose it is while nobody uses it; NULL: it is not kept */
	int users;
	struct branch *branch;
	struct leaf *leaf;
	int nbranches, nleaves;
	size_t branches_cap, leaves_cap;
};

/* 0, or -1: this manager has no tree, its entry was invalidated. */
int tree_read(PyObject *guard_manager, struct tree *t);
void tree_release(struct tree *t);
/* Keeps what is below this tree's root, not the root: it goes before the manager does, and *kept is NULL then. */
void tree_keep(struct tree *t, struct tree **kept);
/* A tree that was kept is this manager's still: now it is in use.  False: it is not, and is forgotten. */
bool tree_use(struct tree **kept, PyObject *guard_manager);
/* How each child of this branch is found from it: their accessors.  Not read with the tree: a list wants none. */
void tree_ways(struct tree *t, int branch);
void tree_done(struct tree *t);              /* no more in use; freed unless it is kept */
void tree_forget(struct tree **kept);
/* A method without arguments: a new reference, NULL without an exception. */
PyObject *guards_call(PyObject *v, const char *method);

/* ---- guard_model.c: leaves as the model keeps them; these outlive their entry ------------------------------ */

struct guard {
	int number;                          /* unique over all entries, for the whole run */
	struct entry *entry;
	char *source;                        /* "L['x'].shape", or "" */
	const char *kind;                    /* "TENSOR_MATCH" */
	char *text;                          /* as Dynamo has it, without the line behind it */
	char *made;                          /* "x + y  # toy.py:3 in f": the line behind it, or NULL */
	const char *file;                    /* of the innermost line that made it, not torch's own; NULL: unknown */
	int line;
	const char *function;                /* of that line; NULL: unknown */
	const struct spot *stack;            /* outermost first, the line is stack[at]; the entry's; or NULL */
	int at;
	struct guard *part;                  /* owned: of symbolic shapes, its conditions where there are several */
	int nparts;
	int depth;                           /* in the tree */
	bool epilogue, python;               /* python: a Python function is called to check it */
};

struct guards {
	struct guard *guard;
	int n;
	struct stacks *stacks;               /* owned: guard_lines.c's, noted when compiled; or NULL */
	struct tree *tree;                   /* whose leaves they are, leaf for leaf, while it lives; or NULL */
	const struct guard **sorted;         /* owned: guard_index.c's, NULL: not yet made */
};

/* The leaves of an entry in the order of the tree, read once: NULL where it was gone before anybody asked. */
const struct guards *guards_of(struct entry *e);
/* ... with the tree they came from, leaf for leaf, until tree_done(); NULL: there is none any more. */
const struct guards *guards_tree(struct entry *e, struct tree **t);
const struct guard *guards_numbered(long number);    /* NULL: there is none */
void guards_release(struct entry *e);        /* what is held of Dynamo's; the leaves stay */
/* A guard's parts, a list, as one text; the line behind the first is added to made, which may be NULL: the caller's. */
void guard_parts(PyObject *parts, struct buf *text, char **made);
/* c->entry was made: what was noted is its. */
void guards_compiled(struct compiling *c, PyObject *guarded_code);

/* ---- guard_lines.c: which line made a guard ---------------------------------------------------------------- */

void guard_find_line(struct guard *g, const struct stacks *all);
const struct spot *guard_outer(const struct guard *g);       /* the line to show beside that one, or NULL */
void stacks_noted(struct stacks *s);         /* no more come */
void stacks_forget(struct stacks *s);        /* what is held of Python's; the lines stay */

/* ---- guard_index.c: guards by source -------------------------------------------------------------------------- */

/* The guards of an entry, which were read, about one value, in their order: an array of *n. */
const struct guard *const *guards_about(struct entry *e, const char *source, int *n);

/* A set of sources, which are borrowed; "" is none.  Zero it, add them, then ask. */
struct sources {
	const char **text;                   /* owned array */
	size_t n, cap;
	bool sorted;
};
void sources_add(struct sources *s, const char *source);
/* One of them that this source contains: the value that it hangs on, or it is that value.  NULL: none. */
const char *sources_in(struct sources *s, const char *source);
void sources_release(struct sources *s);

/* ---- guard_args.c: the values that guards are asked about ------------------------------------------------- */

struct scene {
	PyObject *locals;                    /* owned dict: what L is; NULL: a frame of another function */
	bool whole;                          /* it has every argument, as at the entry */
};

/* From a frame that Dynamo was given. */
void scene_compiling(PyObject *frame, struct scene *out);
/* From the selected frame, if it runs this function. */
void scene_selected(struct func *f, struct scene *out);
void scene_release(struct scene *s);

/* ---- guard_eval.c: an entry's guards against a scene -------------------------------------------------------- */

enum verdict { VERDICT_UNKNOWN, VERDICT_FAILS, VERDICT_HOLDS };
enum have { HAVE_UNASKED, HAVE_VALUE, HAVE_GONE, HAVE_MISSING };

struct look {
	const struct guards *guards;
	struct tree *tree;
	struct scene scene;                  /* borrowed */
	PyObject *names;                     /* owned: globals for evaluating sources; NULL until needed */
	PyObject **value;                    /* owned, of each branch */
	unsigned char *have;                 /* enum have of each branch */
};

/* false: the entry has no tree. */
bool look_start(struct look *k, struct entry *e, const struct scene *s);
void look_end(struct look *k);
enum have look_value(struct look *k, int branch, PyObject **out);    /* borrowed */
enum verdict look_check(struct look *k, int leaf);
/* The first failing guard in Dynamo's own words, or NULL: none fails.  The caller's. */
char *look_reason(struct look *k);
/* Evaluate in the names that guards see: a new reference, NULL without an exception. */
PyObject *look_eval(struct look *k, const char *text);

/* ---- guard_text.c: what a guard expects and what there is, as people read it ------------------------------- */

void guard_expected(const struct guard *g, struct buf *out);
/* The whole guard as one expression: Dynamo's own code, the check of a type as Python has it.  As a comment where
   Dynamo has only words for it. */
void guard_python(const struct guard *g, struct buf *out);
/* One condition of a guard on symbolic shapes, which as a whole is found so; and what guard_live() tells of it. */
enum verdict guard_part_check(struct look *k, const struct guard *part, enum verdict whole);
void guard_part_live(struct look *k, const struct guard *part, enum verdict v, struct buf *expected, struct buf *live);
/* What there is in the guard's place; nothing where it is not known. */
void guard_live(struct look *k, int leaf, enum verdict v, struct buf *expected, struct buf *live);
/* A value, as short as the views have it. */
void guard_show(PyObject *v, struct buf *out);

/* ---- guard_tensor.c, guard_object.c: the same for single kinds -------------------------------------------------- */

void guard_tensor_expected(const struct guard *g, struct buf *out);
void guard_tensor_live(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		       struct buf *live);
void guard_type_expected(const struct guard *g, struct buf *out);
void guard_type_live(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		     struct buf *live);
void guard_id_expected(const struct guard *g, struct buf *out);
void guard_id_live(struct look *k, const struct guard *g, PyObject *v, enum verdict verdict, struct buf *expected,
		   struct buf *live);
void guard_full_type(PyTypeObject *t, struct buf *out);
/* "..., type=<class 'collections.OrderedDict'>": the class's name in the text, or NULL. */
const char *guard_class(const struct guard *g, size_t *n);

/* ---- guard_remedy.c -------------------------------------------------------------------------------------------- */

/* What to change so that this guard does not fail: NULL where nothing is known. */
const char *guard_remedy(const struct guard *g, const char *expected, const char *live);

/* ---- guard_pane.c: as a pane shows them ------------------------------------------------------------------- */

struct rows;
struct view_req;
int guards_pane(const struct view_req *req, struct rows *out, struct err *err);
void guards_action(const struct rows *rows, size_t row, enum row_action what, struct buf *line);

/* ---- select.c: the entries that words behind a view or command mean ------------------------------------------- */

struct picked {
	struct entry **entry;                /* owned array */
	int n;
	size_t cap;
};

/* An entry, a function (all its entries), or nothing: those of the selected frame, else all.  -1: err. */
int pick_entries(const char *words, struct picked *out, struct err *err);
void pick_function(const struct func *f, struct picked *out);        /* all of it, instead of what is there */

/* ---- guard_why.c: why an entry does not fit ----------------------------------------------------------------- */

struct failing {
	const struct guard *guard;
	char *expected, *live;               /* owned; live NULL: not known */
};

struct why {
	struct entry *entry;
	struct failing *failing;
	int n;
	struct guard *node;                  /* owned: stands for what a node checks without a leaf; number 0 */
	char *reason;                        /* owned: in Dynamo's words, or ours where it has none; NULL: it fits */
};

/* backend: what the call wants, NULL: not known. */
void why_of(struct entry *e, const struct scene *s, PyObject *backend, struct why *out);
void why_release(struct why *w);
/* A failing guard as text: "  5 L['n'] == 2  toy.py:3" ("  - ...": no number), and below what is wanted and what there
   is ("": not known). */
void why_head(long long number, const char *text, const char *file, long long line, struct buf *out);
void why_values(const char *expected, const char *live, struct buf *out);
const char *why_remedy(const struct why *w);         /* of one without a failing guard; or NULL */
char *why_gone(struct entry *e);             /* what invalidated it, the caller's; never NULL */
struct val *why_detail(const struct why *w);         /* {"entry", "failing": [...], "reason"} */
/* Why none of these entries fits: {"function", "entry", "entries": [...]}. */
struct val *why_all(struct func *f, const char *id, struct entry **entry, int n, const struct scene *s,
		    PyObject *backend);
/* ... in a line: the nearest entry, its first failing guard, how many others. */
void why_describe(const struct val *detail, struct buf *out);

extern const struct event_kind ev_recompile, ev_guard_fail, ev_limit;
/* ---- view_guards.c: cells, for the views that are about guards ---------------------------------------------- */

const char *guards_cell(const struct rows *r, size_t row, const char *col);  /* "" when absent or no text */
long long guards_number(const struct rows *r, size_t row, const char *col);  /* 0 when absent or no number */
bool guards_is(const struct rows *r, size_t row, const char *col, bool what);
bool guards_absent(const struct rows *r, size_t row, const char *col);
/* Columns beside "line" in the views of guards, and their cells. */
#define GUARD_LINES_COLS \
	{ .name = "file", .help = "the line's file", .machine_only = true }, \
	{ .name = "function", .help = "the line's function", .machine_only = true }, \
	{ .name = "outer_file", .help = "file of the outer line: the program's for a library's line, else " \
	  "the outermost", .machine_only = true }, \
	{ .name = "outer_line", .help = "that line", .machine_only = true }, \
	{ .name = "outer_function", .help = "its function", .machine_only = true }
void guards_lines(struct rows *out, const struct guard *g);
/* "no guard '99': ..."; -1. */
int guards_none(const char *number, struct err *err);

/* ---- lookup.c: Dynamo's lookups, told by its hooks while somebody wants them --------------------------------- */

void lookup_changed(struct session *s);      /* the option count */
void lookup_wake(void);
void lookup_stop(void);
bool lookup_counted(void);                   /* hits are, or were, counted */
bool lookup_countable(void);                 /* this torch has the hooks for it */
enum lookup { LOOKUP_NONE, LOOKUP_HIT, LOOKUP_MISS };
void lookup_watch(bool on);                  /* somebody asks lookup_take() */
enum lookup lookup_take(void);               /* what this thread's last lookup came to, told once */

/* A frame that Dynamo is given because no entry fits it; c has no function yet. */
void ev_guard_fail_enter(struct compiling *c, PyObject *frame);
/* The result of a frame: true, and told, when it says that the recompile limit is reached. */
bool ev_limit_emit(struct compiling *c, PyObject *code, PyObject *result);

extern const struct cmd_def cmd_guard[];
extern const struct view_ops view_guards, view_why, view_cost;
#endif

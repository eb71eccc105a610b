/* SPDX-License-Identifier: BSD-3-Clause */
/* Cache entries as they were observed: generated code and what Dynamo made with it.  Code objects are
   held weakly. */
#ifndef DYNAMO_MODEL_ENTRY_H
#define DYNAMO_MODEL_ENTRY_H
#include "torch/cdbg_host.h"
#include "model/source_line.h"

struct clone;
struct effect;
struct evaluated;
struct func;
struct graph;
struct guards;
struct reads;
struct stage;

/* A resume function as one entry's generated code knows it; several globals may stand for the same code. */
struct resume {
	struct func *func;
	char *global; /* "__resume_at_92_2" */
	int offset;   /* in the function that was traced; -1: none */
};

/* The results of a compile, and what happened to them.  Written while Dynamo works. */
struct entry_made {
	struct graph *graph;
	int ngraphs;
	struct resume *resume; /* what it may call */
	int nresumes;
	struct effect *effects;	     /* what it replays after its graph */
	struct evaluated *evaluated; /* lines that Dynamo went over; NULL: not known */
	struct reads *reads;	     /* owned: what Dynamo read; NULL: not known */
	struct stage *stages;	     /* what its backend made of its graphs */
	int guards;		     /* leaf guards when compiled, -1: unknown */
	double seconds;		     /* 0: unknown */
	bool fresh;		     /* Dynamo has not yet put it into its cache */
	bool dynamic;		     /* with dynamic=True: sizes and numbers were symbols from the beginning */
	bool before;		     /* compiled before cdbg was loaded */
	struct source_line called;   /* the line that called it when it was compiled; file NULL: not known */
	char *why;		     /* why it was compiled when it was not the first; or NULL */
	struct val *missed;	     /* owned: {"entries": [...]}, those that did not fit, as why_all() says, with the
					number of guards that failed, "failed"; NULL: not asked */
	struct val *verdict;	     /* owned: of the calls that catch wrong judged, see ev_wrong.c; NULL: none */
	long hits;		     /* the number of calls that it served, while they are counted */
	char *gone;		     /* what invalidated it, in Dynamo's words; NULL: not known */
};

/* Its code by regions, computed once: code/regions.c's. */
struct entry_regions {
	struct region *region; /* NULL: not yet computed */
	int nregions;
};

/* guards/guard_model.c's. */
struct entry_guards {
	struct guards *leaves; /* NULL: not yet read */
	PyObject *manager;     /* owned while fresh: what will guard it */
	PyObject *held;	       /* borrowed, while a caller holds what guards it now: need not be looked for; or NULL */
};

/* What edits of the entry need. */
struct entry_editing {
	PyObject *record;    /* owned: the calls that built its guards, see record_finish(); or NULL */
	PyObject *backend;   /* owned where Dynamo's own entry does not tell it, else NULL */
	struct clone *clone; /* written by clone.c for an entry that the user made; NULL: Dynamo made it */
};

/* A cache entry: one generated code object. */
struct entry {
	struct entry *next; /* in the order of compiling */
	struct entry *chain, *id_chain;
	PyCodeObject *co; /* borrowed, NULL once dead */
	PyObject *weak;
	char *id;	   /* unique: "0/0", "0/0#2" */
	char *raw;	   /* as Dynamo has it */
	struct func *func; /* what was traced */
	char *wraps;	   /* ... what func, a decorator's wrapper, wrapped then; or NULL */
	char *title;
	const char *end; /* its state when the program ended, NULL before */
	struct entry_made made;
	struct entry_regions code;
	struct entry_guards guard;
	struct entry_editing edit;
};

extern struct entry *model_entries;
struct entry *model_entry(PyCodeObject *generated);
struct entry *model_entry_named(const char *id);
struct entry *model_add_entry(PyCodeObject *generated, struct func *f, const char *raw);
void model_recode(struct entry *e, PyCodeObject *co); /* it runs this code from now on */
char *model_next_id(const char *raw);		      /* what an entry of this id will be called; owned by the caller */
void model_called(struct entry *e);		      /* it serves a call */
void entries_release(void);
/* offset: where the resume function continues in the function that was traced; -1: not known. */
void model_add_resume(struct entry *e, PyCodeObject *co, const char *global, int offset);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What Dynamo read while it compiled: values by their source, code that it inlined, results that it took once.  Each is
   kept as a key by which a later value can be compared, and keeps nothing of the program alive but code objects and
   constants.  Does not depend on guards. */
#ifndef DYNAMO_MODEL_READS_H
#define DYNAMO_MODEL_READS_H
#include "torch/cdbg_host.h"
#include "torch/torch_state.h"

enum key_kind { KEY_ATOM, KEY_CODE, KEY_ITEMS, KEY_CLASS, KEY_MODULE, KEY_TENSOR, KEY_OBJECT };

/* A value as it was: what can be compared with a later one without running the program's code. */
struct read_key {
	enum key_kind kind;
	uintptr_t type, id;	  /* addresses; id 0: the value counts, not the object */
	uintptr_t part;		  /* a function's defaults, a method's function: their addresses, mixed */
	PyObject *held;		  /* owned: an atom, a function's code object; or NULL */
	PyObject *weak;		  /* owned weak reference: the object; NULL: its type has none */
	Py_ssize_t length;	  /* of a list, tuple, dict or set; -1: none of these */
	unsigned long long items; /* ... and a hash of its first items, by value or by address */
	const char *name;	  /* of its type, or of a class: the model's */
};

enum read_kind {
	READ_VALUE,    /* a value with a source */
	READ_HOOKS,    /* hooks of a module, which were none: a guard was asked for */
	READ_CODE,     /* a function that was inlined */
	READ_CONSTANT, /* the result of a call, taken once */
	READ_CLASS,    /* a name of a class: never in struct reads, which has the classes */
	READ_SETTING,  /* a setting of torch: never in struct reads, which has all of them as texts */
};

struct read {
	enum read_kind kind;
	PyObject *name;	      /* owned str: the source; of a method: its name in the class; or NULL */
	const char *title;    /* of a function or its result: how it is called, "Layer.call"; else NULL */
	struct read_key key;  /* the value; of code: the function */
	PyObject *owner;      /* owned weak reference: the class that the method was looked up in; or NULL */
	PyObject *holder;     /* ... and the class that has it */
	bool first;	      /* ... which is the first that has one of this name */
	const char *file;     /* of the line that read it, not torch's own; NULL: not known */
	const char *function; /* ... of that line */
	int line;
};

/* A class of a value that was read, with the names that its own dict had. */
struct class_read {
	PyObject *weak;	 /* owned weak reference: the class */
	PyObject *names; /* owned dict: name -> address of what it named; shared by compiles */
};

/* torch's own copies of its settings, JSON. */
enum settings { SETTINGS_DYNAMO, SETTINGS_FUNCTORCH, SETTINGS_INDUCTOR, SETTINGS };

struct reads {
	PyObject *known; /* owned dict: source, or the addresses of a method, -> True; NULL once the compile ended */
	PyObject *asked; /* owned set: sources for which a guard was asked; NULL: none */
	struct read *read;
	int n;
	size_t cap;
	struct class_read *class;
	int nclasses;
	size_t classes_cap;
	PyObject *settings[SETTINGS];	 /* owned str, when the compile ended; NULL: not known */
	signed char state[TORCH_STATES]; /* ... as torch_state_read() has it */
	long notes;			 /* with those that were known */
	double seconds;			 /* that all of this took */
};

void reads_key_of(PyObject *v, struct read_key *out);
void reads_key_release(struct read_key *k);
/* Is this value what the key was made from?  Runs none of the program's code. */
bool reads_key_same(const struct read_key *was, PyObject *now);
/* ... for a function that was inlined: does this lead to the same code? */
bool reads_key_same_code(const struct read_key *was, PyObject *now);
void reads_key_text(const struct read_key *k,
		    struct buf *out); /* in a few words: "the function at m.py:5", "list of 3" */
struct reads *reads_new(void);
struct read *reads_add(struct reads *r, enum read_kind kind);
void reads_done(struct reads *r); /* the compile ended: no more come */
void reads_free(struct reads *r);

#endif

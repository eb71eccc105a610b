/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles for CPython's objects, and all that differs between its versions: py3NN.c implements this file, one is
   linked.  No file above src/py includes Python.h; the handles are the objects themselves, and only files in src/py
   cast them. */
#ifndef CDBG_PY_H
#define CDBG_PY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "py/handle.h"

struct err;
struct buf;

/* References.  All of them need the GIL, like every function of src/py that does not state otherwise. */
void *py_ref(void *obj);  /* NULL stays NULL; returns obj */
void py_unref(void *obj); /* may run the program's code (finalizers) */
/*
 * A finalizer may call into cdbg again, or let another thread do so.  Code that releases an object while one of its own
 * tables is half changed, or while a caller walks one, uses py_unref_later(): the last reference is kept until
 * py_unref_waiting(), which hooks and commands call when they are done.
 */
void py_unref_later(void *obj);
void py_unref_waiting(void);

/* ---- what differs between versions ------------------------------------------------------------- */

/* Static facts about opcodes of this version; op is 0..255, generic (never specialised or instrumented). */
int py_op_caches(int op); /* inline cache units after it */
bool py_op_has_arg(int op);
/* The interpreter emits an event at this opcode; before: the opcode of the previous instruction, or -1. */
bool py_op_has_event(int op, int before);
/* Jump target of the instruction in code units, or -1: pos is its unit, next the unit after its caches. */
int py_op_target(int op, int arg, int pos, int next);
/* Effect on the value stack depth; jump: 1 when it jumps, 0 when not.  INT32_MIN when unknown. */
int py_op_effect(int op, int arg, int jump);
bool py_op_ends(int op);    /* never continues with the next instruction */
bool py_op_returns(int op); /* ends the frame with a value */
/* The number of items that the instruction takes from the stack; frame.c uses it to decide which slots of suspended
   frames are valid. */
int py_op_pops(int op, int arg);
/* The number of these, from the lowest, that a frame still owns while it is suspended in this call. */
int py_op_operands_live(int op, int arg);
/* What dis writes around the argument ("NULL + ", "bool("); second: another number that the argument contains, -1:
   none. */
struct op_words {
	const char *before, *after;
	int second;
};
/* The index that the argument contains: of a name, constant, local or comparison. */
int py_op_arg_index(int op, int arg, struct op_words *words);
/* The other bits in the argument of comparison i. */
int py_op_compare_bits(int i);
const char *py_op_name(int op); /* "LOAD_FAST"; "<NNN>" for none */

/* The generic bytecode of a code object, owned by the caller. The adaptive bytecode must not be parsed. */
struct py_obj *py_code_bytes(struct py_code *co);
/*
 * Puts data under an index of _PyEval_RequestCodeExtraIndex() into a code object that has no such data yet, with
 * room up to this index only; false: it has data already, or memory is short. CPython itself allocates room for all
 * users of this interface, and calls the functions of all when the code object is freed, even a function that does
 * not exist any more (ctypes).
 */
bool py_code_put_alone(struct py_code *co, long index, void *data);
/* The bits of co_localspluskinds for variable i: 0x20 local, 0x40 cell, 0x80 free, the same in all versions. */
int py_code_local_kind(struct py_code *co, int i);

/* The code of a generator, coroutine or asynchronous generator: borrowed, NULL when it has none. */
struct py_code *py_generator_code(struct py_obj *gen);
struct py_obj *py_generator_name(struct py_obj *gen); /* of a generator or coroutine; borrowed */
/* A type's own dict: borrowed, NULL when it has none.  From 3.12 on tp_dict is empty in the interpreter's own types. */
struct py_obj *py_type_dict(struct py_obj *type);

/* The offset of a frame's instruction in code units, never in the middle of inline caches; -1 before the first. */
int py_frame_unit(struct py_frame *f);
/* At instruction events the interpreter saves its stack pointer itself, and takes it from the frame after them. */
extern const bool py_saves_depth;
/* The number of slots that a loop keeps on the stack: its iterator, and in 3.15 or later the index above it. */
extern const int py_iterator_slots;
/* The saved depth of the value stack, or -1. At instruction events it is always saved: by the hooks where the
   interpreter does not do it. */
int py_frame_saved_depth(struct py_frame *f);
int py_frame_depth_at(uintptr_t address); /* the same, by py_frame_address() */
/* Raw slot, borrowed, NULL for NULL.  *tagged: it holds a number instead of an object (3.14), put into *number. */
struct py_obj *py_frame_slot(struct py_frame *f, int slot, bool *tagged, long *number);
/* The frame's variables, and above them its value stack: a word each, see py_raw_object().  The same of a frame at an
   address (py_frame_address()) that is on a stack, and the address of the one that called it; 0: none. */
const uintptr_t *py_frame_words(struct py_frame *f);
extern const unsigned py_frame_words_from; /* bytes from the address to the words */
uintptr_t py_frame_outer_at(uintptr_t address);
static inline const uintptr_t *py_frame_words_at(uintptr_t address)
{
	return (const uintptr_t *)(address + py_frame_words_from);
}
/* Store value (borrowed) in a slot and release the old one. The caller has checked that this is safe. */
void py_frame_set_slot(struct py_frame *f, int slot, struct py_obj *value);
/* Local variable i of co_localsplus: borrowed, cells not followed, NULL when unbound. */
struct py_obj *py_frame_local(struct py_frame *f, int i);
int py_frame_set_local(struct py_frame *f, int i, struct py_obj *value); /* -1: it raised */
/* The mapping of the names that are not fast locals (module and class bodies); else a snapshot or NULL. */
struct py_obj *py_frame_names(struct py_frame *f);
/* True if the frame that it called runs this function (an address, which is compared and not dereferenced). */
bool py_frame_runs_above(struct py_frame *f, struct py_obj *function);
/* True while the frame is on a stack or suspended; false once it ended (its locals stay readable). */
bool py_frame_alive(struct py_frame *f);
bool py_frame_is_generator(struct py_frame *f);
/* Identity of the activation: unique among living frames, reused after. */
uintptr_t py_frame_address(struct py_frame *f);
/* frame.f_lineno = line, for a frame stopped in the current callback; py_frame_jump() forges the line.  -1: it
   raised. */
int py_frame_set_line(struct py_frame *f, int line);
/* Set the next instruction of the frame stopped at an instruction event to `unit`.  Checks what CPython checks. */
int py_frame_jump(struct py_frame *f, int unit, struct err *err);

/*
 * Another thread has the GIL: request it, as CPython does for a thread that has waited for the switch
 * interval.  Any thread, no GIL needed; the thread state is only compared.  No thread has it: one that has
 * released it by request takes it again, if `wants` did not.
 */
void py_gil_request(struct py_thread *wants);

/*
 * How a debugger has another process of this version run a file (PEP 768): where members stand in the table of offsets
 * that _PyRuntime begins with (Include/internal/pycore_debug_offsets.h), the bits of the eval breaker that have a
 * thread look, each of which may be set for nothing, and the one that never may.  size 0: this version cannot.
 */
struct py_remote {
	size_t size;
	size_t cookie, interpreters, next, id, main_thread;
	size_t breaker, support, enabled, pending, path, path_size;
	const char *cookie_text;
	unsigned char wake, never;
};
extern const struct py_remote py_remote;

/* Where this interpreter keeps the list of functions that os.register_at_fork() has for a child: a PyObject **, whose
   list may be NULL (struct _is, CPython 3.11 to 3.15). */
void *py_at_fork_child(void);

/*
 * Hides the running frames of this thread until py_frames_show(): for backtraces and the recursion limit, what is
 * called meanwhile is called by the interpreter itself.
 */
struct py_hidden {
	void *frame;
	int depth;
};
void py_frames_hide(struct py_hidden *h);
void py_frames_show(const struct py_hidden *h);

#endif

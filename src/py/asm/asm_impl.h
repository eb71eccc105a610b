/* SPDX-License-Identifier: BSD-3-Clause */
/* What the assembler's files share.  For src/py only, after Python.h. */
#ifndef CDBG_ASM_IMPL_H
#define CDBG_ASM_IMPL_H
#include "base/buf.h"
#include "base/err.h"
#include "py/asm/asm.h"
#include "py/code/op.h"
#include "py/version/facts.h"
#include "py/version/opcodes.h"

/* One table of the code object that is being assembled: the items of the base first, then new ones. */
struct asm_table {
	PyObject *list; /* owned */
	char **text;	/* each owned: the text of an item, NULL: it is written as its number */
	int n;
	size_t cap;
};

struct asm_label {
	char *name;
	int index; /* of the instruction after it; -1: not seen yet */
	int at;	   /* line of the text where it was first used */
};

struct asm_range {
	int start, end, target; /* labels */
	int depth, at;
	bool lasti;
};

struct assembly {
	struct code *base;
	struct asm_table consts, names, locals;
	PyObject *extra;    /* borrowed dict or NULL */
	int nlocals, added; /* variables before the cells; how many of them are new */
	struct code code;   /* the result: instr, n, except, nexcept; no code object */
	size_t cap;
	int *at, *jump; /* by instruction: line of the text; label or -1 */
	size_t at_cap, jump_cap;
	struct asm_label *label;
	int nlabels;
	size_t label_cap;
	struct asm_range *range;
	int nranges;
	size_t range_cap;
	int stack; /* what it needs */
	struct err *err;
};

/* asm.c */
int assembly_init(struct assembly *a, struct code *base, PyObject *extra, struct err *err);
void assembly_release(struct assembly *a);
int assembly_refuse(struct assembly *a, int at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A new variable: those after it move. */
int assembly_add_local(struct assembly *a, const char *name, int at);

/* asm_operand.c: arguments of instructions, jumps left out. */
void asm_operand_write(struct assembly *a, const struct instr *in, struct buf *out);
int asm_operand_read(struct assembly *a, int op, const char *text, int at, int *arg);
/* The text of an item, "$3" if it has none. */
void asm_operand_item(const struct asm_table *t, int i, struct buf *out);
bool asm_operand_plain_name(const char *s);
bool asm_operand_literal(PyObject *v, struct buf *out); /* can it be said in the text? */

/* asm_check.c: refuses what would crash; fills a->stack. */
int assembly_check(struct assembly *a);
/* asm_emit.c: the bytes and tables. */
struct py_code *assembly_emit(struct assembly *a);

#endif

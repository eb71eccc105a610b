/* SPDX-License-Identifier: BSD-3-Clause */
/* What is recorded: compiled code, graphs, functions, or all code.  Arms it; the recorder writes, past.c reads. */
#ifndef CDBG_RECORDING_H
#define CDBG_RECORDING_H
#include <stdbool.h>

struct buf;
struct code;
struct err;
struct session;

/* words: "", "generated", "graph", "all" or functions; more of them where a record is being made.  file: of the record;
   NULL: it has no name.  -1: err. */
int recording_start(struct session *s, const char *words, const char *file, struct err *err);
void recording_off(struct session *s);
bool recording_on(void);
void recording_what(struct buf *out); /* "generated code and graphs, f" */
/* Compiled code, or code of a graph, has appeared. */
void recording_code(struct session *s, struct code *c);
/* A frame of this code begins: enum hook_want. */
unsigned recording_enter(struct session *s, struct code *c);
bool recording_all(void); /* each new frame is asked for */

#endif

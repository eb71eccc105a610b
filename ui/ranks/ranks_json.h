/* SPDX-License-Identifier: BSD-3-Clause */
/* The controller's machine interface: one JSON object a line, as that of one process has it (ui/json/json.c), with
   "rank" or "ranks" in each object.  Knows no command. */
#ifndef CDBG_RANKS_JSON_H
#define CDBG_RANKS_JSON_H
#include "ui/ranks/ranks_cmd.h"

struct args;
struct controller;
struct err;

/* Before the launcher is started, whose output is captured where standard input and output are the conversation; waits
   for the client where it comes over a socket that listens.  Sets c->ops and c->input_fd.  -1: err. */
int ranks_json_open(struct controller *c, const struct args *a, struct err *err);
void ranks_json_started(struct controller *c,
			const char *start); /* sends the first object; start: see controller_start(), or NULL */
enum ranks_end ranks_json_serve(struct controller *c, const struct args *a);

#endif

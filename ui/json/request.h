/* SPDX-License-Identifier: BSD-3-Clause */
/* A line of the machine interface taken apart: a command alone, or an object {"id":7,"command":"info guards"}.  Knows
   no session. */
#ifndef CDBG_REQUEST_H
#define CDBG_REQUEST_H
#include <stdbool.h>

struct request {
	char *line;  /* the command; owned */
	char *id;    /* of the object, as JSON, to be repeated in the reply; owned, or NULL */
	bool text;   /* "as":"text": rows are answered as people see them */
	bool lines;  /* "as":"lines": rows are answered as texts that can be compared between processes */
	char *fault; /* the object cannot be used: why; owned, or NULL */
};

/* Takes text; of an object that cannot be used it is the line. */
void request_read(struct request *rq, char *text);
void request_release(struct request *rq);

#endif

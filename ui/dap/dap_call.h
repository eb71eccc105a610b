/* SPDX-License-Identifier: BSD-3-Clause */
/* A request of the Debug Adapter Protocol while it is served, and the row of the table that serves it. */
#ifndef CDBG_DAP_CALL_H
#define CDBG_DAP_CALL_H
#include "base/err.h"
#include "base/val.h"
#include "engine/session.h"

struct dap_call;

enum dap_flags {
	DAP_STOPPED = 1 << 0, /* refused while the program runs */
	DAP_SELECTS = 1 << 1, /* the frame that it selects stays selected */
	DAP_EARLY = 1 << 2,   /* also before `initialize` */
	DAP_ENDED = 1 << 3,   /* also when the program has ended */
};

struct dap_row {
	const char *name;
	unsigned flags;
	/* -1: err.  At a stop, in a visit, or when the program has ended; with the GIL. */
	int (*run)(struct session *s, struct dap_call *c, struct err *err);
	/* For c->line: fills in c->body; may be NULL. */
	void (*ran)(struct session *s, struct dap_call *c, const struct ran *ran);
};

struct dap_call {
	const struct dap_row *row;
	struct val *message;	/* owned */
	const struct val *args; /* borrowed from it; NULL: none */
	long long seq;
	struct val *body; /* of the response; NULL: none */
	/* A command line to be run: the response follows when it has; owned.  NULL: the request is done. */
	char *line;
	void (*after)(struct session *s); /* after the response; may be NULL */
	bool quiet;			  /* there is no response */
};

extern const struct dap_row dap_rows[]; /* ends with name NULL */
const struct dap_row *dap_row_find(const char *name);

bool dap_flag(const struct val *args, const char *key); /* false when absent */
/* A command line of cdbg's own, whose result is not shown.  -1: err. */
int dap_call_command(struct session *s, struct reply *out, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* All rows of a view for these words; NULL: err. */
struct rows *dap_call_rows(struct session *s, const char *view, const char *words, struct err *err);

/* Requests, each in the file that its folder's table names. */
#define DAP_REQUEST(name) int dap_##name(struct session *s, struct dap_call *c, struct err *err)
DAP_REQUEST(initialize);
DAP_REQUEST(start);
DAP_REQUEST(configured);
DAP_REQUEST(disconnect);
DAP_REQUEST(terminate);
DAP_REQUEST(restart);
DAP_REQUEST(set_breakpoints);
DAP_REQUEST(locations);
DAP_REQUEST(set_functions);
DAP_REQUEST(set_instructions);
DAP_REQUEST(set_data);
DAP_REQUEST(data_info);
DAP_REQUEST(set_exceptions);
DAP_REQUEST(run_on);
DAP_REQUEST(step_over);
DAP_REQUEST(step_into);
DAP_REQUEST(step_out);
DAP_REQUEST(step_back);
DAP_REQUEST(run_back);
DAP_REQUEST(pause);
DAP_REQUEST(goto_targets);
DAP_REQUEST(goto);
DAP_REQUEST(threads);
DAP_REQUEST(stack_trace);
DAP_REQUEST(scopes);
DAP_REQUEST(variables);
DAP_REQUEST(set_variable);
DAP_REQUEST(set_expression);
DAP_REQUEST(evaluate);
DAP_REQUEST(completions);
DAP_REQUEST(disassemble);
DAP_REQUEST(source);
DAP_REQUEST(loaded_sources);
DAP_REQUEST(exception_info);
DAP_REQUEST(command);
DAP_REQUEST(view);
DAP_REQUEST(entries);
void dap_evaluated(struct session *s, struct dap_call *c, const struct ran *ran);
void dap_variable_set(struct session *s, struct dap_call *c, const struct ran *ran);
void dap_expression_set(struct session *s, struct dap_call *c, const struct ran *ran);
void dap_commanded(struct session *s, struct dap_call *c, const struct ran *ran);

#endif

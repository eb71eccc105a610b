/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop that serves a stop: the session calls it when front_ops.stopped or .exited has shown what happened. */
#ifndef CDBG_SERVE_LOOP_H
#define CDBG_SERVE_LOOP_H

struct session;

/* Until s->resume or s->front_changed is set, or the front end takes no lines. */
void cmd_serve(struct session *s);
/* One line that the user sent while the program runs, and what it queues: in front_ops.visit. */
void cmd_serve_running(struct session *s, const char *line);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends the objects of the machine interface, each as a complete line. Any thread; knows no input. An object sent while
   the program runs, or before it continues, has been written when the call returns. */
#ifndef CDBG_JSON_OUT_H
#define CDBG_JSON_OUT_H
#include "cmd/cmd.h"
#include "engine/session.h"
#include "ui/json/request.h"

void json_send_val(struct val *v); /* takes v */
void json_ready(struct session *s);
void json_exited(int status);
void json_going_on(void); /* the program runs again, and no reply tells it */
/* Answers a line that came while the program runs, and that it does not reach: it is run, and answered, later. */
void json_pending(const struct request *rq);
/* The objects that the relay's process writes. */
extern const struct relay_words json_words;
/* What a logpoint wrote: an `output` of the stream "log". */
void json_log(struct session *s, const struct log_line *line);
void json_breakpoint(struct session *s, const struct bp *b); /* it has changed */
void json_note_object(struct session *s, enum note_level level, const char *text);
/* ok false: err says why.  A command that resumes has a text only if it printed something. */
void json_reply(const struct request *rq, bool ok, const struct reply *r, const struct err *err, bool resumes);
void json_reply_at_once(const struct request *rq, const char *error); /* error NULL: ok */

#endif

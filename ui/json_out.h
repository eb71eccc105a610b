/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects of the machine interface, each written whole as a line.  Any thread; knows no input. */
#ifndef CDBG_JSON_OUT_H
#define CDBG_JSON_OUT_H
#include "cmd/cmd.h"
#include "engine/session.h"

void json_out_open(int fd);
void json_out_close(void);                   /* in a fork's child: it says nothing */
void json_send_val(struct val *v);           /* takes v */
void json_ready(struct session *s);
void json_output(int stream, const char *text, size_t n);
void json_note_object(enum note_level level, const char *text);
/* ok false: err says why.  A command that resumes has no text unless it says something. */
void json_reply(const char *line, bool ok, const struct reply *r, const struct err *err, bool resumes);
void json_reply_at_once(const char *line, const char *error);       /* error NULL: ok */

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the Debug Adapter Protocol: responses and events that are sent, what the relay's process sends on its
   own.  Any thread; knows no session. */
#ifndef CDBG_DAP_MESSAGE_H
#define CDBG_DAP_MESSAGE_H
#include <stdbool.h>

struct relay_words;
struct val;

extern const struct relay_words dap_words;

void dap_event(const char *event, struct val *body); /* takes body; NULL: it has none */
void dap_respond(long long seq, const char *command, struct val *body);
/* The request failed.  user: the client shows the text. */
void dap_refuse(long long seq, const char *command, const char *text, bool user);
/* A text for people, in the console.  A newline is added where it has none. */
void dap_console(const char *text, bool important);
void dap_ended(int status); /* the program has ended: no more events come */

/* The body of the answer to `initialize`, for clients that have not shown their token: JSON, kept by the callee. */
void dap_message_welcome(const char *capabilities);

#endif

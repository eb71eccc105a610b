/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a catchpoint cannot stop in the compiled graphs of the entries that exist, and what to do. */
#ifndef DYNAMO_EVENT_CATCH_ABSENT_H
#define DYNAMO_EVENT_CATCH_ABSENT_H
struct buf;

/* As event_kind.absent.  Nothing is added if no entry exists, or if one may have what the catchpoint waits for. */
void catch_absent_backward(const char *words, struct buf *out);
void catch_absent_kernel(const char *pattern, struct buf *out);

#endif

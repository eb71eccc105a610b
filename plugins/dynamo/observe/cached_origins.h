/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the nodes that the buffers of inductor's code hold, where torch's cache kept only text.  Knows text and the
   model only. */
#ifndef DYNAMO_OBSERVE_CACHED_ORIGINS_H
#define DYNAMO_OBSERVE_CACHED_ORIGINS_H

struct nodes;
struct origin;

/* The buffers of code, as inductor wrote it, whose node in g, the graph that it was made of, is certain; others are
   left out.  Returns how many; *out is the caller's.  The code is that of torch/_inductor/codegen/wrapper.py, torch 2.6
   to 2.15. */
int cached_origins(const char *code, const struct nodes *g, struct origin **out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the nodes of a stage from the text that torch's cache keeps of it.  Knows text and the model only. */
#ifndef DYNAMO_OBSERVE_STAGE_TEXT_H
#define DYNAMO_OBSERVE_STAGE_TEXT_H

struct func;
struct nodes;

/* The nodes of a graph that torch printed with its types (print_readable), those of sub-graphs too; owned by the
   caller. Where a node came from is not in the text.  of: the function that was compiled.  NULL: it is another text. */
struct nodes *stage_text_read(const struct func *of, const char *text);

#endif

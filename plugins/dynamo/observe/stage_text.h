/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the nodes of a stage from the text that torch's cache keeps of it.  Knows text and the model only. */
#ifndef DYNAMO_OBSERVE_STAGE_TEXT_H
#define DYNAMO_OBSERVE_STAGE_TEXT_H

struct nodes;

/* The nodes of a graph that torch printed with its types (print_readable), those of sub-graphs too; owned by the
   caller.  Where a node came from is not in the text.  captured: the graph that it was made of, which has the lines
   (see moved_lines.h), or NULL.  Returns NULL where it is another text. */
struct nodes *stage_text_read(const struct nodes *captured, const char *text);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What inductor's code was made of, kept between runs.  Torch's cache has only text: no node of a later stage names the
   captured ones that it was made of, and no buffer its nodes.  cdbg notes them when it sees the compile, by the hash of
   the code, and finds them when a later run takes the same code from the cache. */
#ifndef DYNAMO_OBSERVE_CACHE_NOTES_H
#define DYNAMO_OBSERVE_CACHE_NOTES_H

struct entry;
struct nodes;
struct stage;

/* Notes what a stage with code was made of.  captured: the graph; all: the stages that are known, code among them. */
void cache_notes_keep(const struct nodes *captured, const struct stage *all, const struct stage *code);
/* Fills in nodes or buffers of a stage that torch took from its cache, and of the others that the same note has.  They
   are those of the compile, with the lines of this process: the note counts only if the captured graph, or the graph
   that inductor was given, is the same as then.  Without a note the stage stays text. */
void cache_notes_find(const struct entry *e, struct stage *s);

#endif

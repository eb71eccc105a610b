/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources of values as a person writes them: "L['self']._modules['layer']._modules['0']._parameters['weight']" is
   self.layer[0].weight.  Knows text only. */
#ifndef DYNAMO_CODE_SOURCE_TEXT_H
#define DYNAMO_CODE_SOURCE_TEXT_H
#include "torch/cdbg_host.h"

/* Each source in a text as a person writes it: "self.layer[0].weight"; the rest of the text as it is. */
void source_text_people(const char *text, struct buf *out);
/* The long guard on how a tensor's dimensions are marked (mark_dynamic() and its like), in a few words; false: it is
   another guard. */
bool source_text_marks(const char *text, struct buf *out);
/* A guard's text or what it expects, for people, cut at the end; and a source alone, cut in the middle. */
void source_text_shown(const char *text, size_t columns, struct buf *out);
void source_text_name(const char *source, size_t columns, struct buf *out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of the program as 16 bytes: kind, type, number or first characters, length.  No Python code is called, and no
   reference is kept. */
#ifndef CDBG_RECORD_VALUE_H
#define CDBG_RECORD_VALUE_H
#include <stdbool.h>
#include "py/record/record_words.h"

struct py_obj;
struct value_numbers;

/* What is in a variable or a slot of a frame: a word, see py_raw_object(). */
struct record_value record_value_of(uintptr_t word);
/* Says the name of each type when it is seen first; forgets those that were seen. */
void record_value_start(void (*new_type)(uint32_t id, const char *name));
/* A value of this exact type is summarised by `say`, for RECORDED_DATA: a number for its text, and what it adds to
   *numbers, which knows nothing at first.  say NULL: no longer. */
void record_value_data(struct py_obj *type, uint32_t (*say)(struct py_obj *v, struct value_numbers *numbers));
/* The number of the text of a RECORDED_DATA, and what is known of its elements, to three digits; of one element, as a
   float has it. */
uint32_t record_value_numbers(const struct record_value *v, struct value_numbers *out);
/* Do both say the same?  1: yes; 0: no; -1: they are one object that has changed: its
   length, what a cell holds, even its class. */
int record_value_same(const struct record_value *a, const struct record_value *b);

#endif

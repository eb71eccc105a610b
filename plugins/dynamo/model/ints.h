/* SPDX-License-Identifier: BSD-3-Clause */
/* Short lists of numbers, each number once.  Knows nothing of what they number. */
#ifndef DYNAMO_MODEL_INTS_H
#define DYNAMO_MODEL_INTS_H
#include <stdbool.h>

/* Adds v at the end of a list of n that does not have it.  Nothing else may add to the list, which begins as NULL and
   is the caller's to free(). */
void ints_add(int **list, int *n, int v);
bool ints_has(const int *list, int n, int v);

#endif

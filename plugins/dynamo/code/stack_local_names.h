/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables that generated code keeps in a list on its value stack for a resume function, or was given in one.  Knows
   no frame. */
#ifndef DYNAMO_CODE_STACK_LOCAL_NAMES_H
#define DYNAMO_CODE_STACK_LOCAL_NAMES_H
#include "torch/cdbg_host.h"

struct entry;

/* If this instruction broke the graph: the names of the list's items, "y,,n" (the second has none), after a ';' for
   each inlined frame, which has a list of its own before it.  Else of the list that the function was given, after the
   name of the argument and a '='.  NULL: there is no list.  The text stays. */
const char *stack_local_names(struct entry *e, struct code *c, int index);

#endif

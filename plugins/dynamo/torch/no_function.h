/* SPDX-License-Identifier: BSD-3-Clause */
/* Torch's functions without the program's __torch_function__ and modes.  Knows nothing of Dynamo. */
#ifndef DYNAMO_TORCH_NO_FUNCTION_H
#define DYNAMO_TORCH_NO_FUNCTION_H
#include "torch/cdbg_host.h"

/* From here on they are not asked, in this thread: a guard for no_function_leave(); NULL: that is not possible.
   Neither sets an exception; an exception that is set is cleared by leaving. */
PyObject *no_function_enter(void);
void no_function_leave(PyObject *guard); /* NULL: does nothing */

#endif

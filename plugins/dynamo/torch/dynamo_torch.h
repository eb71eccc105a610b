/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder offer to each other and to other folders, file by file. */
#ifndef DYNAMO_TORCH_H
#define DYNAMO_TORCH_H
#include "torch/cdbg_host.h"
#include "torch/tensor_numbers.h"
#include "dlpack/tensor_scan.h"

/* ---- no_function.c: torch's functions without the program's __torch_function__ and modes. */
/* From here on they are not asked, in this thread: a guard for no_function_leave(); NULL: that is not possible.
   Neither sets an exception; an exception that is set is cleared by leaving. */
PyObject *no_function_enter(void);
void no_function_leave(PyObject *guard); /* NULL: does nothing */

/* ---- package.c: the Python packages cdbg_graphs and cdbg_report, in the folder of this library.  They are on no
   path of the program and in no sys.modules: a relative import in them comes here, whatever the program did to
   both.  Each file is read when it is first needed. */
/* A function of a module, "NAME" of cdbg_graphs or "cdbg_report.NAME": a new reference, or NULL with an exception: a
   file cannot be used, or an interrupt came. */
PyObject *package_function(const char *module, const char *name);
/* Call it.  Takes args, a tuple or NULL with an exception.  A new reference, or NULL with an exception. */
PyObject *package_call(const char *module, const char *name, PyObject *args);
/* From now on all modules have this function; def: a constant. */
void package_add(PyMethodDef *def);
/* Does this exception or its class say that the package refuses a command?  Its text is then the whole message. */
bool package_refused(PyObject *type);

/* ---- resume_global.c: the global that generated code calls a resume function by.  Knows no entry. */
/* The resume function's code, given the value of its global; borrowed.  NULL: it is something else. */
PyCodeObject *resume_global_code(PyObject *v);
/* The same of the global of this name in a loaded module; Dynamo gives no two of them one name.  Runs no code. */
PyCodeObject *resume_global_named(const char *name);

/* ---- stance.c: what torch.compiler.set_stance() says now about calls of compiled functions. */
bool stance_is(const char *name);
/* skip_guard_eval_unsafe: a lookup checks only the guards that tell the entries of a function apart. */
bool stance_skips_guards(void);
/* Add what it changes, as sentences without a period at the end; false: it is the default one, nothing is added. */
bool stance_describe(struct buf *out);

/* ---- switch.c: follows Dynamo's evaluator: wraps set_eval_frame where it is called, so that cdbg's own hook is
   installed and removed with it. Does not know what is compiled. */
void switch_watch(bool on);
void *switch_enter(void);
void switch_leave(void *saved);

#endif

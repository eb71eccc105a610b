/* SPDX-License-Identifier: BSD-3-Clause */
/* The Python packages cdbg_graphs and cdbg_report, in the folder of this library.  They are on no path of the program
   and in no sys.modules: a relative import in them comes here, whatever the program did to both.  Each file is read
   when it is first needed. */
#ifndef DYNAMO_TORCH_PACKAGE_H
#define DYNAMO_TORCH_PACKAGE_H
#include "torch/cdbg_host.h"

/* A function of a module, "NAME" of cdbg_graphs or "cdbg_report.NAME": a new reference, or NULL with an exception: a
   file cannot be used, or an interrupt came. */
PyObject *package_function(const char *module, const char *name);
/* Call it.  Takes args, a tuple or NULL with an exception.  A new reference, or NULL with an exception. */
PyObject *package_call(const char *module, const char *name, PyObject *args);
/* From now on all modules have this function; def: a constant. */
void package_add(PyMethodDef *def);
/* Does this exception or its class say that the package refuses a command?  Its text is then the whole message. */
bool package_refused(PyObject *type);

#endif

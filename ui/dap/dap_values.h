/* SPDX-License-Identifier: BSD-3-Clause */
/* How values are given to the client. */
#ifndef CDBG_DAP_VALUES_H
#define CDBG_DAP_VALUES_H

struct py_obj;
struct session;
struct val;

/* Adds variablesReference, and how many items there are.  path: an expression for v, or NULL; v: NULL: it has no
   children.  frame: the number of the frame. */
void dap_values_refer(struct session *s, struct val *out, long long frame, const char *path, struct py_obj *v);
/* Adds a summary of the value under this key, and its type.  Runs none of the program's code. */
void dap_values_show(struct session *s, struct val *out, const char *key, struct py_obj *v);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* View: resume functions; for people with the source of the user's function that each continues. */
#ifndef DYNAMO_SHOW_VIEW_RESUME_H
#define DYNAMO_SHOW_VIEW_RESUME_H
#include "torch/cdbg_host.h"

struct func;

extern const struct view_ops view_resume;
int resume_last_line(const struct func *f); /* the last line of its code; 0: not known any more */

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* View: side effects that generated code replays after its graph. */
#ifndef DYNAMO_SHOW_VIEW_EFFECTS_H
#define DYNAMO_SHOW_VIEW_EFFECTS_H
#include "torch/cdbg_host.h"

extern const struct view_ops view_effects;

#endif

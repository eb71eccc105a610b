/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of stop: the generated code of a resume function starts, each time it runs. */
#ifndef DYNAMO_EVENT_EV_RESUME_H
#define DYNAMO_EVENT_EV_RESUME_H
#include "torch/cdbg_host.h"

extern const struct event_kind ev_resume;

#endif

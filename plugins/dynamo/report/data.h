/* SPDX-License-Identifier: BSD-3-Clause */
/* What a report says, as one data tree: index.json is it, pages and files are made from it.  Every fact is asked of a
   view or of the model.  Knows no HTML and no file. */
#ifndef DYNAMO_REPORT_DATA_H
#define DYNAMO_REPORT_DATA_H
#include "torch/cdbg_host.h"

struct compiling;
struct entry;
struct selection;

/* The functions that any of n selections means and all that is known of them: the caller's. */
struct val *data_report(const struct selection *meant, int n);
/* The rows of a view as a list of maps, without cells that are absent: the caller's; an empty list if it fails. */
struct val *data_rows(const struct view_ops *v, const char *words);
/* Of an entry, what dies with its code: code, regions, python, guards, links; the caller's. */
struct val *data_code(struct entry *e);
/* An entry was compiled: keep data_code() and what its guards cost, if the option report-keep is on. */
void data_compiled(struct compiling *c);
const struct val *data_kept(const struct entry *e); /* NULL: nothing is kept */
void data_release(void);			    /* forget what is kept */

/* A list in a map, or an empty one. */
const struct val *data_list(const struct val *map, const char *key);
double data_real(const struct val *map, const char *key); /* 0: absent */
bool data_true(const struct val *map, const char *key);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The contents of a report as one data tree, written as index.json; python/cdbg_report makes pages and files from it.
   Every fact comes from a view or the model.  Knows no HTML and no file. */
#ifndef DYNAMO_REPORT_DATA_H
#define DYNAMO_REPORT_DATA_H
#include "torch/cdbg_host.h"

struct compiling;
struct entry;
struct selection;
struct timing;

/* The functions that any of n selections names, with all data about them; owned by the caller. */
struct val *data_report(const struct selection *meant, int n);
/* The rows of a view as a list of maps, without absent cells; owned by the caller; an empty list if it fails. */
struct val *data_rows(const struct view_ops *v, const char *words);
/* The data of an entry that is lost with its code: code, regions, python, guards, links; owned by the caller. */
struct val *data_code(struct entry *e);
/* An entry was compiled: keep data_code() and what its guards cost, if the option report-keep is on. */
void data_compiled(struct compiling *c);
const struct val *data_kept(const struct entry *e); /* NULL: nothing is kept */
void data_release(void);			    /* forget what is kept */

/* Writes which resume function an entry belongs to: its name, number and line.  Nothing for one of the function. */
void data_resume(struct val *map, const struct entry *e);

/* Writes texts of the entry's guards and reasons as a person writes them ("source_shown"), where they differ. */
void data_shown(struct val *entry);
/* The lines of source around the places that the functions name outside their own source; owned by the caller. */
struct val *data_sources(const struct val *functions);

/* A list in a map, or an empty one. */
const struct val *data_list(const struct val *map, const char *key);
double data_real(const struct val *map, const char *key); /* 0: absent */

#endif

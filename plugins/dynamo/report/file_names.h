/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of files and folders for names of functions, entries and kernels, which may contain any character. The same
   names in the same order give the same files.  Knows no report. */
#ifndef DYNAMO_REPORT_FILE_NAMES_H
#define DYNAMO_REPORT_FILE_NAMES_H
#include "report/items.h"

struct file_names {
	struct items taken; /* in lower case: some file systems do not tell the cases apart */
	int *last;	    /* owned: the last suffix returned for each */
	size_t cap;
};

/* A valid file name for text, also on Windows, at most 61 bytes of letters, digits and "._-"; owned by the caller. */
char *file_names_file(const char *text);
/* The same, but different from all names returned before: "forward", "forward-2". */
char *file_names_unique(struct file_names *all, const char *text);
/* file_names_unique() does not return this name. */
void file_names_reserve(struct file_names *all, const char *name);
void file_names_release(struct file_names *all);

#endif

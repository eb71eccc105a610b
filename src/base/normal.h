/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of several processes without what differs between equal ones, so that they can be compared.  Knows libc only.

   Addresses: 0x and hexadecimal digits in lower case, and runs of 10 or more digits, also within a name, since Dynamo
   names values by id().  Counters: the digits at the end of a name that begins with two underscores, as Dynamo makes
   them (unique_id(), torch/_dynamo/bytecode_transformation.py, 2.13): they count what was compiled before.  Devices:
   the index of cuda:1, and of device=1 in Dynamo's checks of tensors: each rank has its own. */
#ifndef CDBG_NORMAL_H
#define CDBG_NORMAL_H

struct buf;

void normal_addresses(struct buf *out, const char *text); /* adds text with '#' in the place of addresses */
/* ... and in that of counters, '*' in that of indexes of devices, a space in that of line feeds. */
void normal_line(struct buf *out, const char *text);

#endif

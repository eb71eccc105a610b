/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of the terminal as keys: UTF-8, escape sequences, mouse, pasted text.  Knows no binding and no terminal. */
#ifndef CDBG_INPUT_H
#define CDBG_INPUT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"

enum key_type { KEY_CHAR, KEY_NAMED, KEY_MOUSE, KEY_PASTE };

struct key {
	enum key_type type;
	uint32_t c;	   /* KEY_CHAR: the character, control characters as they are */
	char name[24];	   /* "F5", "PageUp", "C-x", "M-f", "Tab", "j": as in bind; "" for none */
	const char *bytes; /* as typed, for the editor and the program; valid until the next byte */
	size_t nbytes;
	int button, row, col; /* KEY_MOUSE: 0-2 press, 64 and 65 the wheel; 0-based */
	bool press;
	const char *text; /* KEY_PASTE */
	size_t ntext;
};

struct input {
	int state;
	unsigned char seq[64];
	size_t nseq;
	struct buf paste;
	char bytes[80];
};

/* Takes one byte. True: *k is a key. An incomplete sequence waits for more bytes, see input_pending(). */
bool input_byte(struct input *in, unsigned char b, struct key *k);
bool input_pending(const struct input *in); /* a lone ESC, or half a sequence */
bool input_idle(const struct input *in);    /* between two keys: not in a sequence or in pasted text */
/* No byte followed an ESC in time: it is the key. */
bool input_flush(struct input *in, struct key *k);
void input_release(struct input *in);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of the terminal as keys.  Every state accepts every byte: no input can block or be lost. */
#include "ui/line/input.h"
#include <stdio.h>
#include <string.h>

enum { GROUND, UTF8, ESC, META, CSI, SS3, X10, STRING, PASTE };
enum { PASTE_MAX = 8 << 20, MOUSE_MAX = 100000, X10_LEN = 6 };

static const struct {
	const char *seq, *name;
} sequences[] = {
	{ "[A", "Up" },	       { "[B", "Down" },       { "[C", "Right" },     { "[D", "Left" },
	{ "OA", "Up" },	       { "OB", "Down" },       { "OC", "Right" },     { "OD", "Left" },
	{ "[H", "Home" },      { "[F", "End" },	       { "OH", "Home" },      { "OF", "End" },
	{ "[1~", "Home" },     { "[4~", "End" },       { "[7~", "Home" },     { "[8~", "End" },
	{ "[2~", "Insert" },   { "[3~", "Delete" },    { "[5~", "PageUp" },   { "[6~", "PageDown" },
	{ "[Z", "S-Tab" },     { "OP", "F1" },	       { "OQ", "F2" },	      { "OR", "F3" },
	{ "OS", "F4" },	       { "[11~", "F1" },       { "[12~", "F2" },      { "[13~", "F3" },
	{ "[14~", "F4" },      { "[[A", "F1" },	       { "[[B", "F2" },	      { "[[C", "F3" },
	{ "[[D", "F4" },       { "[[E", "F5" },	       { "[15~", "F5" },      { "[17~", "F6" },
	{ "[18~", "F7" },      { "[19~", "F8" },       { "[20~", "F9" },      { "[21~", "F10" },
	{ "[23~", "F11" },     { "[24~", "F12" },      { "[15;2~", "S-F5" },  { "[17;2~", "S-F6" },
	{ "[18;2~", "S-F7" },  { "[19;2~", "S-F8" },   { "[20;2~", "S-F9" },  { "[21;2~", "S-F10" },
	{ "[23;2~", "S-F11" }, { "[24;2~", "S-F12" },  { "[23$", "S-F11" },   { "[1;5A", "C-Up" },
	{ "[1;5B", "C-Down" }, { "[1;5C", "C-Right" }, { "[1;5D", "C-Left" }, { "[1;2A", "S-Up" },
	{ "[1;2B", "S-Down" }, { "[1;2C", "S-Right" }, { "[1;2D", "S-Left" }, { "OM", "Enter" },
};

static void set_name(struct key *k, const char *name)
{
	snprintf(k->name, sizeof(k->name), "%s", name);
}

static void key_bytes(struct input *in, struct key *k)
{
	memcpy(in->bytes, in->seq, in->nseq);
	in->bytes[in->nseq] = '\0';
	k->bytes = in->bytes;
	k->nbytes = in->nseq;
	in->state = GROUND;
	in->nseq = 0;
}

static bool key_char(struct input *in, struct key *k, uint32_t c)
{
	k->type = KEY_CHAR;
	k->c = c;
	key_bytes(in, k);
	if (c == '\t')
		set_name(k, "Tab");
	else if (c == '\r' || c == '\n')
		set_name(k, "Enter");
	else if (c == 27)
		set_name(k, "Esc");
	else if (c == ' ')
		set_name(k, "Space");
	else if (c == 127 || c == 8)
		set_name(k, "Backspace");
	else if (c < 32)
		snprintf(k->name, sizeof(k->name), "C-%c", c ? (int)c + (c <= 26 ? 96 : 64) : '@');
	else if (k->nbytes < sizeof(k->name))
		memcpy(k->name, k->bytes, k->nbytes + 1);
	return true;
}

static bool key_sequence(struct input *in, struct key *k)
{
	size_t i;

	k->type = KEY_NAMED;
	key_bytes(in, k);
	for (i = 0; i < sizeof(sequences) / sizeof(*sequences); i++)
		if (!strcmp(sequences[i].seq, k->bytes + 1))
			set_name(k, sequences[i].name);
	if (!*k->name && k->nbytes == 2 && (unsigned char)k->bytes[1] > 32 && (unsigned char)k->bytes[1] < 127)
		snprintf(k->name, sizeof(k->name), "M-%c", k->bytes[1]);
	return true;
}

static bool key_mouse(struct input *in, struct key *k, unsigned char final)
{
	const char *s = in->bytes + 3;

	k->type = KEY_MOUSE;
	k->press = final == 'M';
	key_bytes(in, k);
	k->button = text_number(&s, MOUSE_MAX);
	if (*s++ != ';')
		return false;
	k->col = text_number(&s, MOUSE_MAX) - 1;
	if (*s++ != ';')
		return false;
	k->row = text_number(&s, MOUSE_MAX) - 1;
	return k->row >= 0 && k->col >= 0;
}

static bool in_paste(struct input *in, unsigned char b, struct key *k)
{
	static const char end[] = "\033[201~";

	if (in->paste.len < PASTE_MAX || b == '~' || b == 27)
		buf_addc(&in->paste, (char)b);
	if (b != '~' || in->paste.len < 6 || memcmp(in->paste.s + in->paste.len - 6, end, 6))
		return false;
	in->paste.len -= 6;
	in->paste.s[in->paste.len] = '\0';
	in->state = GROUND;
	k->type = KEY_PASTE;
	k->text = buf_str(&in->paste);
	k->ntext = in->paste.len;
	k->bytes = k->text;
	k->nbytes = k->ntext;
	return true;
}

static bool in_ground(struct input *in, unsigned char b, struct key *k)
{
	in->nseq = 0;
	in->seq[in->nseq++] = b;
	if (b == 27) {
		in->state = ESC;
		return false;
	}
	if (text_lead(b) > 1) {
		in->state = UTF8;
		return false;
	}
	return key_char(in, k, b < 0x80 ? b : 0xfffd);
}

static bool in_utf8(struct input *in, unsigned char b, struct key *k)
{
	uint32_t c;

	if ((b & 0xc0) != 0x80) { /* the previous bytes were not a character: the new byte begins one */
		in->state = GROUND;
		return in_ground(in, b, k);
	}
	in->seq[in->nseq++] = b;
	if (in->nseq < text_lead(in->seq[0]))
		return false;
	in->seq[in->nseq] = 0;
	text_decode((char *)in->seq, &c);
	return key_char(in, k, c);
}

static bool in_csi(struct input *in, unsigned char b, struct key *k)
{
	if (b < 32) /* it ends nothing: a key that was cut off, and the next one */
		return in_ground(in, b, k);
	if (in->nseq < sizeof(in->seq) - 2)
		in->seq[in->nseq++] = b;
	if (b < 0x40 || b > 0x7e || (b == '[' && in->nseq == 3))
		return false;
	in->seq[in->nseq] = 0;
	if (b == 'M' && in->nseq == 3) {
		in->state = X10; /* a mouse report of three more bytes, which may be letters */
		return false;
	}
	if (in->nseq > 3 && in->seq[2] == '<' && (b == 'M' || b == 'm'))
		return key_mouse(in, k, b);
	if (!strcmp((char *)in->seq, "\033[200~")) {
		in->state = PASTE;
		buf_reset(&in->paste);
		return false;
	}
	return key_sequence(in, k);
}

static bool in_esc(struct input *in, unsigned char b, struct key *k)
{
	if (b == 27) /* ESC ESC: the first one was a key */
		return key_char(in, k, 27) && (in->state = ESC, in->seq[in->nseq++] = b, true);
	in->seq[in->nseq++] = b;
	in->seq[in->nseq] = 0;
	in->state = b == '[' ? CSI : b == 'O' ? SS3 : strchr("]PX^_", b) ? STRING : text_lead(b) > 1 ? META : GROUND;
	return in->state == GROUND && key_sequence(in, k);
}

static bool in_ss3(struct input *in, unsigned char b, struct key *k)
{
	if (b < 32)
		return in_ground(in, b, k);
	if (in->nseq < sizeof(in->seq) - 2)
		in->seq[in->nseq++] = b;
	in->seq[in->nseq] = 0;
	return !(b >= '0' && b <= '9') && b != ';' && key_sequence(in, k); /* digits: Shift and its like */
}

/* An answer of the terminal: up to BEL, or ESC and a backslash. */
static bool in_string(struct input *in, unsigned char b)
{
	bool ends = b == 7 || (b == '\\' && in->nseq == 3);

	in->nseq = b == 27 ? 3 : 4; /* more than the two bytes of a key: see input_flush() */
	if (ends)
		in->state = GROUND;
	return false;
}

bool input_byte(struct input *in, unsigned char b, struct key *k)
{
	memset(k, 0, sizeof(*k));
	switch (in->state) {
	case UTF8:
		return in_utf8(in, b, k);
	case ESC:
		return in_esc(in, b, k);
	case META:
		if ((b & 0xc0) != 0x80)
			return in_ground(in, b, k);
		in->seq[in->nseq++] = b;
		in->seq[in->nseq] = 0;
		return in->nseq > text_lead(in->seq[1]) && key_sequence(in, k);
	case CSI:
		return in_csi(in, b, k);
	case SS3:
		return in_ss3(in, b, k);
	case X10:
		in->seq[in->nseq++] = b;
		in->seq[in->nseq] = 0;
		return in->nseq == X10_LEN && key_sequence(in, k);
	case STRING:
		return in_string(in, b);
	case PASTE:
		return in_paste(in, b, k);
	default:
		return in_ground(in, b, k);
	}
}

bool input_pending(const struct input *in)
{
	return in->state != GROUND && in->state != PASTE;
}

bool input_idle(const struct input *in)
{
	return in->state == GROUND;
}

bool input_flush(struct input *in, struct key *k)
{
	memset(k, 0, sizeof(*k));
	if (in->state == ESC)
		return key_char(in, k, 27);
	if (in->state == STRING && in->nseq > 2) { /* half an answer of the terminal: not a key */
		in->state = GROUND;
		return false;
	}
	in->seq[in->nseq] = 0;
	return key_sequence(in, k);
}

void input_release(struct input *in)
{
	buf_release(&in->paste);
}

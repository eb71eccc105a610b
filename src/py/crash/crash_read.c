/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the frames of all threads in a signal handler: see crash.h.  Code objects are copied and decoded by the
   functions that decode them at a stop.  Async-signal-safe: takes no lock and allocates only whole pages. */
#include <Python.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include "base/buf.h"
#include "base/readable.h"
#include "py/code/code.h"
#include "py/code/op.h"
#include "py/crash/crash.h"
#include "py/version/opcodes.h"
#include "py/version/raw.h"

enum {
	TEXT_MAX = 400, /* characters of a name */
	KIND_MAX = 80,	/* ... of a type */
	INNER = 40,	/* frames of the thread that died: innermost, outermost, and those with notes between */
	OUTER = 16,
	NOTED = 24,
	DETAILED = 3,	 /* frames of that thread whose values are read, beside those with notes */
	OTHERS = 12,	 /* innermost frames of other threads */
	VALUES_MAX = 64, /* slots, and variables, of a frame */
	UNITS_MAX = 1 << 20,
	TABLE_MAX = 16 << 20,
	INTERPRETERS = 64,
	FRAMES_MAX = 2000000, /* a list that is damaged may be a ring */
};

/* Static, since a signal stack is small. */
static struct {
	struct crash *out;
	/* The code object that was decoded last, by its address, and its copy; co NULL: it cannot be read. */
	uintptr_t code;
	PyCodeObject *co;
	struct code copy;
	uint32_t function, file;
	/* Its notes. */
	uintptr_t notes, title, entry; /* notes 0: none */
	int nnotes;
	struct code_room room;
	char *pages;
	size_t size;
	char spare[64 << 10]; /* where there are no pages */
} rd;

/* ---- texts ------------------------------------------------------------------------------------------------ */

static void text_put(const char *s, size_t n)
{
	struct crash *c = rd.out;

	if (n < CRASH_TEXT - c->used)
		memcpy(c->text + c->used, s, n);
	else
		n = 0;
	c->used += (uint32_t)n;
}

static void text_char(uint32_t ch)
{
	char s[4];

	if (ch < 32 || (ch >= 127 && ch < 160) || (ch >= 0xd800 && ch < 0xe000) || ch > 0x10ffff)
		ch = '?';
	text_put(s, text_encode(s, ch));
}

/* Ends the text that began there. */
static uint32_t text_end(uint32_t from)
{
	struct crash *c = rd.out;

	if (c->used == from || c->used + 1 >= CRASH_TEXT)
		return 0;
	c->text[c->used++] = '\0';
	return from;
}

static uint32_t text_of(const char *s)
{
	uint32_t from = rd.out->used;

	text_put(s, strlen(s));
	return text_end(from);
}

static uintptr_t word_at(uintptr_t at)
{
	uintptr_t word = 0;

	return at && readable_copy(&word, at, sizeof(word)) ? word : 0;
}

static uintptr_t type_of(uintptr_t object)
{
	return object ? word_at(object + offsetof(PyObject, ob_type)) : 0;
}

/* A C string; last_part: without what is before its last dot.  Reads up to the next multiple of 16, which is never on
   another page. */
static void put_c_string(uintptr_t at, int max, bool last_part)
{
	uint32_t from = rd.out->used, ch;
	struct text_part decoded = { .n = 0 };
	char part[16];
	size_t n, i;

	for (; at && max > 0; at += n) {
		n = sizeof(part) - at % sizeof(part);
		if (!readable_copy(part, at, n))
			return;
		for (i = 0; i < n && part[i] && max-- > 0; i++)
			if (part[i] == '.' && last_part)
				rd.out->used = from;
			else if (text_byte(&decoded, (unsigned char)part[i], &ch))
				text_char(ch);
		if (i < n)
			return;
	}
}

/* The characters of a string object. */
static void put_unicode(uintptr_t at)
{
	PyCompactUnicodeObject u;
	Py_ssize_t i, k, n, length;
	unsigned char part[4 * 32];
	size_t size;

	if (type_of(at) != (uintptr_t)&PyUnicode_Type || !readable_copy(&u._base, at, sizeof(u._base)) ||
	    !u._base.state.compact)
		return;
	size = u._base.state.ascii ? 1 : u._base.state.kind;
	if (size != 1 && size != 2 && size != 4)
		return;
	at += u._base.state.ascii ? sizeof(u._base) : sizeof(u);
	length = u._base.length < TEXT_MAX ? u._base.length : TEXT_MAX;
	for (i = 0; i < length; i += n) {
		n = length - i < 32 ? length - i : 32;
		if (!readable_copy(part, at + (size_t)i * size, (size_t)n * size))
			return;
		for (k = 0; k < n; k++)
			text_char(size == 1 ? part[k] :
				  size == 2 ? ((const uint16_t *)(const void *)part)[k] :
					      ((const uint32_t *)(const void *)part)[k]);
	}
}

static uint32_t text_unicode(uintptr_t at)
{
	uint32_t from = rd.out->used;

	put_unicode(at);
	return text_end(from);
}

/* ---- values ----------------------------------------------------------------------------------------------- */

/* The type of an object; of a function and of a type, with its name. */
static void put_kind(uintptr_t object)
{
	uintptr_t type = type_of(object);
	uint32_t from = rd.out->used;

	put_c_string(word_at(type + offsetof(PyTypeObject, tp_name)), KIND_MAX, true);
	if (!type || rd.out->used == from) {
		rd.out->used = from;
		text_char('?');
		return;
	}
	if (type == (uintptr_t)&PyFunction_Type) {
		text_char(' ');
		put_unicode(word_at(object + offsetof(PyFunctionObject, func_qualname)));
	} else if (type == (uintptr_t)&PyCFunction_Type) {
		text_char(' ');
		put_c_string(word_at(word_at(object + offsetof(PyCFunctionObject, m_ml))), KIND_MAX, false);
	} else if (type == (uintptr_t)&PyType_Type) {
		text_char(' ');
		put_c_string(word_at(object + offsetof(PyTypeObject, tp_name)), KIND_MAX, true);
	}
}

static uint32_t text_kind(uintptr_t word)
{
	uint32_t from = rd.out->used;
	bool number;
	uintptr_t object = py_raw_object(word, &number);

	if (number)
		return text_of("int");
	if (!object)
		return text_of("NULL");
	put_kind(object);
	return text_end(from);
}

static bool add_value(uint32_t name, uintptr_t word)
{
	struct crash *c = rd.out;

	if (c->nvalues == CRASH_VALUES)
		return false;
	c->value[c->nvalues++] = (struct crash_value){ .name = name, .kind = text_kind(word) };
	return true;
}

/* ---- code ------------------------------------------------------------------------------------------------- */

/* Memory for a code object; what was there is not needed any more. */
static void take_room(size_t size)
{
	size_t page = 1 << 16;
	void *p;

	if (size > rd.size) {
		if (rd.pages && rd.pages != rd.spare)
			munmap(rd.pages, rd.size);
		size = (size + page - 1) / page * page;
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		rd.pages = p == MAP_FAILED ? rd.spare : p;
		rd.size = p == MAP_FAILED ? sizeof(rd.spare) : size;
	}
	rd.room = (struct code_room){ rd.pages, rd.size };
}

static size_t bytes_size(uintptr_t bytes)
{
	uintptr_t n = type_of(bytes) == (uintptr_t)&PyBytes_Type ? word_at(bytes + offsetof(PyVarObject, ob_size)) : 0;

	return n < TABLE_MAX ? n : 0;
}

/* A copy of a bytes object; NULL: it cannot be read. */
static PyObject *copy_bytes(PyObject *object)
{
	uintptr_t at = (uintptr_t)object;
	size_t n = bytes_size(at), size = offsetof(PyBytesObject, ob_sval) + n + 1;
	PyObject *copy = n ? code_room_take(&rd.room, size) : NULL;

	return copy && readable_copy(copy, at, size) ? copy : NULL;
}

/* The instructions as the compiler made them, without what the interpreter and tools put in their place. */
static void make_generic(unsigned char *bytes, int units)
{
	int i, k, op, plain;

	for (i = 0; i < units; i += 1 + k) {
		op = py_raw_op(rd.code, i, bytes[2 * i]);
		plain = strncmp(py_op_name(op), "INSTRUMENTED_", 13) ? op : op_named(py_op_name(op));
		bytes[2 * i] = (unsigned char)(plain < 0 ? op : plain);
		for (k = 0; k < py_op_caches(bytes[2 * i]) && i + 1 + k < units; k++)
			memset(bytes + 2 * (i + 1 + k), 0, 2);
	}
}

/* The record that cdbg has of the code, for its notes. */
static void read_notes(void)
{
	uintptr_t record = py_raw_extra(rd.code, code_record_index());
	uintptr_t owner = record ? word_at(record + offsetof(struct code, co)) : 0;

	struct code_notes head;

	rd.notes = owner && owner == rd.code ? word_at(record + offsetof(struct code, crash.notes)) : 0;
	if (rd.notes && !readable_copy(&head, rd.notes, offsetof(struct code_notes, note)))
		rd.notes = 0;
	if (!rd.notes)
		return;
	rd.title = (uintptr_t)head.title;
	rd.entry = (uintptr_t)head.entry;
	rd.nnotes = head.n;
}

/* Decodes the code object at an address. */
static bool decode_code(uintptr_t at)
{
	enum { HEAD = offsetof(PyCodeObject, co_code_adaptive) };
	PyCodeObject head;
	struct code *c = &rd.copy;
	size_t lines, rows, bytes;
	unsigned char *generic;
	int units;

	if (rd.code == at)
		return rd.co != NULL;
	rd.code = at;
	rd.co = NULL;
	if (type_of(at) != (uintptr_t)&PyCode_Type || !readable_copy(&head, at, HEAD) || Py_SIZE(&head) <= 0 ||
	    Py_SIZE(&head) > UNITS_MAX)
		return false;
	units = (int)Py_SIZE(&head);
	bytes = 2 * (size_t)units;
	lines = bytes_size((uintptr_t)head.co_linetable);
	rows = bytes_size((uintptr_t)head.co_exceptiontable);
	take_room(HEAD + 2 * bytes + lines + rows * (1 + sizeof(struct except)) +
		  (size_t)(units + 1) * (sizeof(struct instr) + 3 * sizeof(int)) + 4096);
	rd.co = code_room_take(&rd.room, HEAD);
	generic = code_room_take(&rd.room, bytes);
	if (!rd.co || !generic || !readable_copy(generic, at + HEAD, bytes)) {
		rd.co = NULL;
		return false;
	}
	memcpy(rd.co, &head, HEAD);
	rd.co->co_linetable = copy_bytes(head.co_linetable);
	rd.co->co_exceptiontable = copy_bytes(head.co_exceptiontable);
	make_generic(generic, units);
	*c = (struct code){ .co = (struct py_code *)rd.co, .units = units, .crash.room = &rd.room };
	if (!code_decode_copy(c, generic))
		c->n = 0;
	rd.function = text_unicode((uintptr_t)head.co_qualname);
	rd.file = text_unicode((uintptr_t)head.co_filename);
	read_notes();
	return true;
}

/* Has the code at this address notes?  Remembers a few answers: recursion asks again and again. */
static bool has_notes(uintptr_t code)
{
	static struct {
		uintptr_t code;
		bool yes;
	} known[16];
	size_t at = code >> 4 & 15;
	uintptr_t record;

	if (known[at].code != code) {
		record = py_raw_extra(code, code_record_index());
		known[at].code = code;
		known[at].yes = record && word_at(record + offsetof(struct code, co)) == code &&
				word_at(record + offsetof(struct code, crash.notes));
	}
	return known[at].yes;
}

/* ---- a frame ---------------------------------------------------------------------------------------------- */

static uint32_t text_c(uintptr_t at)
{
	uint32_t from = rd.out->used;

	put_c_string(at, TEXT_MAX, false);
	return text_end(from);
}

/* The last note that begins at the unit or before. */
static void frame_note(struct crash_frame *f, int unit)
{
	struct code_note note, found = { .what = NULL };
	uintptr_t rows = rd.notes + offsetof(struct code_notes, note);
	int low = 0, high = rd.nnotes, mid;

	if (!rd.notes)
		return;
	f->title = text_c(rd.title);
	f->entry = text_c(rd.entry);
	while (low < high) {
		mid = low + (high - low) / 2;
		if (!readable_copy(&note, rows + (size_t)mid * sizeof(note), sizeof(note)))
			return;
		if (note.unit <= unit) {
			found = note;
			low = mid + 1;
		} else
			high = mid;
	}
	f->what = text_c((uintptr_t)found.what);
	f->name = text_c((uintptr_t)found.name);
	f->user = text_c((uintptr_t)found.file);
	f->user_line = found.line;
}

static uintptr_t local_name(int i)
{
	uintptr_t names = (uintptr_t)rd.co->co_localsplusnames;
	uintptr_t n = type_of(names) == (uintptr_t)&PyTuple_Type ? word_at(names + offsetof(PyVarObject, ob_size)) : 0;

	return (uintptr_t)i < n ? word_at(names + offsetof(PyTupleObject, ob_item) + (size_t)i * sizeof(void *)) : 0;
}

/* The variable that the instructions after it store first, on the same line; none where a result is dropped before:
   what ends a handler stores None. */
static uint32_t stored_next(int index)
{
	const struct code *c = &rd.copy;
	int i, arg;

	for (i = index; i < c->n && c->instr[i].line == c->instr[index].line && c->instr[i].op != POP_TOP; i++)
		if (!strncmp(py_op_name(c->instr[i].op), "STORE_FAST", 10)) {
			arg = c->instr[i].arg;
			return text_unicode(local_name(c->instr[i].op == STORE_FAST ? arg : arg >> 4));
		}
	return 0;
}

/* The depth of its value stack; inner: it runs the instruction now, else it is suspended in a call. -1: not known. */
static int frame_stack(const struct raw_frame *raw, int index, bool inner)
{
	const struct instr *in = &rd.copy.instr[index];
	int saved = raw->saved - rd.co->co_nlocalsplus, depth = in->depth;

	if (raw->saved >= 0 && saved >= 0 && saved <= rd.co->co_stacksize)
		return saved;
	if (depth >= 0 && !inner)
		depth -= py_op_pops(in->op, in->arg);
	return depth > rd.co->co_stacksize ? -1 : depth;
}

static bool is_cell(int i)
{
	unsigned char bits = 0;
	uintptr_t kinds = (uintptr_t)rd.co->co_localspluskinds;

	return (size_t)i < bytes_size(kinds) &&
	       readable_copy(&bits, kinds + offsetof(PyBytesObject, ob_sval) + (size_t)i, 1) && bits & 0xc0;
}

static void frame_values(struct crash_frame *f, const struct raw_frame *raw, int index, bool inner)
{
	struct crash *c = rd.out;
	int depth = frame_stack(raw, index, inner), i, n = rd.co->co_nlocalsplus;
	uintptr_t word;
	bool number;

	f->first_slot = c->nvalues;
	for (i = 0; i < depth && i < VALUES_MAX; i++)
		if (!readable_copy(&word, raw->slots + (size_t)(n + i) * sizeof(word), sizeof(word)) ||
		    !add_value(0, word))
			break;
	f->nslots = depth < 0 ? -1 : c->nvalues - f->first_slot;
	f->first_local = c->nvalues;
	for (i = 0; i < n && c->nvalues - f->first_local < VALUES_MAX; i++) {
		word = word_at(raw->slots + (size_t)i * sizeof(word));
		if (word && is_cell(i) && type_of(py_raw_object(word, &number)) == (uintptr_t)&PyCell_Type)
			word = word_at(py_raw_object(word, &number) + offsetof(PyCellObject, ob_ref));
		if (py_raw_object(word, &number) && !add_value(text_unicode(local_name(i)), word))
			break;
	}
	f->nlocals = c->nvalues - f->first_local;
}

/* values: those of the frame are wanted. */
static void add_frame(const struct raw_frame *raw, int skipped, bool inner, bool values)
{
	struct crash *c = rd.out;
	struct crash_frame *f = &c->frame[c->nframes++];
	long unit;
	int index;

	*f = (struct crash_frame){ .skipped = skipped, .offset = -1, .arg = -1, .nslots = -1 };
	if (!decode_code(raw->code)) {
		f->function = text_of("?");
		return;
	}
	f->function = rd.function;
	f->file = rd.file;
	f->line = rd.co->co_firstlineno;
	unit = ((long)raw->instr - (long)(raw->code + offsetof(PyCodeObject, co_code_adaptive))) / 2;
	if (unit < 0 || unit >= rd.copy.units || !rd.copy.n) {
		frame_note(f, 0);
		return;
	}
	index = rd.copy.unit_index[unit];
	f->offset = rd.copy.instr[index].offset;
	f->line = rd.copy.instr[index].line;
	f->op = text_of(py_op_name(rd.copy.instr[index].op));
	f->arg = rd.copy.instr[index].has_arg ? rd.copy.instr[index].arg : -1;
	f->makes = stored_next(index);
	frame_note(f, f->offset / 2);
	if (values || (rd.notes && c->nvalues < CRASH_VALUES / 2))
		frame_values(f, raw, index, inner);
}

/* ---- threads ---------------------------------------------------------------------------------------------- */

/* The next frame of a function of Python, from this one on.  false: there is none, or it cannot be read. */
static bool next_frame(uintptr_t *at, struct raw_frame *raw)
{
	int i;

	for (i = 0; *at && i < FRAMES_MAX && py_raw_frame(*at, raw); i++) {
		*at = raw->previous;
		if (raw->python)
			return true;
	}
	return false;
}

static long count_frames(uintptr_t at)
{
	struct raw_frame raw;
	long n = 0;

	while (n < FRAMES_MAX && next_frame(&at, &raw))
		n++;
	return n;
}

static void add_frames(struct crash_thread *t, uintptr_t at, bool all)
{
	struct crash *c = rd.out;
	struct raw_frame raw;
	int skipped = 0, noted = 0;
	bool wanted;
	long i;

	t->first = c->nframes;
	t->total = count_frames(at);
	for (i = 0; i < t->total && c->nframes < CRASH_FRAMES && next_frame(&at, &raw); i++) {
		wanted = i < (all ? INNER : OTHERS) || (all && i >= t->total - OUTER);
		if (!wanted && noted < NOTED && has_notes(raw.code))
			wanted = noted++ < NOTED;
		if (wanted)
			add_frame(&raw, skipped, i == 0, all && i < DETAILED);
		skipped = wanted ? 0 : skipped + 1;
	}
	t->nframes = c->nframes - t->first;
}

static void add_thread(const struct raw_thread *raw, bool died, bool gil, bool inner)
{
	struct crash *c = rd.out;
	struct crash_thread *t = &c->thread[c->nthreads++];

	*t = (struct crash_thread){ raw->ident, raw->native, died, gil, inner, 0, 0, 0 };
	add_frames(t, raw->frame, c->nthreads == 1);
}

/* All threads but one (first false), or that one. */
static void add_threads(uintptr_t one, bool first)
{
	unsigned long self = (unsigned long)pthread_self();
	uintptr_t interp = py_raw_interpreter(0), at, holder = py_raw_holder(), next;
	struct raw_thread raw;
	int i, n = 0;

	for (i = 0; interp && i < INTERPRETERS; interp = next, i++) {
		next = py_raw_interpreter(interp); /* the main interpreter is the last */
		for (at = py_raw_threads(interp); at && n++ < FRAMES_MAX && py_raw_thread(at, &raw); at = raw.next)
			if ((at == one) == first && rd.out->nthreads < CRASH_THREADS && (first || raw.frame))
				add_thread(&raw, raw.ident == self, at == holder, next != 0);
	}
}

/* The thread state of the thread that runs the handler: that with frames, if it has several. */
static uintptr_t thread_self(void)
{
	unsigned long self = (unsigned long)pthread_self();
	uintptr_t interp, at, found = 0;
	struct raw_thread raw;
	int i, n = 0;

	for (interp = py_raw_interpreter(0), i = 0; interp && i < INTERPRETERS;
	     interp = py_raw_interpreter(interp), i++)
		for (at = py_raw_threads(interp); at && n++ < FRAMES_MAX && py_raw_thread(at, &raw); at = raw.next)
			if (raw.ident == self && (!found || raw.frame))
				found = at;
	return found;
}

void crash_read(struct crash *c)
{
	uintptr_t first;

	rd.out = c;
	rd.code = 0;
	c->nthreads = c->nframes = c->nvalues = 0;
	c->used = 1; /* 0 is no text */
	c->text[0] = '\0';
	first = thread_self();
	if (!first) /* a thread of a library: what called it is in the thread that holds the GIL, or held it last */
		first = py_raw_holder();
	add_threads(first, true);
	add_threads(first, false);
}

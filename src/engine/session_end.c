/* SPDX-License-Identifier: BSD-3-Clause */
/* How the session ends before the program does: a detach, and a fork.  Knows no command. */
#include "engine/session_end.h"
#include <unistd.h>
#include "engine/bp.h"
#include "engine/checkpoint.h"
#include "engine/plug.h"
#include "engine/recording.h"
#include "engine/procs.h"
#include "engine/session.h"
#include "engine/step.h"
#include "py/crash/crash.h"
#include "py/hook/hook.h"
#include "py/interp/fork.h"

static void release_objects(struct session *s)
{
	struct bp *b;

	s->detached = true;
	step_release(s);
	while ((b = bp_first(s)))
		bp_delete(s, b);
	recording_off(s);
	plug_detach(s);
	hook_stop();
}

void session_detach(struct session *s)
{
	if (s->detached)
		return;
	checkpoint_release();
	release_objects(s);
	crash_off();
	if (s->front->release)
		s->front->release(s);
	py_unref_waiting();
}

/* The child has only the thread that forked; the terminal and the files belong to the parent. */
bool session_forked(struct session *s)
{
	if (fork_is_quiet()) /* a checkpoint's: the session goes on */
		return true;
	checkpoint_forked();
	if (!s->detached && procs_follow_child(s)) {
		hook_forked();
		session_note(s, NOTE_INFO, "following the child, process %ld", (long)getpid());
		return true;
	}
	s->resume = RESUME_DETACH;
	if (!s->detached)
		release_objects(s);
	return false;
}

void session_forked_parent(struct session *s)
{
	if (s->detached || fork_is_quiet())
		return;
	if (procs_follow_child(s))
		session_detach(s);
	else
		procs_child_left(s);
}

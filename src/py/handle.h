/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles for CPython's objects, which are the objects themselves: cast them where Python.h is included. */
#ifndef CDBG_HANDLE_H
#define CDBG_HANDLE_H

struct py_obj;	  /* is a PyObject */
struct py_code;	  /* is a PyCodeObject */
struct py_frame;  /* is a PyFrameObject */
struct py_thread; /* is a PyThreadState */

#endif

/* What the two files of the stand-in for NVIDIA's driver share; the structures stand in cuda_driver.py too. */
#include <cuda.h>
#include <stdio.h>

#define API __attribute__((visibility("default")))
#define PARAMETERS 16
#define COMPUTE_CAPABILITY 90
#define NO_STREAM ((CUstream)-1) /* of a call that has none */

struct call { const char *name; unsigned long long stream; int is_pageable; };
struct launch {
    const char *kernel;
    unsigned grid[3], block[3];
    unsigned long long stream;
    int count;
    unsigned long long values[PARAMETERS];
};
enum kind { STREAM = 1, EVENT, LIBRARY };
struct handle { enum kind kind; int alive, priority, is_recorded; unsigned flags; };

/* Notes a call; refuses it without a context, or on a stream that is none. */
CUresult enter(const char *function, CUstream stream);
CUresult refuse(CUresult error, const char *function, const char *why);
void give_up(const char *why); /* ends the process: a limit of the stand-in itself */
struct handle *new_handle(enum kind kind);
int is_alive(enum kind kind, const void *pointer);

#define TRY(call) do { CUresult result_ = (call); if (result_) return result_; } while (0)
#define ENTER(stream) TRY(enter(__func__, (stream)))
#define CHECK(condition, error, why) do { if (!(condition)) return refuse((error), __func__, (why)); } while (0)

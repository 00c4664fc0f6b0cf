/* A stand-in for NVIDIA's driver library, libcuda.so.1, for tests on machines without a card: cuda_driver.py builds it.
 *
 * Memory of the device is memory of this process; all work runs at once, in the call that asks for it. Every call is noted
 * and checked as the driver checks it, or more strictly: what is refused returns an error of the driver, and a line on
 * stderr says why. Names and types are those of NVIDIA's cuda.h, release 12.9. Streams and kernels: cuda_driver_work.c.
 */
#define _GNU_SOURCE
#include "cuda_driver.h"
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DRIVER_VERSION 12090
#define MOST 8192 /* allocations and handles of a process, the ended ones too */
#define ALIGNMENT 256
#define MOST_DEVICES 2

struct block { char *start; size_t bytes; int alive, is_host, device; };

static struct block blocks[MOST];
static struct handle handles[MOST];
static int block_count, handle_count, is_initialized, device_count = 1;
static char contexts[MOST_DEVICES]; /* the address of each is the one context of a device, and its one pool */
static struct call *calls;
static size_t call_count, call_room, total_memory = (size_t)4 << 30, used_memory;
static __thread CUcontext current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction earlier_action;

/* ---- For the test ---- */

API size_t standin_calls(const struct call **first) { *first = calls; return call_count; }
API void standin_forget_calls(void) { call_count = 0; }
API void standin_set_memory(size_t bytes) { total_memory = bytes; }
API size_t standin_used_memory(void) { return used_memory; }
API void standin_set_devices(int count) { device_count = count <= MOST_DEVICES ? count : MOST_DEVICES; }

/* ---- Notes and checks ---- */

CUresult refuse(CUresult error, const char *function, const char *why) {
    fprintf(stderr, "cuda stand-in: %s: %s\n", function, why);
    return error;
}

void give_up(const char *why) {
    fprintf(stderr, "cuda stand-in: %s\n", why);
    abort();
}

static void note(const char *name, CUstream stream, int is_pageable) {
    pthread_mutex_lock(&lock);
    if (call_count == call_room) calls = realloc(calls, (call_room = 2 * call_room + 1024) * sizeof *calls);
    calls[call_count++] = (struct call){name, (unsigned long long)stream, is_pageable};
    pthread_mutex_unlock(&lock);
}

struct handle *new_handle(enum kind kind) {
    pthread_mutex_lock(&lock);
    if (handle_count == MOST) give_up("too many streams, events and libraries");
    struct handle *handle = &handles[handle_count++];
    *handle = (struct handle){.kind = kind, .alive = 1};
    pthread_mutex_unlock(&lock);
    return handle;
}

int is_alive(enum kind kind, const void *pointer) {
    for (int i = 0; i < handle_count; i++)
        if (&handles[i] == pointer) return handles[i].alive && handles[i].kind == kind;
    return 0;
}

static CUresult check(const char *function, CUstream stream) {
    if (!is_initialized) return refuse(CUDA_ERROR_NOT_INITIALIZED, function, "before cuInit");
    if (!current) return refuse(CUDA_ERROR_INVALID_CONTEXT, function, "no context is current in this thread");
    int is_default = !stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD || stream == NO_STREAM;
    if (is_default || is_alive(STREAM, stream)) return CUDA_SUCCESS;
    return refuse(CUDA_ERROR_INVALID_HANDLE, function, "no such stream");
}

CUresult enter(const char *function, CUstream stream) {
    note(function, stream, 0);
    return check(function, stream);
}

/* ---- Finding the driver's functions: what is not here, cuda-bindings misses when it is called ---- */

API CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                                 CUdriverProcAddressQueryResult *status) {
    static const char *const endings[] = {"_v2", ""};
    char name[128];
    Dl_info here;
    (void)flags;
    void *self = dladdr((void *)&lock, &here) ? dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    *function = NULL;
    for (int i = 0; i < 2 && !*function && version <= DRIVER_VERSION; i++) {
        snprintf(name, sizeof name, "%s%s", symbol, endings[i]);
        *function = dlsym(self, name);
    }
    if (status) *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* NVRTC, which compiles kernels, asks for tables that are documented nowhere, and does without them. */
API CUresult cuGetExportTable(const void **table, const CUuuid *name) {
    (void)name;
    *table = NULL;
    return CUDA_ERROR_NOT_FOUND;
}

/* ---- Start, errors, the device, its context ---- */

static void say_what_was_touched(int number, siginfo_t *info, void *machine) {
    static const char freed[] = "cuda stand-in: memory that was freed was touched\n";
    static const char outside[] = "cuda stand-in: memory behind an allocation was touched\n";
    char *place = info->si_addr;
    (void)machine;
    for (int i = 0; i < block_count; i++) {
        if (place < blocks[i].start || place >= blocks[i].start + blocks[i].bytes + ALIGNMENT + 4096) continue;
        if (write(2, blocks[i].alive ? outside : freed, blocks[i].alive ? sizeof outside - 1 : sizeof freed - 1) < 0) abort();
        break;
    }
    sigaction(number, &earlier_action, NULL); /* the instruction runs again, and ends the process */
}

API CUresult cuInit(unsigned flags) {
    struct sigaction action = {.sa_sigaction = say_what_was_touched, .sa_flags = SA_SIGINFO};
    note(__func__, NO_STREAM, 0);
    CHECK(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags are reserved");
    if (!is_initialized) sigaction(SIGSEGV, &action, &earlier_action);
    is_initialized = 1;
    return CUDA_SUCCESS;
}

API CUresult cuDriverGetVersion(int *version) { *version = DRIVER_VERSION; return CUDA_SUCCESS; }

API CUresult cuGetErrorName(CUresult error, const char **name) {
#define NAME(error) case error: *name = #error; return CUDA_SUCCESS
    switch (error) {
    NAME(CUDA_SUCCESS); NAME(CUDA_ERROR_INVALID_VALUE); NAME(CUDA_ERROR_OUT_OF_MEMORY); NAME(CUDA_ERROR_NOT_INITIALIZED);
    NAME(CUDA_ERROR_INVALID_DEVICE); NAME(CUDA_ERROR_INVALID_IMAGE); NAME(CUDA_ERROR_INVALID_CONTEXT);
    NAME(CUDA_ERROR_NO_BINARY_FOR_GPU); NAME(CUDA_ERROR_INVALID_HANDLE); NAME(CUDA_ERROR_NOT_FOUND);
    NAME(CUDA_ERROR_LAUNCH_FAILED);
    default: *name = NULL; return CUDA_ERROR_INVALID_VALUE;
    }
#undef NAME
}

API CUresult cuGetErrorString(CUresult error, const char **text) { return cuGetErrorName(error, text); }
API CUresult cuDeviceGetCount(int *count) { *count = device_count; return is_initialized ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED; }

#define CHECK_DEVICE(device) CHECK((device) >= 0 && (device) < device_count, CUDA_ERROR_INVALID_DEVICE, "no such device")

static CUdevice device_of(const void *place) { return (const char *)place - contexts; } /* of a context or a pool */
static int is_context(const void *place) { return (const char *)place >= contexts && device_of(place) < device_count; }

API CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    CHECK(is_initialized, CUDA_ERROR_NOT_INITIALIZED, "before cuInit");
    CHECK_DEVICE(ordinal);
    *device = ordinal;
    return CUDA_SUCCESS;
}

API CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
    CHECK_DEVICE(device);
    snprintf(name, size, "Stand-in for a card");
    return CUDA_SUCCESS;
}

API CUresult cuDeviceTotalMem_v2(size_t *size, CUdevice device) {
    CHECK_DEVICE(device);
    *size = total_memory;
    return CUDA_SUCCESS;
}

API CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    CHECK_DEVICE(device);
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = COMPUTE_CAPABILITY / 10; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = COMPUTE_CAPABILITY % 10; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 132; break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = 32; break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING: *value = 1; break;
    default: *value = 0;
    }
    return CUDA_SUCCESS;
}

API CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
    CHECK_DEVICE(device);
    *out = (CUcontext)&contexts[device];
    return CUDA_SUCCESS;
}

API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) { CHECK_DEVICE(device); return CUDA_SUCCESS; }
API CUresult cuCtxGetCurrent(CUcontext *out) { *out = current; return CUDA_SUCCESS; }

API CUresult cuCtxSetCurrent(CUcontext wanted) {
    CHECK(!wanted || is_context(wanted), CUDA_ERROR_INVALID_CONTEXT, "no such context");
    current = wanted;
    return CUDA_SUCCESS;
}

API CUresult cuCtxGetDevice(CUdevice *device) {
    if (current) *device = device_of(current);
    return current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

API CUresult cuCtxSynchronize(void) { ENTER(NO_STREAM); return CUDA_SUCCESS; }
API CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) { *least = 0, *greatest = -5; return CUDA_SUCCESS; }

/* ---- Memory ---- */

static struct block *block_of(CUdeviceptr place) {
    for (int i = block_count - 1; i >= 0; i--)
        if ((char *)place >= blocks[i].start && (char *)place < blocks[i].start + blocks[i].bytes) return &blocks[i];
    return NULL;
}

static int is_device(CUdeviceptr place) { struct block *block = block_of(place); return block && !block->is_host; }

API int standin_is_inside(CUdeviceptr place, size_t bytes) {
    struct block *block = block_of(place);
    return block && block->alive && bytes <= (size_t)(block->start + block->bytes - (char *)place);
}

/* An allocation ends before a page that nothing may touch: a kernel that writes far behind it ends the process. */
static CUresult allocate(const char *function, CUdeviceptr *place, size_t bytes, int is_host, CUdevice device) {
    size_t page = sysconf(_SC_PAGESIZE), padded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t room = (padded + page - 1) / page * page;
    if (!bytes) return refuse(CUDA_ERROR_INVALID_VALUE, function, "an allocation of 0 bytes");
    if (!is_host && bytes > total_memory - used_memory) return CUDA_ERROR_OUT_OF_MEMORY;
    char *first = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (first == MAP_FAILED || mprotect(first + room, page, PROT_NONE)) return CUDA_ERROR_OUT_OF_MEMORY;
    memset(first, 0xCD, room); /* as on a card, new memory holds anything */
    pthread_mutex_lock(&lock);
    if (block_count == MOST) give_up("too many allocations");
    blocks[block_count++] = (struct block){first + room - padded, bytes, 1, is_host, device};
    used_memory += is_host ? 0 : bytes;
    pthread_mutex_unlock(&lock);
    *place = (CUdeviceptr)(first + room - padded);
    return CUDA_SUCCESS;
}

/* Addresses of freed memory are never given out again, and nothing may touch them. */
static CUresult release(const char *function, CUdeviceptr place, int is_host) {
    struct block *block = block_of(place);
    if (!block || (char *)place != block->start || block->is_host != is_host)
        return refuse(CUDA_ERROR_INVALID_VALUE, function, "not the start of an allocation");
    if (!block->alive) return refuse(CUDA_ERROR_INVALID_VALUE, function, "freed already");
    size_t page = sysconf(_SC_PAGESIZE), before = place % page, room = (before + block->bytes + page - 1) / page * page;
    pthread_mutex_lock(&lock);
    block->alive = 0;
    used_memory -= is_host ? 0 : block->bytes;
    pthread_mutex_unlock(&lock);
    madvise(block->start - before, room, MADV_DONTNEED);
    mprotect(block->start - before, room, PROT_NONE);
    return CUDA_SUCCESS;
}

API CUresult cuMemAlloc_v2(CUdeviceptr *place, size_t bytes) {
    ENTER(NO_STREAM);
    return allocate(__func__, place, bytes, 0, device_of(current));
}


API CUresult cuMemFree_v2(CUdeviceptr place) { ENTER(NO_STREAM); return place ? release(__func__, place, 0) : CUDA_SUCCESS; }
API CUresult cuMemAllocHost_v2(void **place, size_t bytes) {
    ENTER(NO_STREAM);
    return allocate(__func__, (CUdeviceptr *)place, bytes, 1, device_of(current));
}

API CUresult cuMemFreeHost(void *place) { ENTER(NO_STREAM); return release(__func__, (CUdeviceptr)place, 1); }
API CUresult cuMemFreeAsync(CUdeviceptr place, CUstream stream) { ENTER(stream); return release(__func__, place, 0); }
API CUresult cuMemAllocFromPoolAsync(CUdeviceptr *place, size_t bytes, CUmemoryPool pool, CUstream stream) {
    ENTER(stream);
    CHECK(is_context(pool), CUDA_ERROR_INVALID_VALUE, "no such pool");
    return allocate(__func__, place, bytes, 0, device_of(pool));
}

API CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
    CHECK_DEVICE(device);
    *pool = (CUmemoryPool)&contexts[device];
    return CUDA_SUCCESS;
}

API CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
    CHECK(is_context(pool), CUDA_ERROR_INVALID_VALUE, "no such pool");
    if (attribute < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) *(int *)value = 1;
    else *(cuuint64_t *)value = attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD ? 0 : used_memory;
    return CUDA_SUCCESS;
}

API CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
    (void)attribute, (void)value;
    return is_context(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuMemGetInfo_v2(size_t *unused, size_t *total) {
    ENTER(NO_STREAM);
    *unused = total_memory - used_memory, *total = total_memory;
    return CUDA_SUCCESS;
}

API CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr place) {
    struct block *block = block_of(place);
    if (!block || !block->alive) return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: *(unsigned *)value = 2 - block->is_host; break; /* CU_MEMORYTYPE_* */
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)value = block->device; break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)value = 0; break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

/* Of memory that the driver does not know, this tells zeros where the other function refuses. */
API CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **values, CUdeviceptr place) {
    for (unsigned i = 0; i < count; i++)
        if (cuPointerGetAttribute(values[i], attributes[i], place)) *(int *)values[i] = 0;
    return CUDA_SUCCESS;
}

/* ---- Copies: a side that is the device's lies inside of one allocation, on the current device ---- */

enum side { HOST, DEVICE, ANY };

static CUresult check_side(const char *function, const char *name, CUdeviceptr place, size_t bytes, enum side side) {
    char why[96];
    struct block *block = block_of(place);
    if (side == DEVICE && block && !block->is_host && block->device != device_of(current))
        return refuse(CUDA_ERROR_INVALID_VALUE, function, "memory of another device than the current one");
    int is_known = block != NULL, is_right = is_known ? standin_is_inside(place, bytes) : side != DEVICE;
    if (is_right && (side == ANY || !is_known || is_device(place) == (side == DEVICE))) return CUDA_SUCCESS;
    snprintf(why, sizeof why, "the %s is not %zu allocated bytes of the %s", name, bytes, side == HOST ? "host" : "device");
    return refuse(CUDA_ERROR_INVALID_VALUE, function, why);
}

static CUresult copy(const char *function, CUstream stream, CUdeviceptr to, enum side to_side, CUdeviceptr from,
                     enum side from_side, size_t bytes) {
    note(function, stream, !block_of(to) || !block_of(from));
    TRY(check(function, stream));
    TRY(check_side(function, "target", to, bytes, to_side));
    TRY(check_side(function, "source", from, bytes, from_side));
    memmove((void *)to, (void *)from, bytes);
    return CUDA_SUCCESS;
}

API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
    return copy(__func__, NO_STREAM, to, DEVICE, (CUdeviceptr)from, HOST, bytes);
}
API CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
    return copy(__func__, NO_STREAM, (CUdeviceptr)to, HOST, from, DEVICE, bytes);
}
API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
    return copy(__func__, stream, to, DEVICE, (CUdeviceptr)from, HOST, bytes);
}
API CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy(__func__, stream, (CUdeviceptr)to, HOST, from, DEVICE, bytes);
}
API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy(__func__, stream, to, DEVICE, from, DEVICE, bytes);
}
API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy(__func__, stream, to, ANY, from, ANY, bytes);
}

static CUresult fill(const char *function, CUstream stream, CUdeviceptr to, const void *value, size_t width, size_t count) {
    TRY(enter(function, stream));
    TRY(check_side(function, "target", to, width * count, DEVICE));
    if (to % width) return refuse(CUDA_ERROR_INVALID_VALUE, function, "the target is not aligned");
    for (size_t i = 0; i < count; i++) memcpy((char *)to + i * width, value, width);
    return CUDA_SUCCESS;
}

API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
    return fill(__func__, stream, to, &value, sizeof value, count);
}
API CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
    return fill(__func__, stream, to, &value, sizeof value, count);
}
API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
    return fill(__func__, stream, to, &value, sizeof value, count);
}

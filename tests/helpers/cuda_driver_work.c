/* The stand-in for NVIDIA's driver: streams and events, images and their kernels, launches.
 *
 * No kernel runs here: a launch calls the function that the test registered, with the values of the kernel's parameters.
 */
#include "cuda_driver.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define MOST_KERNELS 4096

struct kernel { struct handle *library; char name[512]; int count; size_t offsets[PARAMETERS], sizes[PARAMETERS]; };

static struct kernel kernels[MOST_KERNELS];
static int kernel_count;
static int (*on_launch)(const struct launch *);

API void standin_on_launch(int (*function)(const struct launch *)) { on_launch = function; }

/* ---- Streams and events ---- */

API CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
    ENTER(NO_STREAM);
    struct handle *handle = new_handle(STREAM);
    handle->flags = flags, handle->priority = priority;
    *stream = (CUstream)handle;
    return CUDA_SUCCESS;
}

API CUresult cuStreamDestroy_v2(CUstream stream) {
    ENTER(stream);
    CHECK(is_alive(STREAM, stream), CUDA_ERROR_INVALID_HANDLE, "a default stream");
    ((struct handle *)stream)->alive = 0;
    return CUDA_SUCCESS;
}

static const struct handle *described(CUstream stream) {
    static const struct handle of_default = {.kind = STREAM, .alive = 1};
    return is_alive(STREAM, stream) ? (struct handle *)stream : &of_default;
}

API CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
    ENTER(stream);
    *flags = described(stream)->flags;
    return CUDA_SUCCESS;
}

API CUresult cuStreamGetPriority(CUstream stream, int *level) {
    ENTER(stream);
    *level = described(stream)->priority;
    return CUDA_SUCCESS;
}

API CUresult cuStreamGetCtx(CUstream stream, CUcontext *out) { ENTER(stream); return cuCtxGetCurrent(out); }
API CUresult cuStreamGetDevice(CUstream stream, CUdevice *device) { ENTER(stream); return cuCtxGetDevice(device); }
API CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
    ENTER(stream);
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}

API CUresult cuStreamSynchronize(CUstream stream) { ENTER(stream); return CUDA_SUCCESS; }
API CUresult cuStreamQuery(CUstream stream) { ENTER(stream); return CUDA_SUCCESS; }

#define ENTER_EVENT(event, stream) \
    ENTER(stream); \
    CHECK(is_alive(EVENT, (event)), CUDA_ERROR_INVALID_HANDLE, "no such event")

API CUresult cuEventCreate(CUevent *event, unsigned flags) {
    ENTER(NO_STREAM);
    struct handle *handle = new_handle(EVENT);
    handle->flags = flags;
    *event = (CUevent)handle;
    return CUDA_SUCCESS;
}

API CUresult cuEventDestroy_v2(CUevent event) {
    ENTER_EVENT(event, NO_STREAM);
    ((struct handle *)event)->alive = 0;
    return CUDA_SUCCESS;
}

API CUresult cuEventSynchronize(CUevent event) { ENTER_EVENT(event, NO_STREAM); return CUDA_SUCCESS; }
API CUresult cuEventQuery(CUevent event) { ENTER_EVENT(event, NO_STREAM); return CUDA_SUCCESS; }
API CUresult cuEventRecord(CUevent event, CUstream stream) {
    ENTER_EVENT(event, stream);
    ((struct handle *)event)->is_recorded = 1;
    return CUDA_SUCCESS;
}

API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    ENTER_EVENT(event, stream);
    CHECK(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags");
    int is_recorded = ((struct handle *)event)->is_recorded;
    CHECK(is_recorded, CUDA_ERROR_INVALID_VALUE, "the event was never recorded: this would wait for nothing");
    return CUDA_SUCCESS;
}

/* ---- Images and their kernels ---- */

static struct kernel *new_kernel(struct handle *library, const char *name, size_t length) {
    int has_room = kernel_count < MOST_KERNELS && length < sizeof kernels->name;
    if (!has_room) give_up("too many kernels, or too long a name");
    struct kernel *kernel = &kernels[kernel_count++];
    *kernel = (struct kernel){.library = library};
    memcpy(kernel->name, name, length);
    return kernel;
}

static void add_parameter(struct kernel *kernel, int number, size_t offset, size_t size) {
    if (number >= PARAMETERS || size < 1 || size > 8) give_up("a parameter that is no number, or too many of them");
    kernel->offsets[number] = offset, kernel->sizes[number] = size;
    if (number >= kernel->count) kernel->count = number + 1;
}

/* Entries of the section .nv.info.KERNEL: a byte for the form, one for the subject, 16 bits: the size of what follows, if the
 * form is 4. Subject 0x17 is a parameter: 4 bytes, its number and offset (16 bits each), a word: the size from bit 18 on. */
static void read_parameters(struct kernel *kernel, const unsigned char *entry, const unsigned char *end) {
    for (; entry + 4 <= end; entry += 4 + (entry[0] == 4 ? *(const unsigned short *)(entry + 2) : 0)) {
        const unsigned short *halves = (const unsigned short *)entry;
        if (entry[0] != 4 || entry[1] != 0x17) continue;
        add_parameter(kernel, halves[4], halves[5], *(const unsigned *)(entry + 12) >> 18);
    }
}

static CUresult read_cubin(struct handle *library, const char *image) {
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)image;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + head->e_shoff);
    const char *names = image + sections[head->e_shstrndx].sh_offset;
    CHECK((head->e_flags & 0xff) == COMPUTE_CAPABILITY, CUDA_ERROR_NO_BINARY_FOR_GPU, "made for another card");
    for (int i = 0; i < head->e_shnum; i++) {
        const char *name = names + sections[i].sh_name;
        if (strncmp(name, ".nv.info.", 9)) continue;
        const unsigned char *entries = (const unsigned char *)image + sections[i].sh_offset;
        read_parameters(new_kernel(library, name + 9, strlen(name + 9)), entries, entries + sections[i].sh_size);
    }
    return CUDA_SUCCESS;
}

/* In PTX a kernel is `.entry NAME(.param .u64 a, ...)`, where the digits in the type of a parameter are its bits. */
static CUresult read_ptx(struct handle *library, const char *text) {
    CHECK(strstr(text, ".version") && strstr(text, ".target"), CUDA_ERROR_INVALID_IMAGE, "neither a cubin nor PTX");
    for (const char *entry = text; (entry = strstr(entry, ".entry ")); entry++) {
        const char *name = entry + 7, *end = strchr(name, ')'), *parameter = name;
        struct kernel *kernel = new_kernel(library, name, strcspn(name, " (\n"));
        size_t offset = 0;
        for (; (parameter = strstr(parameter, ".param .")) && parameter < end; parameter++) {
            size_t size = strtoul(parameter + 9, NULL, 10) / 8;
            if (!size) give_up("a parameter whose type is not understood");
            offset = (offset + size - 1) / size * size;
            add_parameter(kernel, kernel->count, offset, size);
            offset += size;
        }
    }
    return CUDA_SUCCESS;
}

API CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options, void **values, unsigned count,
                               CUlibraryOption *library_options, void **library_values, unsigned library_count) {
    (void)options, (void)values, (void)count, (void)library_options, (void)library_values, (void)library_count;
    ENTER(NO_STREAM);
    struct handle *handle = new_handle(LIBRARY);
    *library = (CUlibrary)handle;
    return memcmp(image, ELFMAG, SELFMAG) ? read_ptx(handle, image) : read_cubin(handle, image);
}

API CUresult cuLibraryUnload(CUlibrary library) {
    ENTER(NO_STREAM);
    CHECK(is_alive(LIBRARY, library), CUDA_ERROR_INVALID_HANDLE, "no such library");
    ((struct handle *)library)->alive = 0;
    return CUDA_SUCCESS;
}

API CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
    ENTER(NO_STREAM);
    CHECK(is_alive(LIBRARY, library), CUDA_ERROR_INVALID_HANDLE, "no such library");
    *kernel = NULL;
    for (int i = 0; i < kernel_count; i++)
        if ((void *)kernels[i].library == library && !strcmp(kernels[i].name, name)) *kernel = (CUkernel)&kernels[i];
    return *kernel ? CUDA_SUCCESS : refuse(CUDA_ERROR_NOT_FOUND, __func__, name);
}

static const struct kernel *kernel_of(const void *pointer) {
    for (int i = 0; i < kernel_count; i++)
        if (&kernels[i] == pointer && kernels[i].library->alive) return &kernels[i];
    return NULL;
}

/* Callers count parameters by asking until they are refused: no line on stderr. */
API CUresult cuKernelGetParamInfo(CUkernel pointer, size_t number, size_t *offset, size_t *size) {
    const struct kernel *kernel = kernel_of(pointer);
    if (!kernel || number >= (size_t)kernel->count) return CUDA_ERROR_INVALID_VALUE;
    *offset = kernel->offsets[number];
    if (size) *size = kernel->sizes[number];
    return CUDA_SUCCESS;
}

/* ---- Launches ---- */

static int is_size(const unsigned size[3], unsigned x, unsigned y, unsigned z) {
    return size[0] && size[1] && size[2] && size[0] <= x && size[1] <= y && size[2] <= z;
}

API CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra) {
    const CUlaunchConfig c = *config;
    ENTER(c.hStream);
    const struct kernel *kernel = kernel_of(function);
    CHECK(kernel, CUDA_ERROR_INVALID_HANDLE, "no such kernel");
    struct launch launch = {.kernel = kernel->name, .stream = (unsigned long long)c.hStream, .count = kernel->count,
                            .grid = {c.gridDimX, c.gridDimY, c.gridDimZ}, .block = {c.blockDimX, c.blockDimY, c.blockDimZ}};
    int has_block = is_size(launch.block, 1024, 1024, 64) && c.blockDimX * c.blockDimY * c.blockDimZ <= 1024;
    CHECK(is_size(launch.grid, 0x7fffffff, 65535, 65535), CUDA_ERROR_INVALID_VALUE, "the grid is empty or too large");
    CHECK(has_block, CUDA_ERROR_INVALID_VALUE, "the block is empty or has more than 1024 threads");
    CHECK(c.sharedMemBytes <= 48 << 10, CUDA_ERROR_INVALID_VALUE, "more than 48 KiB of shared memory");
    CHECK(!c.numAttrs, CUDA_ERROR_INVALID_VALUE, "the stand-in knows no attributes of launches");
    CHECK(!extra && (parameters || !kernel->count), CUDA_ERROR_INVALID_VALUE, "parameters are an array of pointers");
    CHECK(on_launch, CUDA_ERROR_NOT_FOUND, "the test gave no function for launches");
    for (int i = 0; i < kernel->count; i++) memcpy(&launch.values[i], parameters[i], kernel->sizes[i]);
    return on_launch(&launch) ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS;
}

/* A stand-in for a DRM device, for LD_PRELOAD into kwin_wayland alone: without one KWin makes no picture of its screen.

The device is a node with the numbers of /dev/null. What KWin and Mesa ask of it is answered here, as the kernel's vgem
would: dumb buffers, each a memfd. Mesa then draws with llvmpipe. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <drm.h>
#include <xf86drm.h>

#define NODE "/dev/dri/card0"
#define DEVICE makedev(226, 0) /* what KWin takes for it */
#define MOST 4096
#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static struct { int fd, n_refs; struct stat is; } buffers[MOST]; /* by handle; 0 is none */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is_ours(int fd) {
    struct stat opened, node;
    REAL(fstat);
    return fd >= 0 && !real(fd, &opened) && S_ISCHR(opened.st_mode) && !stat(NODE, &node)
        && opened.st_ino == node.st_ino && opened.st_dev == node.st_dev;
}

int fstat(int fd, struct stat *found) {
    REAL(fstat);
    int failed = real(fd, found);
    if (!failed && is_ours(fd)) found->st_rdev = DEVICE;
    return failed;
}

__asm__(".globl fstat64\n.set fstat64, fstat\n.globl mmap64\n.set mmap64, mmap"); /* the same here */

/* The handle of the buffer in a file, which becomes ours; the one it has already, else a new one; 0 where none is left. */
static unsigned keep(int fd) {
    struct stat is;
    unsigned handle = 0;
    if (fd < 0 || fstat(fd, &is)) return 0;
    for (unsigned n = MOST - 1; n > 0; n--) {
        if (buffers[n].n_refs && buffers[n].is.st_ino == is.st_ino && buffers[n].is.st_dev == is.st_dev)
            return close(fd), buffers[n].n_refs++, n;
        if (!buffers[n].n_refs) handle = n;
    }
    buffers[handle].fd = fd, buffers[handle].n_refs = 1, buffers[handle].is = is;
    return handle;
}

static int let_go(unsigned handle) { return --buffers[handle].n_refs ? 0 : close(buffers[handle].fd); }

static int has(unsigned handle) { return handle > 0 && handle < MOST && buffers[handle].n_refs > 0; }

static int fail(int number) { return errno = number, -1; }

static void say(char *name, __kernel_size_t *length, const char *said) {
    if (name) memcpy(name, said, *length < strlen(said) ? *length : strlen(said));
    *length = strlen(said);
}

static int answer(unsigned long request, void *asked) {
    struct drm_version *version = asked;
    struct drm_get_cap *ability = asked;
    struct drm_mode_create_dumb *made = asked;
    struct drm_mode_map_dumb *mapped = asked;
    struct drm_prime_handle *shared = asked;
    switch (request) {
    case DRM_IOCTL_VERSION:
        version->version_major = 1, version->version_minor = version->version_patchlevel = 0;
        say(version->name, &version->name_len, "vgem");
        say(version->date, &version->date_len, "20120112");
        say(version->desc, &version->desc_len, "stand-in");
        return 0;
    case DRM_IOCTL_GET_CAP:
        ability->value = ability->capability == DRM_CAP_PRIME ? 3
            : ability->capability == DRM_CAP_DUMB_BUFFER || ability->capability == DRM_CAP_TIMESTAMP_MONOTONIC;
        return 0;
    case DRM_IOCTL_MODE_CREATE_DUMB:
        made->pitch = (made->width * ((made->bpp + 7) / 8) + 63) & ~63u;
        made->size = ((unsigned long)made->pitch * made->height + 4095) & ~4095ul;
        int memory = memfd_create("no_gpu", MFD_CLOEXEC);
        return ftruncate(memory, made->size) || !(made->handle = keep(memory)) ? -1 : 0;
    case DRM_IOCTL_MODE_MAP_DUMB:
        mapped->offset = (unsigned long)mapped->handle << 40;
        return has(mapped->handle) ? 0 : fail(ENOENT);
    case DRM_IOCTL_MODE_DESTROY_DUMB: case DRM_IOCTL_GEM_CLOSE: /* both begin with the handle */
        return has(*(unsigned *)asked) ? let_go(*(unsigned *)asked) : fail(EINVAL);
    case DRM_IOCTL_PRIME_HANDLE_TO_FD:
        if (!has(shared->handle)) return fail(ENOENT);
        return (shared->fd = fcntl(buffers[shared->handle].fd, F_DUPFD_CLOEXEC, 3)) < 0 ? -1 : 0;
    case DRM_IOCTL_PRIME_FD_TO_HANDLE:
        return (shared->handle = keep(fcntl(shared->fd, F_DUPFD_CLOEXEC, 3))) ? 0 : fail(ENOENT);
    }
    return fail(EINVAL);
}

int ioctl(int fd, unsigned long request, ...) {
    va_list more;
    va_start(more, request);
    void *asked = va_arg(more, void *);
    va_end(more);
    REAL(ioctl);
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE || !is_ours(fd)) return real(fd, request, asked);
    pthread_mutex_lock(&lock);
    int failed = answer(request, asked);
    pthread_mutex_unlock(&lock);
    return failed;
}

void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset) {
    REAL(mmap);
    unsigned long handle = (unsigned long)offset >> 40;
    return has(handle) && is_ours(fd) ? real(at, length, protection, flags, buffers[handle].fd, 0)
                                      : real(at, length, protection, flags, fd, offset);
}

/* libdrm's list of devices: this one alone. */
static drmPlatformBusInfo bus = {"vgem"};
static char *nodes[DRM_NODE_MAX] = {NODE, NODE, NODE}, *compatible[] = {NULL};
static drmPlatformDeviceInfo info = {compatible};
static drmDevice device = {nodes, 1 << DRM_NODE_PRIMARY, DRM_BUS_PLATFORM, {.platform = &bus}, {.platform = &info}};

int drmGetDevices2(uint32_t flags, drmDevicePtr found[], int most) {
    if (found && most > 0) found[0] = &device;
    return 1;
}
int drmGetDevice2(int fd, uint32_t flags, drmDevicePtr *found) { return is_ours(fd) ? *found = &device, 0 : -ENODEV; }
int drmGetDeviceFromDevId(dev_t id, uint32_t flags, drmDevicePtr *found) {
    return id == DEVICE ? *found = &device, 0 : -ENODEV;
}
void drmFreeDevice(drmDevicePtr *found) { *found = NULL; }
void drmFreeDevices(drmDevicePtr found[], int n) {}
int drmGetNodeTypeFromFd(int fd) { return is_ours(fd) ? DRM_NODE_PRIMARY : -1; }

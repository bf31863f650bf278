/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Target: has functions of its own under names of the C library, correct ones and instrumented.
 * Calls each, works in a thread, a forked child and an executed image, and prints how often its
 * functions were called by whomever: the same with and without libfc.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pthread.h>

#define PLAIN __attribute__((no_instrument_function))

enum which
{
    CLOCK_GETTIME,
    GETENV,
    MEMMEM,
    STRLEN,
    STRCMP,
    STRCHR,
    STRCPY,
    MEMCPY,
    SYSCALL,
    PRCTL,
    GETRLIMIT,
    GETRUSAGE,
    MADVISE,
    GETAUXVAL,
    DLADDR,
    ITERATE,
    KEY_CREATE,
    SETSPECIFIC,
    ON_EXIT,
    ERRNO,
    DLVSYM,
    MMAP,
    MUNMAP,
    WRITE,
    NAMES /* that are above */
};

static int calls[NAMES]; /* of one thread at a time */

static void *PLAIN next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static long PLAIN set_errno(long result)
{
    if (result >= 0 || result < -4095)
        return result;
    errno = (int)-result;
    return -1;
}

static long PLAIN call(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    long result = number;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
#else
    register long which __asm__("x8") = number;
    register long first __asm__("x0") = a;
    register long second __asm__("x1") = b;
    register long third __asm__("x2") = c;
    register long fourth __asm__("x3") = d;
    register long fifth __asm__("x4") = e;
    register long sixth __asm__("x5") = f;
    __asm__ volatile("svc #0"
                     : "+r"(first)
                     : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "memory");
    return first;
#endif
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    calls[CLOCK_GETTIME]++;
    return (int)set_errno(call(SYS_clock_gettime, clock, (long)now, 0, 0, 0, 0));
}

char *getenv(const char *name)
{
    calls[GETENV]++;
    size_t bytes = 0;
    while (name[bytes])
        bytes++;
    for (char **entry = environ; *entry; entry++)
    {
        size_t at = 0;
        while (at < bytes && (*entry)[at] == name[at])
            at++;
        if (at == bytes && (*entry)[at] == '=')
            return *entry + at + 1;
    }
    return NULL;
}

void *memmem(const void *in, size_t bytes, const void *wanted, size_t wanted_bytes)
{
    calls[MEMMEM]++;
    for (size_t at = 0; at + wanted_bytes <= bytes; at++)
    {
        size_t same = 0;
        while (same < wanted_bytes && ((char *)in)[at + same] == ((char *)wanted)[same])
            same++;
        if (same == wanted_bytes)
            return (char *)in + at;
    }
    return NULL;
}

size_t strlen(const char *text)
{
    calls[STRLEN]++;
    size_t bytes = 0;
    while (text[bytes])
        bytes++;
    return bytes;
}

int strcmp(const char *a, const char *b)
{
    calls[STRCMP]++;
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

char *strchr(const char *text, int wanted)
{
    calls[STRCHR]++;
    for (;; text++)
        if (*text == (char)wanted)
            return (char *)text;
        else if (!*text)
            return NULL;
}

char *strcpy(char *restrict to, const char *restrict from)
{
    calls[STRCPY]++;
    for (size_t i = 0; (to[i] = from[i]); i++)
        continue;
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    calls[MEMCPY]++;
    for (size_t i = 0; i < bytes; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

long syscall(long number, ...)
{
    calls[SYSCALL]++;
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    return set_errno(call(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

int prctl(int what, ...)
{
    calls[PRCTL]++;
    va_list list;
    va_start(list, what);
    long argument = va_arg(list, long);
    va_end(list);
    return (int)set_errno(call(SYS_prctl, what, argument, 0, 0, 0, 0));
}

int getrlimit(__rlimit_resource_t which, struct rlimit *limit)
{
    calls[GETRLIMIT]++;
    return (int)set_errno(call(SYS_prlimit64, 0, which, 0, (long)limit, 0, 0));
}

int getrusage(__rusage_who_t who, struct rusage *usage)
{
    calls[GETRUSAGE]++;
    return (int)set_errno(call(SYS_getrusage, who, (long)usage, 0, 0, 0, 0));
}

int madvise(void *at, size_t bytes, int advice)
{
    calls[MADVISE]++;
    return (int)set_errno(call(SYS_madvise, (long)at, (long)bytes, advice, 0, 0, 0));
}

unsigned long getauxval(unsigned long type)
{
    calls[GETAUXVAL]++;
    static unsigned long (*real)(unsigned long);
    if (!real)
        *(void **)&real = next("getauxval");
    return real(type);
}

int dladdr(const void *address, Dl_info *info)
{
    calls[DLADDR]++;
    static int (*real)(const void *, Dl_info *);
    if (!real)
        *(void **)&real = next("dladdr");
    return real(address, info);
}

int dl_iterate_phdr(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data)
{
    calls[ITERATE]++;
    static int (*real)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
    if (!real)
        *(void **)&real = next("dl_iterate_phdr");
    return real(visit, data);
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    calls[KEY_CREATE]++;
    static int (*real)(pthread_key_t *, void (*)(void *));
    if (!real)
        *(void **)&real = next("pthread_key_create");
    return real(key, destructor);
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
    calls[SETSPECIFIC]++;
    static int (*real)(pthread_key_t, const void *);
    if (!real)
        *(void **)&real = next("pthread_setspecific");
    return real(key, value);
}

int on_exit(void (*function)(int, void *), void *data)
{
    calls[ON_EXIT]++;
    static int (*real)(void (*)(int, void *), void *);
    if (!real)
        *(void **)&real = next("on_exit");
    return real(function, data);
}

int *__errno_location(void)
{
    calls[ERRNO]++;
    static int *(*real)(void);
    if (!real)
        *(void **)&real = next("__errno_location");
    return real();
}

void *dlvsym(void *restrict handle, const char *restrict name, const char *restrict version)
{
    calls[DLVSYM]++;
    (void)version;
    return dlsym(handle, name);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    calls[MMAP]++;
    return (void *)set_errno(call(SYS_mmap, (long)at, (long)bytes, protection, flags, fd, offset));
}

int munmap(void *at, size_t bytes)
{
    calls[MUNMAP]++;
    return (int)set_errno(call(SYS_munmap, (long)at, (long)bytes, 0, 0, 0, 0));
}

ssize_t write(int fd, const void *data, size_t bytes)
{
    calls[WRITE]++;
    return set_errno(call(SYS_write, fd, (long)data, (long)bytes, 0, 0, 0));
}

/* ---- The work ------------------------------------------------------------------ */

static int leaf(int x)
{
    return x + 1;
}

static void *work(void *unused)
{
    volatile int sum = 0;
    for (int i = 0; i < 30000; i++)
        sum = leaf(sum);
    return unused;
}

static void print_calls(const char *who)
{
    char line[1024];
    char *at = line + sprintf(line, "%s:", who);
    for (int i = 0; i < NAMES; i++)
        at += sprintf(at, " %d", calls[i]);
    *at++ = '\n';
    write(STDOUT_FILENO, line, (size_t)(at - line));
}

static int PLAIN visit(struct dl_phdr_info *object, size_t bytes, void *data)
{
    (void)object;
    (void)bytes;
    (void)data;
    return 1;
}

static void PLAIN at_exit(int status, void *unused)
{
    (void)status;
    (void)unused;
}

/* Each of them once, so that the linker has a reason to export it. */
static void use_all(char *name)
{
    struct timespec now;
    struct rlimit limit;
    struct rusage usage;
    Dl_info info;
    pthread_key_t key;
    char copy[64];
    clock_gettime(CLOCK_MONOTONIC, &now);
    strcpy(copy, getenv("PATH") ? "path" : "none");
    memcpy(copy, "a", strlen("a"));
    prctl(PR_GET_DUMPABLE, 0L);
    getrlimit(RLIMIT_NOFILE, &limit);
    getrusage(RUSAGE_SELF, &usage);
    dladdr(name, &info);
    dl_iterate_phdr(visit, NULL);
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, name);
    on_exit(at_exit, NULL);
    dlvsym(RTLD_DEFAULT, "printf", "GLIBC_2.2.5");
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(page, 4096, MADV_DONTNEED);
    munmap(page, 4096);
    if (strcmp(copy, "x") == 0 || strchr(copy, 'x') || memmem(copy, 1, "x", 1) ||
        getauxval(0) != 0 || syscall(SYS_getpid) < 0)
        errno = 0;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int status;
    use_all(argv[0]);
    work(NULL);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0)
    {
        work(NULL);
        print_calls("child");
        if (argc > 1)
            _exit(2);
        execl(argv[0], argv[0], "again", (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    print_calls(argc > 1 ? "image" : "parent");
    return argc > 1 ? WEXITSTATUS(status) : 3;
}

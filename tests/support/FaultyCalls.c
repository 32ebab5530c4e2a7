/* Preloaded, counts the calls on the files of a folder, and the calls for random numbers, and makes one of them fail:
 *
 *   FAULT_FOLDER  the folder, absolute; calls on files elsewhere are neither counted nor changed
 *   FAULT_AT      the number of the call, from 1; 0: none
 *   FAULT_KIND    an errno as a number: the call fails with it (close also closes the file; EINTR applies only to
 *                 calls that can wait)
 *                 "short": a read or write transfers half of the bytes
 *                 "full": from this call on the disk is full: calls that create or write fail with ENOSPC
 *                 "kill": the process is killed before the call
 *   FAULT_LOG     a file for the name of the failed call, and for the number of calls at the end of the process
 *
 * Only calls of libc functions, such as readdir, are counted. Their own system calls (getdents64, those of stdio) fail
 * with them. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum effect { NOTHING, FAIL, SHORTEN };
enum need { NO_SPACE, SPACE }; /* whether a call needs space on the disk */

static atomic_int calls;

static int is_in_folder(const char *path) {
  const char *folder = getenv("FAULT_FOLDER");
  size_t length = folder ? strlen(folder) : 0;
  return length && strncmp(path, folder, length) == 0 && (path[length] == '/' || !path[length]);
}

static int is_file_in_folder(int file) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  return length > 0 && is_in_folder(path);
}

static int is_path_in_folder(int directory, const char *path) {
  return path[0] == '/' ? is_in_folder(path) : directory != AT_FDCWD && is_file_in_folder(directory);
}

static void log_line(const char *text, int number) {
  const char *log = getenv("FAULT_LOG");
  char line[128];
  int length = snprintf(line, sizeof line, "%s %d\n", text, number);
  int file = log ? (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
  if (file >= 0 && syscall(SYS_write, file, line, length) < 0)
    abort();
  if (file >= 0)
    syscall(SYS_close, file);
}

__attribute__((destructor)) static void log_count(void) { log_line("calls", calls); }

static int can_wait(const char *call) {
  static const char *const those[] = {"open",   "open64", "openat", "openat64", "read",  "pread", "pread64",  "write",
                                      "pwrite", "pwrite64", "fsync", "fdatasync", "flock", "close", "getrandom"};
  for (size_t i = 0; i < sizeof those / sizeof *those; ++i)
    if (strcmp(call, those[i]) == 0)
      return 1;
  return 0;
}

/* Returns the effect on a call on a file of the folder; sets errno if it is FAIL. */
static enum effect effect_of(const char *call, enum need need) {
  const char *at = getenv("FAULT_AT"), *kind = getenv("FAULT_KIND");
  int number = ++calls, chosen = at ? atoi(at) : 0;
  if (!chosen || !kind)
    return NOTHING;
  if (strcmp(kind, "full") == 0) {
    errno = ENOSPC;
    return number >= chosen && need == SPACE ? FAIL : NOTHING;
  }
  if (number != chosen)
    return NOTHING;
  log_line(call, number);
  if (strcmp(kind, "kill") == 0)
    kill(getpid(), SIGKILL);
  if (strcmp(kind, "short") == 0)
    return SHORTEN;
  errno = atoi(kind);
  return errno == EINTR && !can_wait(call) ? NOTHING : FAIL;
}

#define REAL(name)                                                                                                     \
  static __typeof__(name) *real;                                                                                       \
  if (!real)                                                                                                           \
  real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static int open_mode(int flags, va_list list) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0; }

#define OPEN(name, directory, declaration, arguments)                                                                  \
  int name declaration {                                                                                               \
    REAL(name);                                                                                                        \
    va_list list;                                                                                                      \
    va_start(list, flags);                                                                                             \
    int mode = open_mode(flags, list);                                                                                 \
    va_end(list);                                                                                                      \
    int fails = is_path_in_folder(directory, path) && effect_of(#name, flags & O_CREAT ? SPACE : NO_SPACE) == FAIL;    \
    return fails ? -1 : real arguments;                                                                                \
  }

OPEN(open, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, directory, (int directory, const char *path, int flags, ...), (directory, path, flags, mode))
OPEN(openat64, directory, (int directory, const char *path, int flags, ...), (directory, path, flags, mode))

/* Returns the bytes of a call: half of them if it is short; negative if it fails. */
static ssize_t bytes_for(const char *call, int file, enum need need, size_t count) {
  enum effect effect = is_file_in_folder(file) ? effect_of(call, need) : NOTHING;
  return effect == FAIL ? -1 : effect == SHORTEN && count > 1 ? (ssize_t)(count / 2) : (ssize_t)count;
}

#define TRANSFER(name, need, declaration, ...)                                                                         \
  ssize_t name declaration {                                                                                           \
    REAL(name);                                                                                                        \
    ssize_t taken = bytes_for(#name, file, need, count);                                                               \
    return taken < 0 ? -1 : real(file, bytes, (size_t)taken __VA_OPT__(, ) __VA_ARGS__);                               \
  }

TRANSFER(read, NO_SPACE, (int file, void *bytes, size_t count))
TRANSFER(pread, NO_SPACE, (int file, void *bytes, size_t count, off_t offset), offset)
TRANSFER(pread64, NO_SPACE, (int file, void *bytes, size_t count, off64_t offset), offset)
TRANSFER(write, SPACE, (int file, const void *bytes, size_t count))
TRANSFER(pwrite, SPACE, (int file, const void *bytes, size_t count, off_t offset), offset)
TRANSFER(pwrite64, SPACE, (int file, const void *bytes, size_t count, off64_t offset), offset)

/* Independent of the folder, because names of temporary files consist of random numbers. */
ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  REAL(getrandom);
  return effect_of("getrandom", NO_SPACE) == FAIL ? -1 : real(bytes, count, flags);
}

/* Closes the file, even if the call fails. */
#define CLOSE(name, type, descriptor)                                                                                  \
  int name(type file) {                                                                                                \
    REAL(name);                                                                                                        \
    int fails = is_file_in_folder(descriptor) && effect_of(#name, NO_SPACE) == FAIL, fault = errno;                    \
    int result = real(file);                                                                                           \
    if (fails)                                                                                                         \
      errno = fault;                                                                                                   \
    return fails ? -1 : result;                                                                                        \
  }

CLOSE(close, int, file)
CLOSE(closedir, DIR *, dirfd(file))

#define ON_FILE(type, name, need, declaration, arguments)                                                              \
  type name declaration {                                                                                              \
    REAL(name);                                                                                                        \
    return is_file_in_folder(file) && effect_of(#name, need) == FAIL ? -1 : real arguments;                            \
  }

ON_FILE(int, fsync, NO_SPACE, (int file), (file))
ON_FILE(int, fdatasync, NO_SPACE, (int file), (file))
ON_FILE(int, flock, NO_SPACE, (int file, int operation), (file, operation))
ON_FILE(int, ftruncate, NO_SPACE, (int file, off_t length), (file, length))
ON_FILE(int, ftruncate64, NO_SPACE, (int file, off64_t length), (file, length))
ON_FILE(off_t, lseek, NO_SPACE, (int file, off_t offset, int whence), (file, offset, whence))
ON_FILE(int, fstat, NO_SPACE, (int file, struct stat *info), (file, info))
ON_FILE(int, fstat64, NO_SPACE, (int file, struct stat64 *info), (file, info))

#define OF_DIRECTORY(type, name, argument, condition)                                                                  \
  type name(argument) {                                                                                                \
    REAL(name);                                                                                                        \
    return condition && effect_of(#name, NO_SPACE) == FAIL ? 0 : real(of);                                             \
  }

OF_DIRECTORY(DIR *, opendir, const char *of, is_path_in_folder(AT_FDCWD, of))
OF_DIRECTORY(DIR *, fdopendir, int of, is_file_in_folder(of))
OF_DIRECTORY(struct dirent *, readdir, DIR *of, is_file_in_folder(dirfd(of)))
OF_DIRECTORY(struct dirent64 *, readdir64, DIR *of, is_file_in_folder(dirfd(of)))

#define ON_PATH(name, directory, path, need, declaration, arguments)                                                   \
  int name declaration {                                                                                               \
    REAL(name);                                                                                                        \
    return is_path_in_folder(directory, path) && effect_of(#name, need) == FAIL ? -1 : real arguments;                 \
  }

ON_PATH(stat, AT_FDCWD, path, NO_SPACE, (const char *path, struct stat *info), (path, info))
ON_PATH(stat64, AT_FDCWD, path, NO_SPACE, (const char *path, struct stat64 *info), (path, info))
ON_PATH(lstat, AT_FDCWD, path, NO_SPACE, (const char *path, struct stat *info), (path, info))
ON_PATH(lstat64, AT_FDCWD, path, NO_SPACE, (const char *path, struct stat64 *info), (path, info))
ON_PATH(fstatat, directory, path, NO_SPACE, (int directory, const char *path, struct stat *info, int flags),
        (directory, path, info, flags))
ON_PATH(fstatat64, directory, path, NO_SPACE, (int directory, const char *path, struct stat64 *info, int flags),
        (directory, path, info, flags))
ON_PATH(access, AT_FDCWD, path, NO_SPACE, (const char *path, int mode), (path, mode))
ON_PATH(mkdir, AT_FDCWD, path, SPACE, (const char *path, mode_t mode), (path, mode))
ON_PATH(unlink, AT_FDCWD, path, NO_SPACE, (const char *path), (path))
ON_PATH(remove, AT_FDCWD, path, NO_SPACE, (const char *path), (path))
ON_PATH(unlinkat, directory, path, NO_SPACE, (int directory, const char *path, int flags), (directory, path, flags))
ON_PATH(rename, AT_FDCWD, to, NO_SPACE, (const char *from, const char *to), (from, to))
ON_PATH(renameat, directory, to, NO_SPACE, (int source, const char *from, int directory, const char *to),
        (source, from, directory, to))

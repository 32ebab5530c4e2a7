/* Preloaded, makes regular files behave as on a disk that is full after FULL_DISK_BYTES, or, with FULL_DISK_SIGNAL=2,
 * as if the program were interrupted there. Tests of remaining files need neither a separate disk nor root.
 * FaultyCalls.c has faults of other calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long long written;

/* Returns how many of `count` bytes fit; the others cause an error, or a signal. */
static size_t room_for(int file, size_t count) {
  const char *limit = getenv("FULL_DISK_BYTES"), *number = getenv("FULL_DISK_SIGNAL");
  struct stat info;
  if (!limit || fstat(file, &info) != 0 || !S_ISREG(info.st_mode))
    return count;
  long long room = atoll(limit) - written;
  if (room <= 0 && count > 0 && number)
    raise(atoi(number));
  size_t taken = room <= 0 ? 0 : (long long)count < room ? count : (size_t)room;
  written += taken;
  return taken;
}

ssize_t write(int file, const void *bytes, size_t count) {
  static ssize_t (*real)(int, const void *, size_t);
  if (!real)
    real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  size_t taken = room_for(file, count);
  if (taken > 0 || count == 0)
    return real(file, bytes, taken);
  errno = ENOSPC;
  return -1;
}

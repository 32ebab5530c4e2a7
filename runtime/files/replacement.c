#define _GNU_SOURCE
#include "replacement.h"
#include "retry.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, MOST_ATTEMPTS = 100, RANDOM_DIGITS = 16 };

static const char suffix[] = ".part";

/* Returns how many bytes of the name fit in NAME_MAX with the digits and the suffix. */
static int stem_length(const char *name) {
  size_t length = strlen(name), most = 255 - 1 - RANDOM_DIGITS - (sizeof suffix - 1);
  return (int)(length < most ? length : most);
}

static int is_part_of(const char *entry, const char *name) {
  size_t stem = (size_t)stem_length(name);
  return strncmp(entry, name, stem) == 0 && entry[stem] == '.' &&
         strspn(entry + stem + 1, "0123456789abcdef") == RANDOM_DIGITS &&
         strcmp(entry + stem + 1 + RANDOM_DIGITS, suffix) == 0;
}

static int open_at(int directory, const char *name, int flags) {
  int file;
  ATTN_RETRY(file, openat(directory, name, flags | O_CLOEXEC, 0666));
  return file;
}

static int lock_file(int file) {
  int result;
  ATTN_RETRY(result, flock(file, LOCK_EX | LOCK_NB));
  return result;
}

static int sync_file(int file) {
  int result;
  ATTN_RETRY(result, fsync(file));
  return result;
}

/* Removes files of killed writers. If that fails here, the next writer tries again. */
static void remove_abandoned(int directory, const char *name) {
  int listed = open_at(directory, ".", O_RDONLY | O_DIRECTORY);
  DIR *entries = listed < 0 ? 0 : fdopendir(listed);
  if (!entries && listed >= 0)
    close(listed);
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    if (!is_part_of(entry->d_name, name))
      continue;
    int file = open_at(directory, entry->d_name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
    if (file >= 0 && lock_file(file) == 0)
      unlinkat(directory, entry->d_name, 0);
    if (file >= 0)
      close(file);
  }
  if (entries)
    closedir(entries);
}

/* Opens the directory of `path`; `name` becomes the last component. */
static int open_directory(const char *path, const char **name) {
  char directory[PATH_BYTES];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + (slash == path) : 1;
  *name = slash ? slash + 1 : path;
  if (length >= sizeof directory) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(directory, slash ? path : ".", length);
  directory[length] = 0;
  return open_at(AT_FDCWD, directory, O_RDONLY | O_DIRECTORY);
}

/* Creates a file with an unpredictable name and locks it. Another writer that finds the file before it is locked may
 * remove it as abandoned; this writer then creates another one. */
static int create_part(attn_replacement *replacement) {
  for (int attempt = 0; attempt < MOST_ATTEMPTS; ++attempt) {
    uint64_t number;
    ssize_t drawn;
    ATTN_RETRY(drawn, getrandom(&number, sizeof number, 0));
    if (drawn != sizeof number)
      return -1;
    snprintf(replacement->part, sizeof replacement->part, "%.*s.%016" PRIx64 "%s", stem_length(replacement->name),
             replacement->name, number, suffix);
    int file = open_at(replacement->directory, replacement->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (file < 0 && errno == EEXIST)
      continue;
    struct stat info;
    if (file < 0)
      return -1;
    int is_taken = (lock_file(file) < 0 && errno == EWOULDBLOCK) || (fstat(file, &info) == 0 && info.st_nlink == 0);
    if (!is_taken)
      return file;
    close(file);
  }
  errno = EEXIST;
  return -1;
}

/* Rejects the replacement of a directory, and of a device or pipe, which other programs would lose. */
static int check_replaced(int directory, const char *name) {
  struct stat info;
  if (fstatat(directory, name, &info, 0) != 0)
    return errno == ENOENT ? 0 : errno;
  return S_ISREG(info.st_mode) ? 0 : S_ISDIR(info.st_mode) ? EISDIR : ENOTSUP;
}

int attn_replacement_begin(attn_replacement *replacement, const char *path) {
  replacement->file = -1;
  replacement->directory = open_directory(path, &replacement->name);
  if (replacement->directory < 0)
    return errno;
  int fault = check_replaced(replacement->directory, replacement->name);
  if (!fault) {
    remove_abandoned(replacement->directory, replacement->name);
    replacement->file = create_part(replacement);
    fault = replacement->file < 0 ? errno : 0;
  }
  if (fault)
    close(replacement->directory);
  return fault;
}

int attn_replacement_write(attn_replacement *replacement, const void *data, size_t count) {
  for (const char *at = data; count > 0;) {
    ssize_t written;
    ATTN_RETRY(written, write(replacement->file, at, count));
    if (written <= 0)
      return written < 0 ? errno : EIO; /* a write of no bytes does not set errno */
    at += written;
    count -= (size_t)written;
  }
  return 0;
}

/* Closing the file unlocks it, so its name must be removed before. */
static void end(attn_replacement *replacement) {
  close(replacement->file);
  close(replacement->directory);
}

int attn_replacement_commit(attn_replacement *replacement) {
  int directory = replacement->directory;
  if (sync_file(replacement->file) != 0 || renameat(directory, replacement->part, directory, replacement->name) != 0) {
    int fault = errno;
    attn_replacement_abandon(replacement);
    return fault;
  }
  /* A rename is on disk once its directory is synced; a file system that cannot sync directories returns EINVAL. */
  int fault = sync_file(directory) != 0 && errno != EINVAL ? errno : 0;
  end(replacement);
  return fault;
}

void attn_replacement_abandon(attn_replacement *replacement) {
  unlinkat(replacement->directory, replacement->part, 0);
  end(replacement);
}

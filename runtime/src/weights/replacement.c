#define _GNU_SOURCE
#include "internal.h"

#include <dirent.h>
#include <errno.h>
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

/* As much of the file's name as leaves room for the rest of a name of NAME_MAX. */
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
  do
    file = openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
  while (file < 0 && errno == EINTR);
  return file;
}

static int lock_file(int file) {
  int result;
  do
    result = flock(file, LOCK_EX | LOCK_NB);
  while (result < 0 && errno == EINTR);
  return result;
}

static int draw(uint64_t *number) {
  ssize_t count;
  do
    count = getrandom(number, sizeof *number, 0);
  while (count < 0 && errno == EINTR);
  return count == sizeof *number ? 0 : -1;
}

static int sync_file(int file) {
  int result;
  do
    result = fsync(file);
  while (result < 0 && errno == EINTR);
  return result;
}

/* Removes what writers that are dead have left: nobody has locked it. Errors leave it to the next writer. */
static void remove_abandoned(int directory, const char *name) {
  int listed = open_at(directory, ".", O_RDONLY | O_DIRECTORY);
  DIR *entries = listed < 0 ? 0 : fdopendir(listed);
  if (!entries && listed >= 0)
    close(listed);
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    int file = is_part_of(entry->d_name, name) ? open_at(directory, entry->d_name, O_WRONLY | O_NONBLOCK) : -1;
    if (file >= 0 && lock_file(file) == 0)
      unlinkat(directory, entry->d_name, 0);
    if (file >= 0)
      close(file);
  }
  if (entries)
    closedir(entries);
}

/* The directory of `path`, and the name in it. */
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
  int file;
  do
    file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (file < 0 && errno == EINTR);
  return file;
}

/* A new file under a name that nobody can know before, locked as long as this process has it open. Another writer that
 * finds it in between the two may take it for abandoned: then there is another. */
static int create_part(attn_replacement *replacement) {
  for (int attempt = 0; attempt < MOST_ATTEMPTS; ++attempt) {
    uint64_t number;
    if (draw(&number) != 0)
      return -1;
    snprintf(replacement->part, sizeof replacement->part, "%.*s.%016" PRIx64 "%s", stem_length(replacement->name),
             replacement->name, number, suffix);
    int file = open_at(replacement->directory, replacement->part, O_WRONLY | O_CREAT | O_EXCL);
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

/* 0, or why no new file may take the place of what has that name: a device would be gone for all programs. */
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

/* The lock is let go when the name is gone, so that nobody takes the file for abandoned. */
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
  /* A rename is on disk when its directory is; a file system that syncs no directories says EINVAL. */
  int fault = sync_file(directory) != 0 && errno != EINVAL ? errno : 0;
  end(replacement);
  return fault;
}

void attn_replacement_abandon(attn_replacement *replacement) {
  unlinkat(replacement->directory, replacement->part, 0);
  end(replacement);
}

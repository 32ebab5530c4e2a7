#define _GNU_SOURCE
#include "attn/safetensors.h"
#include "internal.h"
#include "safetensors_header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The format's own bound on the header. */
enum { MOST_HEADER_BYTES = 100 * 1000 * 1000 };

struct attn_safetensors {
  attn_header header;
  char *name;         /* in messages */
  const char *memory; /* all of its bytes, which are the caller's, or null */
  int descriptor;     /* where they are in a file */
  uint64_t data_start;
};

static const struct {
  const char *name;
  int64_t bytes;
} dtypes[] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"I16", 2}, {"U16", 2}, {"F16", 2}, {"BF16", 2},
              {"I32", 4},  {"U32", 4}, {"F32", 4}, {"I64", 8}, {"U64", 8}, {"F64", 8}};

static int is_known(int32_t dtype) { return dtype >= 0 && dtype < (int32_t)(sizeof dtypes / sizeof *dtypes); }

ATTN_PUBLIC const char *attn_file_dtype_name(int32_t dtype) { return is_known(dtype) ? dtypes[dtype].name : "unknown"; }
ATTN_PUBLIC int64_t attn_file_dtype_bytes(int32_t dtype) { return is_known(dtype) ? dtypes[dtype].bytes : 0; }

/* Reads bytes [at, at + count) of the file; `what` names them in messages. */
static attn_code read_bytes(const attn_safetensors *file, uint64_t at, uint64_t count, char *to, const char *what,
                            attn_status *status) {
  if (file->memory) {
    memcpy(to, file->memory + at, count);
    return ATTN_OK;
  }
  while (count > 0) {
    ssize_t got = pread(file->descriptor, to, count, (off_t)at);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return attn_fail(status, ATTN_BAD_FILE, "%s: can't be read: %s", file->name, strerror(errno));
    if (got == 0)
      return attn_fail(status, ATTN_BAD_FILE, "%s: truncated since it was opened: %s would end at byte %llu, the file "
                       "ends at %llu", file->name, attn_shown(what).text, (unsigned long long)(at + count),
                       (unsigned long long)at);
    to += got;
    at += (uint64_t)got;
    count -= (uint64_t)got;
  }
  return ATTN_OK;
}

/* Reads and checks the header of a file of `size` bytes. */
static attn_code read_header(attn_safetensors *file, uint64_t size, attn_status *status) {
  unsigned char bytes[8];
  uint64_t header_bytes = 0;
  if (size < sizeof bytes)
    return attn_fail(status, ATTN_BAD_FILE, "%s: %llu bytes are too few for a safetensors file", file->name,
                     (unsigned long long)size);
  attn_code code = read_bytes(file, 0, sizeof bytes, (char *)bytes, "its header", status);
  if (code != ATTN_OK)
    return code;
  for (int i = 7; i >= 0; --i)
    header_bytes = header_bytes << 8 | bytes[i];
  if (header_bytes > MOST_HEADER_BYTES)
    return attn_fail(status, ATTN_BAD_FILE, "%s: not a safetensors file: its header would take %llu bytes", file->name,
                     (unsigned long long)header_bytes);
  if (header_bytes > size - sizeof bytes)
    return attn_fail(status, ATTN_BAD_FILE, "%s: truncated: the header takes %llu bytes, the file holds %llu",
                     file->name, (unsigned long long)header_bytes, (unsigned long long)size);
  file->data_start = sizeof bytes + header_bytes;
  char *text = malloc(header_bytes + 1);
  if (!text)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for a header of %llu bytes", file->name,
                     (unsigned long long)header_bytes);
  code = read_bytes(file, sizeof bytes, header_bytes, text, "its header", status);
  if (code == ATTN_OK)
    code = attn_header_parse(file->name, text, header_bytes, size - file->data_start, &file->header, status);
  free(text);
  return code;
}

/* A file in memory, or by its descriptor, which is closed where this fails. */
static attn_code open_file(const char *name, const void *memory, int descriptor, uint64_t size, attn_safetensors **out,
                           attn_status *status) {
  attn_safetensors *file = calloc(1, sizeof *file);
  char *copy = malloc(strlen(name) + 1);
  if (!file || !copy) {
    free(file);
    free(copy);
    if (descriptor >= 0)
      close(descriptor);
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to open it", name);
  }
  file->name = strcpy(copy, name);
  file->memory = memory;
  file->descriptor = descriptor;
  attn_code code = read_header(file, size, status);
  if (code != ATTN_OK) {
    attn_safetensors_close(file);
    return code;
  }
  *out = file;
  return attn_succeed(status);
}

ATTN_PUBLIC attn_code attn_safetensors_open_memory(const char *name, const void *data, size_t size,
                                                   attn_safetensors **out, attn_status *status) {
  attn_code code = attn_check_pointer(out, "the place for the file", status);
  if (code != ATTN_OK)
    return code;
  *out = 0;
  code = attn_check_pointer(name, "the name of a safetensors file", status);
  if (code == ATTN_OK)
    code = attn_check_pointer(data, "the memory of a safetensors file", status);
  return code == ATTN_OK ? open_file(name, data, -1, size, out, status) : code;
}

ATTN_PUBLIC attn_code attn_safetensors_open(const char *path, attn_safetensors **out, attn_status *status) {
  attn_code code = attn_check_pointer(out, "the place for the file", status);
  if (code != ATTN_OK)
    return code;
  *out = 0;
  code = attn_check_pointer(path, "the path of a safetensors file", status);
  if (code != ATTN_OK)
    return code;
  int descriptor;
  do /* not blocking, or a FIFO without a writer would be waited for */
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  while (descriptor < 0 && errno == EINTR);
  struct stat about;
  if (descriptor < 0 || fstat(descriptor, &about) != 0) {
    int error = errno;
    if (descriptor >= 0)
      close(descriptor);
    return attn_fail(status, ATTN_BAD_FILE, "%s: can't be read: %s", path, strerror(error));
  }
  if (!S_ISREG(about.st_mode)) {
    close(descriptor);
    return attn_fail(status, ATTN_BAD_FILE, "%s: can't be read: it is a %s, expected a regular file", path,
                     S_ISDIR(about.st_mode)    ? "directory"
                     : S_ISFIFO(about.st_mode) ? "pipe"
                                               : "device or socket");
  }
  return open_file(path, 0, descriptor, (uint64_t)about.st_size, out, status);
}

ATTN_PUBLIC void attn_safetensors_close(attn_safetensors *file) {
  if (!file)
    return;
  attn_header_free(&file->header);
  if (file->descriptor >= 0)
    close(file->descriptor);
  free(file->name);
  free(file);
}

ATTN_PUBLIC attn_code attn_safetensors_read(const attn_safetensors *file, const attn_file_tensor *tensor, uint64_t from,
                                            uint64_t count, void *to, attn_status *status) {
  attn_code code = attn_check_pointer(file, "the file", status);
  if (code == ATTN_OK)
    code = attn_check_pointer(tensor, "the tensor to read", status);
  if (code == ATTN_OK && count > 0)
    code = attn_check_pointer(to, "the memory to read to", status);
  if (code != ATTN_OK)
    return code;
  if (from > tensor->bytes || count > tensor->bytes - from)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: tensor '%s' has %llu bytes, expected %llu from byte %llu on",
                     file->name, attn_shown(tensor->name).text, (unsigned long long)tensor->bytes,
                     (unsigned long long)count, (unsigned long long)from);
  code = read_bytes(file, file->data_start + tensor->offset + from, count, to, tensor->name, status);
  return code == ATTN_OK ? attn_succeed(status) : code;
}

ATTN_PUBLIC int64_t attn_safetensors_count(const attn_safetensors *file) { return file ? file->header.count : 0; }

ATTN_PUBLIC const attn_file_tensor *attn_safetensors_at(const attn_safetensors *file, int64_t index) {
  return file && index >= 0 && index < file->header.count ? &file->header.tensors[index] : 0;
}

static int compare_name(const void *name, const void *tensor) {
  return strcmp(name, (*(attn_file_tensor *const *)tensor)->name);
}

ATTN_PUBLIC const attn_file_tensor *attn_safetensors_find(const attn_safetensors *file, const char *name) {
  if (!file || !name)
    return 0;
  attn_file_tensor *const *found = bsearch(name, file->header.by_name, (size_t)file->header.count,
                                           sizeof *file->header.by_name, compare_name);
  return found ? *found : 0;
}

ATTN_PUBLIC const char *attn_safetensors_object(const attn_safetensors *file) {
  return file ? file->header.object : "";
}

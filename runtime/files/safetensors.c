#define _GNU_SOURCE
#include "attn/safetensors.h"
#include "internal.h"
#include "retry.h"
#include "safetensors_header.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The format's limit on the header. */
enum { MOST_HEADER_BYTES = 100 * 1000 * 1000 };

struct attn_safetensors {
  attn_header header;
  char *name;          /* in messages */
  const char *memory;  /* the bytes of a file in memory; null for an open file */
  int descriptor;      /* an open file, or -1 */
  uint64_t data_start; /* number of bytes before the tensors */
};

/* Reads bytes [at, at + count) of the file; `what` names them in messages. */
static attn_code read_bytes(const attn_safetensors *file, uint64_t at, uint64_t count, char *to, const char *what,
                            attn_status *status) {
  if (file->memory) {
    memcpy(to, file->memory + at, count);
    return ATTN_OK;
  }
  while (count > 0) {
    ssize_t got;
    ATTN_RETRY(got, pread(file->descriptor, to, count, (off_t)at));
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
  ATTN_TRY(read_bytes(file, 0, sizeof bytes, (char *)bytes, "its header", status));
  for (int i = 7; i >= 0; --i)
    header_bytes = header_bytes << 8 | bytes[i];
  if (header_bytes > MOST_HEADER_BYTES)
    return attn_fail(status, ATTN_BAD_FILE, "%s: not a safetensors file: its header would take %llu bytes", file->name,
                     (unsigned long long)header_bytes);
  if (header_bytes > size - sizeof bytes)
    return attn_fail(status, ATTN_BAD_FILE, "%s: truncated: the header takes %llu bytes, the file has %llu", file->name,
                     (unsigned long long)header_bytes, (unsigned long long)size);
  file->data_start = sizeof bytes + header_bytes;
  char *text = malloc(header_bytes + 1);
  if (!text)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for a header of %llu bytes", file->name,
                     (unsigned long long)header_bytes);
  attn_code code = read_bytes(file, sizeof bytes, header_bytes, text, "its header", status);
  if (code == ATTN_OK)
    code = attn_header_parse(file->name, text, header_bytes, size - file->data_start, &file->header, status);
  free(text);
  return code;
}

/* Opens a file in memory, or a file with a descriptor, which is closed on an error. */
static attn_code open_file(const char *name, const void *memory, int descriptor, uint64_t size, attn_safetensors **out,
                           attn_status *status) {
  attn_safetensors *file = calloc(1, sizeof *file);
  if (file)
    *file = (attn_safetensors){.name = strdup(name), .memory = memory, .descriptor = descriptor};
  else if (descriptor >= 0)
    close(descriptor);
  attn_code code = file && file->name ? read_header(file, size, status)
                                      : attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to open it", name);
  if (code == ATTN_OK) {
    *out = file;
    return attn_succeed(status);
  }
  attn_safetensors_close(file);
  return code;
}

ATTN_PUBLIC attn_code attn_safetensors_open_memory(const char *name, const void *data, size_t size,
                                                   attn_safetensors **out, attn_status *status) {
  ATTN_TRY(attn_check_pointer(out, "the place for the file", status));
  *out = 0;
  ATTN_TRY(attn_check_pointer(name, "the name of a safetensors file", status));
  ATTN_TRY(attn_check_pointer(data, "the memory of a safetensors file", status));
  return open_file(name, data, -1, size, out, status);
}

ATTN_PUBLIC attn_code attn_safetensors_open(const char *path, attn_safetensors **out, attn_status *status) {
  ATTN_TRY(attn_check_pointer(out, "the place for the file", status));
  *out = 0;
  ATTN_TRY(attn_check_pointer(path, "the path of a safetensors file", status));
  int descriptor; /* opening a FIFO without a writer would block */
  ATTN_RETRY(descriptor, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about;
  int is_open = descriptor >= 0 && fstat(descriptor, &about) == 0;
  if (is_open && S_ISREG(about.st_mode))
    return open_file(path, 0, descriptor, (uint64_t)about.st_size, out, status);
  attn_code code =
      is_open ? attn_fail(status, ATTN_BAD_FILE, "%s: can't be read: it is a %s, expected a regular file", path,
                          S_ISDIR(about.st_mode)    ? "directory"
                          : S_ISFIFO(about.st_mode) ? "pipe"
                                                    : "device or socket")
              : attn_fail(status, ATTN_BAD_FILE, "%s: can't be read: %s", path, strerror(errno));
  if (descriptor >= 0)
    close(descriptor);
  return code;
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
  ATTN_TRY(attn_check_pointer(file, "the file", status));
  ATTN_TRY(attn_check_pointer(tensor, "the tensor to read", status));
  if (count > 0)
    ATTN_TRY(attn_check_pointer(to, "the memory to read to", status));
  if (from > tensor->bytes || count > tensor->bytes - from)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: tensor '%s' has %llu bytes, expected %llu from byte %llu on",
                     file->name, attn_shown(tensor->name).text, (unsigned long long)tensor->bytes,
                     (unsigned long long)count, (unsigned long long)from);
  ATTN_TRY(read_bytes(file, file->data_start + tensor->offset + from, count, to, tensor->name, status));
  return attn_succeed(status);
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

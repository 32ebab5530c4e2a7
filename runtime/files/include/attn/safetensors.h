/* Reader of .safetensors files: a JSON header of names, types, shapes and offsets, then the bytes of the tensors.
 * Opening a file reads its header and checks every offset; attn_safetensors_read copies elements to the caller's
 * memory. Files are not mapped: after another program truncates a file, reads return ATTN_BAD_FILE. Several threads may
 * use one open file at the same time, until attn_safetensors_close.
 *
 * The tensors of a large checkpoint are divided among several files, its shards. An index, a JSON file beside them, has
 * the name of the shard of each tensor:
 *
 *   {"metadata": {"total_size": 24}, "weight_map": {"a": "1-of-2.safetensors", "b": "2-of-2.safetensors"}}
 *
 * The shards of an index are opened together, as one file that has all tensors. */
#ifndef ATTN_SAFETENSORS_H
#define ATTN_SAFETENSORS_H

#include "attn/abi.h"
#include "attn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The element types of the format, ATTN_FILE_ and the name in the format; `bool` of a model is BOOL. */
typedef enum attn_file_dtype {
  ATTN_FILE_BOOL, ATTN_FILE_U8, ATTN_FILE_I8, ATTN_FILE_I16, ATTN_FILE_U16, ATTN_FILE_F16, ATTN_FILE_BF16,
  ATTN_FILE_I32, ATTN_FILE_U32, ATTN_FILE_F32, ATTN_FILE_I64, ATTN_FILE_U64, ATTN_FILE_F64
} attn_file_dtype;

/* A tensor of a file, as its header describes it; valid until the file is closed. */
typedef struct attn_file_tensor {
  const char *name;
  uint64_t offset;              /* distance of its first byte from the end of the header, in bytes; for an index, the
                                   data of its shards follow one another in the order of the names of their files */
  uint64_t bytes;               /* size of all elements */
  int64_t shape[ATTN_MAX_RANK]; /* `rank` sizes, outermost first */
  int32_t rank;
  int32_t dtype; /* an attn_file_dtype */
} attn_file_tensor;

/* An open file, or the open shards of an index. */
typedef struct attn_safetensors attn_safetensors;

/* Opens a file, reads its header and checks it: it has at most 100,000,000 bytes and is JSON in the form that the
 * format specifies; element types are those of attn_file_dtype; tensors have at most ATTN_MAX_RANK dimensions and
 * distinct names; each tensor has the bytes that its shape and type imply; together the tensors cover the data exactly
 * once. Returns ATTN_BAD_FILE if one of these checks fails, or if the file is unreadable, not a regular file or
 * truncated; ATTN_NO_MEMORY if there is no memory for the header. *out is null after an error, and no file is open. The
 * file remains open until attn_safetensors_close.
 *
 * If `path` ends in ".index.json", it is an index: opens all its shards, in O(n log n) time for n tensors, and checks
 * each one as above. The index has at most 100,000,000 bytes. The name of a shard is that of a file in the folder of
 * the index, or of a symbolic link there. Each tensor of a shard has an entry in weight_map, whose file is this shard,
 * and each entry has a tensor; otherwise returns ATTN_BAD_FILE. Other values of the index are ignored, because
 * total_size is wrong in some checkpoints. The process has a file descriptor for each shard.
 *
 * If `path` is a folder, opens the file model.safetensors in this folder or, if there is none, the index
 * model.safetensors.index.json; if there is neither, diffusion_pytorch_model.safetensors or its index. */
attn_code attn_safetensors_open(const char *path, attn_safetensors **out, attn_status *status);
/* Like attn_safetensors_open, for the `size` bytes of a .safetensors file in memory, which must outlive the result;
 * messages refer to it as `name`. */
attn_code attn_safetensors_open_memory(const char *name, const void *data, size_t size, attn_safetensors **out,
                                       attn_status *status);
/* Closes a file, or the shards of an index; null is ignored. */
void attn_safetensors_close(attn_safetensors *file);

/* Returns the number of tensors; 0 for null. */
int64_t attn_safetensors_count(const attn_safetensors *file);
/* Return tensor number `index`, from 0 in the order of the header, and the tensor with the name `name`. Return null if
 * there is none, or for a null argument. The tensors of an index are in one array, shard after shard, in the order of
 * the names of their files. */
const attn_file_tensor *attn_safetensors_at(const attn_safetensors *file, int64_t index);
const attn_file_tensor *attn_safetensors_find(const attn_safetensors *file, const char *name);

/* Copies bytes [from, from + count) of a tensor of this file to `to`; byte 0 is the first byte of the tensor. Returns
 * ATTN_BAD_FILE if the file has become shorter since it was opened, or cannot be read; ATTN_BAD_ARGUMENT if the tensor
 * has no such bytes. */
attn_code attn_safetensors_read(const attn_safetensors *file, const attn_file_tensor *tensor, uint64_t from,
                                uint64_t count, void *to, attn_status *status);

/* Returns attn_model.identity of the model whose weights attn_weights_save wrote to the file; an empty text for files
 * of other programs, for an index, because attn_weights_save writes none, and for null. The text is valid until the
 * file is closed. */
const char *attn_safetensors_object(const attn_safetensors *file);

const char *attn_file_dtype_name(int32_t dtype); /* name in the format, such as "F32"; "unknown" for other numbers */
int64_t attn_file_dtype_bytes(int32_t dtype);    /* bytes of an element; 0 for other numbers */

#ifdef __cplusplus
}
#endif
#endif

//===- TensorFile.h - tensors in files: .npy, .safetensors, .txt and others ---------------------------------------===//
//
// .npy is NumPy's format, version 1 to 3 (numpy.lib.format): little-endian, C order. A read converts element types to
// those of models: floats of 2, 4 and 8 bytes, and bf16 of .safetensors, to f32; signed and unsigned integers of 1 to 8
// bytes to i32; booleans remain. A number outside of the range of f32 or i32 is an error. A .txt file has lines of
// characters, read as i32[lines, characters of the longest line + 1] (TextFile.h). A .words file has lines of words,
// read as i32[lines, words of the longest line + 1], and a .labels file has one label on each line, read as i32[lines]
// (Vocabulary.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "attn/run.h"
#include "attn/safetensors.h"
#include "compiler/Diagnostics/InputFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace attnc {

class Vocabulary;

/// A dense tensor in the host's memory, which owns its elements.
struct HostTensor {
  attn_dtype dtype = ATTN_F32;
  std::vector<int64_t> shape; ///< empty: a scalar
  std::vector<char> bytes;    ///< the elements in row-major order, of the size of `dtype` each

  HostTensor() = default; ///< without elements: not a valid scalar
  /// Creates zeros; requires that the size fits in memory.
  HostTensor(attn_dtype dtype, std::vector<int64_t> shape);
  /// The size in bytes of a tensor; an error if a dimension is negative or the size exceeds 64 bits. `name` is the
  /// tensor's name in messages, here and below.
  static llvm::Expected<int64_t> bytesFor(llvm::StringRef name, attn_dtype dtype, llvm::ArrayRef<int64_t> shape);
  /// Creates zeros; an error if a dimension is negative or the size exceeds 64 bits or the available memory.
  static llvm::Expected<HostTensor> create(llvm::StringRef name, attn_dtype dtype, std::vector<int64_t> shape);
  /// An error if `bytes` bytes cannot be allocated. Reserves nothing.
  static llvm::Error checkRoom(llvm::StringRef name, int64_t bytes);
  int64_t count() const; ///< number of elements
  /// The elements; floats() requires f32, and integers() i32.
  float *floats() { return reinterpret_cast<float *>(bytes.data()); }
  const float *floats() const { return reinterpret_cast<const float *>(bytes.data()); }
  int32_t *integers() { return reinterpret_cast<int32_t *>(bytes.data()); }
  const int32_t *integers() const { return reinterpret_cast<const int32_t *>(bytes.data()); }
  /// The element with number `index` in row-major order, as a number; a boolean is 0 or 1.
  double at(int64_t index) const;
  /// Sets this element. Rounds to nearest, ties to even, in float types (f32, bf16, f16). Truncates in i32, and
  /// requires that the result fits. A boolean is true if `value` is not 0.
  void set(int64_t index, double value);
  /// A tensor of the same shape with the elements converted by at() and set().
  HostTensor convertedTo(attn_dtype other) const;
  /// Converts like convertedTo() to a float type; an error if a finite number becomes infinite. `place` names the
  /// source of the tensor in the message.
  llvm::Expected<HostTensor> narrowedTo(attn_dtype other, llvm::StringRef place) const;
  /// A descriptor for the runtime that refers to `bytes`, and is valid while `bytes` is. Requires at most ATTN_MAX_RANK
  /// dimensions.
  attn_tensor view();
};

/// Reads the tensor at `place`: a path (.txt; .words or .labels, which need `vocabulary`; any other is .npy), or
/// `path:name` for a tensor of a .safetensors file. The name may be omitted if the file has only one tensor. An error
/// if the file cannot be read or is damaged, if it lacks the tensor, if `vocabulary` is missing or lacks a label, if a
/// number is outside of the range, or if there is not enough memory.
llvm::Expected<HostTensor> readTensor(const std::string &place, const Vocabulary *vocabulary = nullptr);
/// Reads `file`, of any of these formats except .safetensors. An error also if `file` is not open.
llvm::Expected<HostTensor> readTensor(InputFile &file, const Vocabulary *vocabulary = nullptr);

/// The element type to which readTensor() converts a tensor of a .safetensors file.
attn_dtype convertedType(const attn_file_tensor &tensor);
/// Reads a tensor of an open .safetensors file; `path` is for messages.
llvm::Expected<HostTensor> readTensor(const std::string &path, const attn_safetensors *file,
                                      const attn_file_tensor &tensor);

/// Writes tensors with their names to `path`, in the format of its ending. .safetensors holds any number of tensors;
/// the others hold one, without its name. A bf16 tensor is stored as f32 in .npy. .png is a picture (Picture.h). .txt
/// and .words need i32[.., n], and .labels i32[..]; .words and .labels also need `vocabulary`. Replaces the file
/// atomically (OutputFiles::replace). An error also if two tensors have the same name, or one has the name
/// "__metadata__" in .safetensors.
llvm::Error writeTensors(const std::string &path, const std::vector<std::pair<std::string, HostTensor>> &tensors,
                         const Vocabulary *vocabulary = nullptr);

} // namespace attnc

//===- TensorFile.h - tensors in files: .npy, .safetensors and .txt -------------------------------------------===//
//
// .npy is NumPy's format, version 1 to 3 (numpy.lib.format): little-endian, C order. Element types are converted to
// those of models: floats of 2, 4 and 8 bytes, and bf16 of .safetensors, to f32; signed and unsigned integers of 1 to 8
// bytes to i32; booleans remain. A number outside of the range of f32 or i32 is an error. A .txt file has lines of
// characters (TextFile.h), a .words file lines of words, and a .labels file a label a line (Vocabulary.h).
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

/// A tensor that owns its elements.
struct HostTensor {
  attn_dtype dtype = ATTN_F32;
  std::vector<int64_t> shape;
  std::vector<char> bytes;

  HostTensor() = default;
  /// Creates zeros; requires that the size fits in memory.
  HostTensor(attn_dtype dtype, std::vector<int64_t> shape);
  /// The size in memory; an error if it exceeds 64 bits. `name` is for the message, as below.
  static llvm::Expected<int64_t> bytesFor(llvm::StringRef name, attn_dtype dtype, llvm::ArrayRef<int64_t> shape);
  /// Creates zeros; an error if the size exceeds 64 bits or the available memory.
  static llvm::Expected<HostTensor> create(llvm::StringRef name, attn_dtype dtype, std::vector<int64_t> shape);
  /// Fails if there is no memory for so many bytes.
  static llvm::Error checkRoom(llvm::StringRef name, int64_t bytes);
  int64_t count() const; ///< number of elements
  float *floats() { return reinterpret_cast<float *>(bytes.data()); }
  const float *floats() const { return reinterpret_cast<const float *>(bytes.data()); }
  int32_t *integers() { return reinterpret_cast<int32_t *>(bytes.data()); }
  const int32_t *integers() const { return reinterpret_cast<const int32_t *>(bytes.data()); }
  /// The element number `index` in row-major order as a number. set() rounds to nearest, ties to even, in float types;
  /// in i32 it truncates, and requires that the result fits.
  double at(int64_t index) const;
  void set(int64_t index, double value);
  /// The same numbers in another element type.
  HostTensor convertedTo(attn_dtype other) const;
  /// Converts like convertedTo(); an error if a finite number overflows. `place` names the source in the message.
  llvm::Expected<HostTensor> narrowedTo(attn_dtype other, llvm::StringRef place) const;
  /// A tensor for the runtime that refers to this memory.
  attn_tensor view();
};

/// Reads `path` (.npy, .txt, or with `vocabulary` .words or .labels) or `path:name` (a tensor of a .safetensors file;
/// the name is optional if there is only one tensor).
llvm::Expected<HostTensor> readTensor(const std::string &place, const Vocabulary *vocabulary = nullptr);
/// Reads an open file, but .safetensors.
llvm::Expected<HostTensor> readTensor(InputFile &file, const Vocabulary *vocabulary = nullptr);

/// The element type to which readTensor() converts a tensor of a .safetensors file.
attn_dtype convertedType(const attn_file_tensor &tensor);
/// Reads a tensor of an open .safetensors file; `path` is for messages.
llvm::Expected<HostTensor> readTensor(const std::string &path, const attn_safetensors *file,
                                      const attn_file_tensor &tensor);

/// Writes named tensors to `path`: any number to .safetensors, one tensor to .npy or .txt, and with `vocabulary` to
/// .words or .labels. The file is replaced atomically.
llvm::Error writeTensors(const std::string &path, const std::vector<std::pair<std::string, HostTensor>> &tensors,
                         const Vocabulary *vocabulary = nullptr);

} // namespace attnc

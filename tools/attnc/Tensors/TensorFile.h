//===- TensorFile.h - tensors in files: .npy, .safetensors and .txt -------------------------------------------===//
//
// .npy is NumPy's format, version 1 to 3 (numpy.lib.format): little-endian, C order. Element types are converted to
// those of models where nothing is lost but precision: f8, f2 to f32; i8, i2, i1, u1, u2 to i32; a number that an i32
// or an f32 can't hold is an error. A .txt holds lines of characters (TextFile.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "attn/run.h"
#include "compiler/Diagnostics/InputFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace attnc {

/// A tensor that owns its elements.
struct HostTensor {
  attn_dtype dtype = ATTN_F32;
  std::vector<int64_t> shape;
  std::vector<char> bytes;

  HostTensor() = default;
  /// Zeros; requires a size that is known to fit.
  HostTensor(attn_dtype dtype, std::vector<int64_t> shape);
  /// Its size in memory, or an error where that is beyond 64 bits.
  static llvm::Expected<int64_t> bytesFor(llvm::StringRef name, attn_dtype dtype, llvm::ArrayRef<int64_t> shape);
  /// Zeros, or why there can be no such tensor.
  static llvm::Expected<HostTensor> create(llvm::StringRef name, attn_dtype dtype, std::vector<int64_t> shape);
  /// An error where there is no memory for so many bytes.
  static llvm::Error checkRoom(llvm::StringRef name, int64_t bytes);
  int64_t count() const;
  float *floats() { return reinterpret_cast<float *>(bytes.data()); }
  const float *floats() const { return reinterpret_cast<const float *>(bytes.data()); }
  int32_t *integers() { return reinterpret_cast<int32_t *>(bytes.data()); }
  const int32_t *integers() const { return reinterpret_cast<const int32_t *>(bytes.data()); }
  /// The element at `index` as a number; to set one rounds it to nearest even.
  double at(int64_t index) const;
  void set(int64_t index, double value);
  /// The same numbers in other elements.
  HostTensor convertedTo(attn_dtype other) const;
  /// The same where every number that is finite stays so; `place` says in the error where it is from.
  llvm::Expected<HostTensor> narrowedTo(attn_dtype other, llvm::StringRef place) const;
  attn_tensor view();
};

/// Reads `path` (.npy or .txt) or `path:name` (a tensor of a .safetensors file; the name may be left out where there is
/// one).
llvm::Expected<HostTensor> readTensor(const std::string &place);
/// The same of a .npy or .txt file that is open.
llvm::Expected<HostTensor> readTensor(InputFile &file);

/// Writes named tensors to `path`: one to .npy or .txt, any number to .safetensors. The file appears whole or not at
/// all.
llvm::Error writeTensors(const std::string &path, const std::vector<std::pair<std::string, HostTensor>> &tensors);

} // namespace attnc

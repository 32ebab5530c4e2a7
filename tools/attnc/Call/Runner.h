//===- Runner.h - threads, weights and arena of calls -------------------------------------------------------------===//
//
// The arena grows to the size of the largest call. A model for a device is called through attn/cuda.h, which manages
// the memory itself.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/attn.h"
#include "attn/cuda.h"
#include "tools/attnc/Tensors/TensorFile.h"

namespace attnc {

class Runner {
public:
  explicit Runner(const attn_model &model) : model(model) {}
  ~Runner();
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;

  /// Starts `threads` threads; 0 means one for each processor.
  llvm::Error start(int64_t threads);
  /// Loads the parameters from a file; if `file` is empty, uses embedded ones, or else draws them from the seed.
  llvm::Error loadWeights(const std::string &file, int32_t flags, uint64_t seed);
  /// Takes ownership of the weights.
  void setWeights(attn_weights *weights);
  /// Grows the arena for calls of an entry point with these dimensions. Does nothing for a device.
  llvm::Error growArena(const attn_entry_info &entry, llvm::ArrayRef<int64_t> dimensions);

  /// The sizes that inputs imply.
  llvm::Expected<std::vector<int64_t>> dimensionsOf(int64_t entry, std::vector<HostTensor> &inputs) const;
  /// Calls an entry point, for whose dimensions the arena is large enough. `tensors` are inputs, then results.
  llvm::Error call(int64_t entry, llvm::ArrayRef<attn_tensor> tensors);
  /// Grows the arena, calls an entry point and returns its results.
  llvm::Expected<std::vector<HostTensor>> run(int64_t entry, std::vector<HostTensor> &inputs);

  const attn_model &model;
  attn_context context = {};

private:
  attn_pool *pool = nullptr;
  attn_cuda *device = nullptr; ///< opened by the first call
};

std::vector<attn_tensor> viewsOf(std::vector<HostTensor> &tensors);

/// The shape of an input or result.
std::vector<int64_t> shapeOf(const attn_tensor_info &info, llvm::ArrayRef<int64_t> dimensions);

} // namespace attnc

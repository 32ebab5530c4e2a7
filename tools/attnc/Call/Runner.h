//===- Runner.h - threads, weights and arena of calls -------------------------------------------------------------===//
//
// The arena grows with the largest call. A model of a device runs on the device, which has its own memory.
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

  /// Starts `threads` threads; 0 is one for each processor.
  llvm::Error start(int64_t threads);
  /// The parameters of a file; without one those inside the object, or else drawn from the seed.
  llvm::Error loadWeights(const std::string &file, int32_t flags, uint64_t seed);
  /// Takes ownership of the weights.
  void setWeights(attn_weights *weights);
  /// Room for calls of an entry point with these dimensions; a device sees to that itself.
  llvm::Error growArena(const attn_entry_info &entry, llvm::ArrayRef<int64_t> dimensions);

  /// The sizes that inputs imply.
  llvm::Expected<std::vector<int64_t>> dimensionsOf(int64_t entry, std::vector<HostTensor> &inputs) const;
  /// Calls an entry point, for whose dimensions there is room. `tensors` are inputs, then results.
  llvm::Error call(int64_t entry, llvm::ArrayRef<attn_tensor> tensors);
  /// The results of an entry point.
  llvm::Expected<std::vector<HostTensor>> run(int64_t entry, std::vector<HostTensor> &inputs);

  const attn_model &model;
  attn_context context = {};

private:
  attn_pool *pool = nullptr;
  attn_cuda *device = nullptr; ///< which the first call opens
};

std::vector<attn_tensor> viewsOf(std::vector<HostTensor> &tensors);

/// The shape of an input or result.
std::vector<int64_t> shapeOf(const attn_tensor_info &info, llvm::ArrayRef<int64_t> dimensions);

} // namespace attnc

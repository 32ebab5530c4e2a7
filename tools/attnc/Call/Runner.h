//===- Runner.h - threads, weights and arena of calls -------------------------------------------------------------===//
//
// A Runner owns what calls of a model share. The arena grows to the size of the largest call. A model for a device is
// called through attn/cuda.h, which manages the memory itself. Methods return the errors of the runtime.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/attn.h"
#include "attn/cuda.h"
#include "tools/attnc/Tensors/TensorFile.h"
#include <optional>

namespace attnc {

class Runner {
public:
  explicit Runner(const attn_model &model) : model(model) {}
  ~Runner();
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;

  /// Starts `threads` threads; 0 means one for each processor. Precedes all other calls.
  llvm::Error start(int64_t threads);
  /// Loads the parameters from `file`, with `flags` of attn_weights_load. If `file` is empty, uses the embedded
  /// parameters; without these, draws the parameters from the seed by their initialisers.
  llvm::Error loadWeights(const std::string &file, int32_t flags, uint64_t seed);
  /// Takes ownership of the weights, and frees the previous ones.
  void setWeights(attn_weights *weights);
  /// Grows the arena for calls of an entry point with these dimensions. Does nothing for a device.
  llvm::Error growArena(const attn_entry_info &entry, llvm::ArrayRef<int64_t> dimensions);

  /// The sizes of an entry point's dimensions, in order, by the shapes of its inputs. Fails if they contradict each
  /// other.
  llvm::Expected<std::vector<int64_t>> dimensionsOf(int64_t entry, std::vector<HostTensor> &inputs) const;
  /// Calls an entry point, for whose dimensions the arena is large enough. `tensors` are inputs, then results.
  llvm::Error call(int64_t entry, llvm::ArrayRef<attn_tensor> tensors);
  /// Grows the arena, calls an entry point and returns its results. States among the inputs are updated in place.
  llvm::Expected<std::vector<HostTensor>> run(int64_t entry, std::vector<HostTensor> &inputs);

  const attn_model &model;
  attn_context context = {};

private:
  attn_pool *pool = nullptr;
  attn_cuda *device = nullptr; ///< opened by the first call
};

/// Tensors for the runtime, which refer to the memory of `tensors`.
std::vector<attn_tensor> viewsOf(std::vector<HostTensor> &tensors);

/// The size if it is a number; null if it depends on dimensions.
std::optional<int64_t> constantSize(const attn_size_info &size);
/// The shape of an input or result of an entry point with these dimensions.
std::vector<int64_t> shapeOf(const attn_tensor_info &info, llvm::ArrayRef<int64_t> dimensions);

} // namespace attnc

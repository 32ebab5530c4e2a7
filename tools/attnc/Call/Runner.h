//===- Runner.h - threads, weights and arena of calls -------------------------------------------------------------===//
//
// A Runner owns the threads, the weights and the arena that calls of a model share. The arena grows to the size of the
// largest call. A model for a device is called through attn/cuda.h, which manages the memory itself; tensors are in
// host memory all the same. Methods return the errors of the runtime. `entry` below is the index of an entry point in
// model.entries.
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
  explicit Runner(const attn_model &model) : model(model) {} ///< `model` must outlive the Runner
  ~Runner();
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;

  /// Creates a pool of `threads` workers, one of which is the calling thread; 0 means one for each processor. Precedes
  /// all other calls.
  llvm::Error start(int64_t threads);
  /// Loads the parameters from `files` (WeightsFiles.h), also from the folders of checkpoints, with `flags` of
  /// attn_weights_load. Other tensors of a checkpoint are not an error, but a warning. A file of packed weights is
  /// mapped (attn/packed.h); an error if there are other files, or if `flags` request the values. Without files,
  /// uses the parameters embedded in the object; without embedded ones, draws the parameters from `seed` by their
  /// initialisers. Does nothing for a model without parameters; a file is then an error. After an error, there are no
  /// weights.
  llvm::Error loadWeights(llvm::ArrayRef<std::string> files, int32_t flags, uint64_t seed);
  /// Takes ownership of `weights`, which may be null, and frees the previous weights. The next call opens a device
  /// again.
  void setWeights(attn_weights *weights);
  /// Grows the arena so that it suffices for calls of an entry point with these dimensions. Does nothing for a device.
  /// An error if its size exceeds 64 bits, or if there is not enough memory; there may be no arena after an error.
  llvm::Error growArena(const attn_entry_info &entry, llvm::ArrayRef<int64_t> dimensions);

  /// The sizes of the entry point's dimensions, in order, by the shapes of `inputs`, which are all inputs. An error if
  /// the shapes do not fit the entry point or contradict each other.
  llvm::Expected<std::vector<int64_t>> dimensionsOf(int64_t entry, std::vector<HostTensor> &inputs) const;
  /// Calls an entry point. `tensors` are all inputs, then all results. The arena must have been grown for their
  /// dimensions.
  llvm::Error call(int64_t entry, llvm::ArrayRef<attn_tensor> tensors);
  /// Grows the arena, calls an entry point and returns new tensors with its results. States among `inputs` are updated
  /// in place.
  llvm::Expected<std::vector<HostTensor>> run(int64_t entry, std::vector<HostTensor> &inputs);

  const attn_model &model;
  attn_context context = {}; ///< executor, weights and arena of the calls; this object owns them

private:
  attn_pool *pool = nullptr;
  attn_cuda *device = nullptr; ///< opened by the first call
};

/// Descriptors for the runtime, which refer to the memory of `tensors` (HostTensor::view).
std::vector<attn_tensor> viewsOf(std::vector<HostTensor> &tensors);

/// The value of `size` if it is a number; null if it depends on dimensions of the entry point.
std::optional<int64_t> constantSize(const attn_size_info &size);
/// The shape of an input or result, where `dimensions` has the sizes of the entry point's dimensions in order.
std::vector<int64_t> shapeOf(const attn_tensor_info &info, llvm::ArrayRef<int64_t> dimensions);

} // namespace attnc

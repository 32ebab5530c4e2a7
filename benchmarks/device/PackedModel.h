//===- PackedModel.h - a model of a packed folder, loaded on a device ---------------------------------------------===//
//
// Owns the shared library that device-pack compiled from a model, its parameters, and the device that runs it. Failures
// throw a std::runtime_error with operation and reason.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/attn.h"
#include "attn/cuda.h"
#include "tools/attnc/Call/DrawnInput.h"
#include <memory>
#include <string>
#include <vector>

namespace attnc::device {

/// Throws a std::runtime_error with the text "`what`: message of `status`" unless `code` is ATTN_OK.
void require(attn_code code, const attn_status &status, const std::string &what);

/// A loaded model. Its table and its device are valid while the object exists.
class PackedModel {
public:
  /// Loads the shared library at the path `library`, whose model table has the name `symbol`. Draws the parameters from
  /// packedSeed (DeviceCheck.h), and opens the device whose number is in ATTN_DEVICE of the environment (0 if unset).
  PackedModel(const std::string &library, const std::string &symbol);

  const attn_model &table() const { return *model; }
  attn_cuda *device() const { return cuda.get(); } ///< for attn_cuda_run(); owned by this object
  /// The index of the entry point `name` in table().entries; throws if there is none.
  int64_t entry(const std::string &name) const;

private:
  struct Close {
    void operator()(void *library) const;
    void operator()(attn_pool *pool) const { attn_pool_destroy(pool); }
    void operator()(attn_weights *weights) const { attn_weights_free(weights); }
    void operator()(attn_cuda *cuda) const { attn_cuda_close(cuda); }
  };
  std::unique_ptr<void, Close> library;
  const attn_model *model = nullptr;
  std::unique_ptr<attn_pool, Close> pool;
  std::unique_ptr<attn_weights, Close> weights;
  std::unique_ptr<attn_cuda, Close> cuda;
};

/// Host memory for a tensor of a call.
struct TensorMemory {
  /// Memory for the input or result `info`. `dimensions` are the sizes of the entry point's dimensions in order.
  TensorMemory(const attn_tensor_info &info, const std::vector<int64_t> &dimensions);
  /// Fills a tensor of f32, i32 or bool with the elements that `attnc run` draws; throws for 16-bit elements.
  void draw(const DrawnInput &input);
  int64_t count() const;          ///< number of elements
  double at(int64_t index) const; ///< the element with this row-major number, converted from any element type

  attn_tensor tensor = {}; ///< descriptor for the runtime, which refers to `bytes`
  std::vector<char> bytes; ///< the elements; initially all bits are one, which is NaN in float types
};

} // namespace attnc::device

//===- PackedModel.h - a model of a packed folder, loaded on a device -------------------------------------------===//
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

/// Throws the status's message unless `code` is ATTN_OK.
void require(attn_code code, const attn_status &status, const std::string &what);

class PackedModel {
public:
  /// Loads the file `library`, whose model table is `symbol`, and opens the device; the parameters are drawn from
  /// packedSeed.
  PackedModel(const std::string &library, const std::string &symbol);

  const attn_model &table() const { return *model; }
  attn_cuda *device() const { return cuda.get(); }
  /// The number of an entry point; throws if there is none of that name.
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
  /// The shape follows from the dimensions of the entry point.
  TensorMemory(const attn_tensor_info &info, const std::vector<int64_t> &dimensions);
  /// Fills a tensor of f32, i32 or bool like `attnc run` fills inputs.
  void draw(const DrawnInput &input);
  int64_t count() const;
  double at(int64_t index) const; ///< converted from any element type

  attn_tensor tensor = {};
  std::vector<char> bytes; ///< initially all bits are one, which is NaN
};

} // namespace attnc::device

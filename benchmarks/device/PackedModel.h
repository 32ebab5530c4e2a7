//===- PackedModel.h - a model from a packed folder, on a device ------------------------------------------------===//
//
// The shared library that device-pack made of a model, its parameters, and the device that runs it. What fails throws a
// std::runtime_error that says what and why.
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
  /// Its parameters are drawn from packedSeed.
  PackedModel(const std::string &library, const std::string &symbol);

  const attn_model &table() const { return *model; }
  attn_cuda *device() const { return cuda.get(); }
  /// Throws where there is none.
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

/// Memory of the host for a tensor of a call.
struct TensorMemory {
  /// Of the shape that the entry point's dimensions give.
  TensorMemory(const attn_tensor_info &info, const std::vector<int64_t> &dimensions);
  /// As `attnc run` fills inputs: of f32, i32 or bool.
  void draw(const DrawnInput &input);
  int64_t count() const;
  double at(int64_t index) const; ///< as a number, whatever the type

  attn_tensor tensor = {};
  std::vector<char> bytes; ///< all ones at first: NaN
};

} // namespace attnc::device

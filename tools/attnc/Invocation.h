//===- Invocation.h - one call of an entry point, put together from the command line --------------------------===//
#pragma once

#include "attn/attn.h"
#include "llvm/Support/Error.h"
#include "tools/attnc/TensorFile.h"
#include <memory>

namespace attnc {

struct InvocationOptions {
  std::string entry;               ///< may be empty where the model has one
  std::vector<std::string> inputs; ///< name=file, name=random, name=random:BOUND, name=zeros, name=iota
  std::vector<std::string> dims;   ///< name=size
  std::string weights;             ///< a .safetensors file; empty: embedded values, else drawn from the seed
  bool allowExtra = false;         ///< tensors of the weights file that the model does not know
  bool fillMissing = false;        ///< inputs that are not named are random (f32) or zero (i32, bool)
  uint64_t seed = 0;
  int64_t threads = 0; ///< 0: one a processor
};

/// Everything a call needs, owned: inputs, results, weights, threads, arena.
class Invocation {
public:
  static llvm::Expected<std::unique_ptr<Invocation>> create(const attn_model &model, const InvocationOptions &options);
  ~Invocation();
  Invocation(const Invocation &) = delete;
  Invocation &operator=(const Invocation &) = delete;

  llvm::Error run();

  const attn_model &model;
  const attn_entry_info *entry = nullptr;
  std::vector<int64_t> dimensions;
  std::vector<HostTensor> tensors; ///< inputs, then results
  attn_context context = {};

private:
  explicit Invocation(const attn_model &model) : model(model) {}
  llvm::Error findEntry(const std::string &name);
  llvm::Error makeInputs(const InvocationOptions &options);
  llvm::Error makeContext(const InvocationOptions &options);
  std::vector<attn_tensor> views();

  int64_t entryNumber = 0;
  attn_pool *pool = nullptr;
  attn_weights *weights = nullptr;
};

} // namespace attnc

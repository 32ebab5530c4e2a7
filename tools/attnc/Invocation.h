//===- Invocation.h - one call of an entry point, put together from the command line --------------------------===//
#pragma once

#include "attn/attn.h"
#include "tools/attnc/InvocationOptions.h"
#include "tools/attnc/TensorFile.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace attnc {

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
  llvm::Error checkSizes() const;
  llvm::Error makeInputs(const InvocationOptions &options);
  llvm::Error readInputs(const InvocationOptions &options, std::vector<std::string> &fillings);
  int64_t boundOf(const attn_tensor_info &input, const InputRanges &ranges) const;
  llvm::Error makeContext(const InvocationOptions &options);
  std::vector<attn_tensor> views();

  int64_t entryNumber = 0;
  attn_pool *pool = nullptr;
  attn_weights *weights = nullptr;
};

} // namespace attnc

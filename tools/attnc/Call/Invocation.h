//===- Invocation.h - one call of an entry point, put together from the command line --------------------------===//
#pragma once

#include "tools/attnc/Call/DrawnInput.h"
#include "tools/attnc/Call/InvocationOptions.h"
#include "tools/attnc/Call/Runner.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace attnc {

/// A parameter, or one of a list of them, as it is now.
struct ParameterNow {
  std::string name; ///< as a file of weights has it
  const attn_parameter_info &info;
  const void *values;
};

/// Everything a call needs, owned: inputs, results, and what it runs with.
class Invocation {
public:
  static llvm::Expected<std::unique_ptr<Invocation>> create(const attn_model &model, const InvocationOptions &options);

  llvm::Error run();

  /// The elements that an input has without a file, unless it is a state, which has zeros.
  DrawnInput drawnInput(int32_t number, const InvocationOptions &options) const;

  /// Those that there are: a file of weights for inference lacks the states of training, and without
  /// InvocationOptions::keepsParameters what kernels read packed alone is given up.
  std::vector<ParameterNow> parameters() const;

  const attn_model &model;
  const attn_entry_info *entry = nullptr;
  std::vector<int64_t> dimensions;
  std::vector<HostTensor> tensors; ///< inputs, then results
  Runner runner;

private:
  explicit Invocation(const attn_model &model) : model(model), runner(model) {}
  llvm::Error findEntry(const std::string &name);
  llvm::Error checkSizes() const;
  llvm::Error makeInputs(const InvocationOptions &options);
  llvm::Error readInputs(const InvocationOptions &options, std::vector<std::string> &fillings);
  int64_t boundOf(const attn_tensor_info &input, const InputRanges &ranges) const;
  llvm::Error makeContext(const InvocationOptions &options);

  int64_t entryNumber = 0;
};

} // namespace attnc

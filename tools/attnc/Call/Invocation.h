//===- Invocation.h - one call of an entry point, by the options of the command line --------------------------===//
#pragma once

#include "tools/attnc/Call/DrawnInput.h"
#include "tools/attnc/Call/InvocationOptions.h"
#include "tools/attnc/Call/Runner.h"
#include "tools/attnc/Tensors/Vocabularies.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace attnc {

/// The current value of a parameter, or of one element of a list of parameters.
struct ParameterNow {
  std::string name; ///< checkpoint name
  const attn_parameter_info &info;
  const void *values; ///< elements of the type and shape in `info`; valid until the weights change
};

/// Owns the data of a call: inputs, results, weights, arena and threads.
class Invocation {
public:
  /// Chooses the entry point, reads or fills its inputs, determines the dimensions, starts threads, loads weights,
  /// and allocates results and arena. Fails if an option is wrong, or a size remains unknown.
  static llvm::Expected<std::unique_ptr<Invocation>> create(const attn_model &model, const InvocationOptions &options);

  /// Calls the entry point, which writes the results and updates states among the inputs.
  llvm::Error run();

  /// The random elements of an input without a file. (A state without a file is zero.)
  DrawnInput drawnInput(int32_t number, const InvocationOptions &options) const;

  /// The parameters that are in memory. States of training are missing if the weights file lacks them; parameters that
  /// kernels read only packed are missing without InvocationOptions::keepsParameters.
  std::vector<ParameterNow> parameters() const;

  const attn_model &model;
  const attn_entry_info *entry = nullptr;
  std::vector<int64_t> dimensions; ///< in the order of the entry point's dimensions
  std::vector<HostTensor> tensors; ///< inputs, then results
  Runner runner;
  Vocabularies vocabularies; ///< of words and labels among inputs and results

private:
  explicit Invocation(const attn_model &model) : model(model), runner(model) {}
  llvm::Error findEntry(const std::string &name);
  llvm::Error checkSizes() const;
  llvm::Error setDimensions(llvm::ArrayRef<std::string> options);
  llvm::Error makeInputs(const InvocationOptions &options);
  int64_t boundOf(const attn_tensor_info &input, const InputRanges &ranges) const;
  llvm::Error makeContext(const InvocationOptions &options);

  int64_t entryNumber = 0;
};

} // namespace attnc

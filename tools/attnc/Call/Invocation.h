//===- Invocation.h - one call of an entry point, by the options of the command line ------------------------------===//
#pragma once

#include "tools/attnc/Call/DrawnInput.h"
#include "tools/attnc/Call/InvocationOptions.h"
#include "tools/attnc/Call/Runner.h"
#include "tools/attnc/Tensors/Vocabularies.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace attnc {

/// The current value of a parameter; for a list of parameters (of a list of modules), the value of one element.
struct ParameterNow {
  std::string name;                ///< name in checkpoints, with the list index: "blocks.0.norm1.gain"
  const attn_parameter_info &info; ///< of the parameter, in the model's table
  const void *values; ///< elements of the type and shape in `info`, owned by the runner; valid until the weights change
};

/// Owns the data of calls of one entry point: inputs, results, weights, arena and threads.
class Invocation {
public:
  /// Chooses the entry point, reads or fills its inputs, determines the dimensions, starts threads, loads weights, and
  /// allocates results and arena. An error if an option is wrong, an input is missing, a size remains unknown or is out
  /// of its bounds, the weights cannot be loaded, or there is not enough memory. `model` must outlive the result.
  static llvm::Expected<std::unique_ptr<Invocation>> create(const attn_model &model, const InvocationOptions &options);

  /// Calls the entry point, which writes the results and updates parameters, and states among the inputs. May be called
  /// repeatedly.
  llvm::Error run();

  /// The distribution of the elements that create() gives input `number` if its value is `random`, or if it has no
  /// value and is not a state. (A state without values is zero.) Integers without a known limit are below 4. `options`
  /// are those of create().
  DrawnInput drawnInput(int32_t number, const InvocationOptions &options) const;

  /// The parameters that are in memory. States of training are among them only if the weights are random. Parameters
  /// of a file that kernels read only packed are missing without InvocationOptions::keepsParameters.
  std::vector<ParameterNow> parameters() const;

  const attn_model &model;
  const attn_entry_info *entry = nullptr; ///< the called entry point, in the model's table
  std::vector<int64_t> dimensions;        ///< sizes, in the order of the entry point's dimensions
  std::vector<HostTensor> tensors;        ///< inputs, then results, as in entry->tensors
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

  int64_t entryNumber = 0; ///< index of `entry` in model.entries
};

} // namespace attnc

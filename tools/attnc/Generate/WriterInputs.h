//===- WriterInputs.h - inputs of decoding loops that the command line sets ---------------------------------------===//
#pragma once

#include "tools/attnc/Call/Runner.h"
#include "tools/attnc/Generate/GenerateOptions.h"
#include "tools/attnc/Tensors/Vocabularies.h"

namespace attnc {

/// Inputs of the sampler, by their options, and inputs by --input, such as the source of an encoder. `isOfLoop` tells
/// which inputs the loop sets.
class WriterInputs {
public:
  WriterInputs(const GenerateOptions &options, const Vocabularies &vocabularies)
      : options(options), vocabularies(vocabularies) {}

  using IsOfLoop = llvm::function_ref<bool(llvm::StringRef input)>;
  /// Reads the inputs of the entry points of the decoding loop `writer`, which is the name in messages. An error if an
  /// option is for an input that they do not have, or if a value is missing or wrong.
  llvm::Error read(llvm::StringRef writer, llvm::ArrayRef<const attn_entry_info *> entries, IsOfLoop isOfLoop);
  /// The value of an input for one row; `seed` is that of random draws.
  llvm::Expected<HostTensor> valueOf(const attn_tensor_info &info, int32_t seed) const;

private:
  bool isOfSampler(const attn_tensor_info &info) const;
  llvm::Error checkChoice(llvm::StringRef writer) const;
  llvm::Error readFiles(const attn_entry_info &entry, llvm::ArrayRef<std::string> files);
  void addLengths();
  llvm::Expected<bool> readText(const std::string &option, std::string &name);

  const GenerateOptions &options;
  const Vocabularies &vocabularies;
  std::vector<const attn_tensor_info *> inputs; ///< those that the loop does not set, each name once
  std::map<std::string, HostTensor> given;      ///< by --input
};

} // namespace attnc

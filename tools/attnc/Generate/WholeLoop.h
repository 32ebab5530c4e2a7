//===- WholeLoop.h - texts that calls of a whole decoding loop continue -------------------------------------------===//
#pragma once

#include "tools/attnc/Generate/Writer.h"

namespace attnc {

class WholeLoop : public Writer {
public:
  WholeLoop(const GenerateOptions &options, const Vocabularies &vocabularies, const attn_model &model, int64_t number)
      : Writer(options, vocabularies, model), number(number) {}
  /// Whether `decode` has made an entry point: its arguments begin with prompts and their lengths, and its results are
  /// tokens and their number.
  static bool isLoop(const attn_entry_info &entry);

protected:
  llvm::Error readInputs() override;
  llvm::Error call(int64_t most, std::vector<int32_t> &written) override;

private:
  const attn_entry_info &entry() const { return model.entries[number]; }
  llvm::Error callLoop();

  int64_t number;
  std::vector<int32_t> waiting; ///< tokens that the last call wrote, and no call() returned
  bool isLast = false;          ///< the row ends after the waiting tokens
};

} // namespace attnc

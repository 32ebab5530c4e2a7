//===- ResumedLoop.h - texts that calls of a resumed decoding loop continue ---------------------------------------===//
//
// The states of one text are kept. Their capacity grows to the double size when they are full, up to the bound of the
// model.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/ResumedNames.h"
#include "tools/attnc/Generate/Writer.h"

namespace attnc {

class ResumedLoop : public Writer {
public:
  /// The model has the entry points of the loop `writer` (ResumedNames.h), and no others.
  ResumedLoop(const GenerateOptions &options, const Vocabularies &vocabularies, const attn_model &model,
              llvm::StringRef writer);

protected:
  llvm::Error readInputs() override;
  llvm::Error call(int64_t most, std::vector<int32_t> &written) override;

  /// The inputs of a call that reads or writes tokens.
  struct Call {
    int64_t entry;
    llvm::ArrayRef<int32_t> tokens; ///< to read
    int64_t length, steps;          ///< positions in the states before the call; decoding steps
  };
  /// Makes the states those of the text without its last token.
  llvm::Error readPrompt();
  /// Writes tokens by the loop; must follow readPrompt().
  llvm::Error writeSteps(int64_t most, std::vector<int32_t> &written);
  llvm::Expected<std::vector<HostTensor>> run(const Call &call);

  std::vector<int32_t> read; ///< the tokens at the positions of the states

private:
  llvm::Error callBegin();
  llvm::Error prefill(llvm::ArrayRef<int32_t> tokens);
  llvm::Expected<HostTensor> inputOf(const attn_tensor_info &info, const Call &call) const;
  llvm::Error makeRoom(const Call &call, std::vector<HostTensor> &values);

  std::string writer;
  int64_t beginEntry, prefillEntry, stepsEntry;  ///< beginEntry is -1 if there is none
  std::map<std::string, HostTensor> begunValues; ///< results of beginEntry
  std::vector<HostTensor> states;
  int64_t capacity = 0; ///< positions for which the states have room
};

} // namespace attnc

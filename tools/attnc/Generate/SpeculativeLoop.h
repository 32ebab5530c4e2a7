//===- SpeculativeLoop.h - speculative decoding -------------------------------------------------------------------===//
//
// A draft proposes tokens, and one call of the model verifies them (speculative decoding, Leviathan et al. 2023): the
// entry point `write.verify` reads the last token of the text and the drafted ones, and chooses the next token after
// each of them, with the draws of the decoding loop. The text goes on with the chosen tokens up to the first one that
// differs from its draft:
//
//   text      .. the            drafts   cat sat on  a
//   chosen    cat sat by ..     written  cat sat by         two drafts accepted
//
// Each token is therefore the one that the decoding loop would choose, up to rounding, at any temperature. The
// published algorithm accepts a draft at random, so that the distribution is that of the model. With the draws of the
// loop, which are those of the draft, too, the text is also that of the model.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Generate/Draft.h"
#include "tools/attnc/Generate/ResumedLoop.h"

namespace attnc {

class SpeculativeLoop : public ResumedLoop {
public:
  /// The model has the entry point that verifies tokens of the loop `writer` (ResumedNames.h).
  SpeculativeLoop(const GenerateOptions &options, const Vocabularies &vocabularies, const attn_model &model,
                  llvm::StringRef writer, std::unique_ptr<Draft> draft);
  int64_t tokensOfCall() const override { return options.drafts + 1; }

protected:
  llvm::Error call(int64_t most, std::vector<int32_t> &written) override;

private:
  llvm::Error verify(std::vector<int32_t> tokens, std::vector<int32_t> &written);

  int64_t verifyEntry;
  std::unique_ptr<Draft> draft;
};

} // namespace attnc

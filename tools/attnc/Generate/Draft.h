//===- Draft.h - proposals of tokens that continue a text ---------------------------------------------------------===//
//
// A draft proposes the tokens that a model would probably write next, at less cost than the model. SpeculativeLoop.h
// verifies them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Generate/Writer.h"

namespace attnc {

class Draft {
public:
  virtual ~Draft() = default;
  /// Tokens that may follow the text of `writer`, at most `most`; none if there is no proposal.
  virtual llvm::Expected<std::vector<int32_t>> propose(const Writer &writer, int64_t most) = 0;
};

/// Proposes the tokens that followed the last earlier place of the text with the same last tokens: three of them, or
/// else two, or one (prompt lookup).
class RepeatedText : public Draft {
public:
  llvm::Expected<std::vector<int32_t>> propose(const Writer &writer, int64_t most) override;
};

/// Proposes the tokens that a smaller model writes, with the same draws. The models may have room for different numbers
/// of tokens (SourceOptions::tokensOfWriter): a text that the smaller one can't read has no proposal, and a proposal
/// ends in front of a token that the other one can't read.
class DraftModel : public Draft {
public:
  DraftModel(std::unique_ptr<Writer> writer, int64_t room, int64_t roomOfOther)
      : writer(std::move(writer)), room(room), roomOfOther(roomOfOther) {}
  llvm::Expected<std::vector<int32_t>> propose(const Writer &writer, int64_t most) override;

private:
  std::unique_ptr<Writer> writer; ///< of the smaller model
  int64_t room, roomOfOther;
};

} // namespace attnc

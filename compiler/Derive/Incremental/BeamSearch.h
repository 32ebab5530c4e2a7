//===- BeamSearch.h - writer of the decoding loop of a beam search ------------------------------------------------===//
//
// A beam is a candidate text. With n beams for each of the `batch` rows of the prompt, `next` (Incremental.h) runs on
// batch * n rows, and the sampler on tensors of shape [batch, n, ...]. The beams of a row start as copies of the row's
// prompt; all but the first have the score -inf. In each decoding step, the sampler chooses n continuations for each
// row: a parent beam and a token for each new beam. The entry point returns the tokens and the length of the beam of
// each row with the highest score, the first one among equal scores.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/DecodeEntry.h"

namespace attnc {

class BeamSearch : TensorWriter {
public:
  /// `entry`, whose `beams` is not null and whose create() has succeeded, must outlive this object.
  explicit BeamSearch(DecodeEntry &entry) : TensorWriter(entry), entry(entry) {}
  /// Writes the loop and the return of the entry point. `caches` are the caches after prefill, with batch rows; row b
  /// holds first[b] positions (`first` is i32[batch]). Fails with an error if an argument of `next` cannot be repeated
  /// for beams: it has a dimension that is computed from the number of rows.
  llvm::LogicalResult write(ValueRange caches, Value first);

private:
  /// Loop-carried values: token i32[batch * n, 1] and position i32[batch * n]; for each row and beam, 1 if it has ended
  /// (i32[batch, n]), its tokens (i32[batch, n, at_most]), length (i32[batch, n]) and score (f32[batch, n]); the number
  /// of the decoding step (i32 of rank 0); and the caches, with batch * n rows.
  struct State {
    Value token, position, ended, tokens, length, score, stepNumber;
    Values caches;
    Values all() const;
    static State unpack(ValueRange values);
  };
  /// Results of the sampler, of shape [batch, n], for each new beam: its score (f32), the number of its parent among
  /// the n beams of the row (i32), and its token (i32).
  struct Selection {
    Value score, parent, token;
  };
  llvm::LogicalResult repeatOtherArguments();
  State start(ValueRange caches, Value first);
  State step(const State &before);
  Selection choose(const State &before, Value logits);
  void returnBest(const State &end);
  std::optional<unsigned> rowDimension(mlir::ArrayAttr shape);
  llvm::SmallVector<unsigned> cacheRowDimensions();
  Value beamCount() { return constant(*entry.beams); }
  Value splitBeams(Value tensor, unsigned dimension);
  Value mergeBeams(Value tensor, unsigned dimension);
  Value repeatForBeams(Value tensor, unsigned dimension);
  Value gatherParents(Value tensor, unsigned dimension, Value parent);

  DecodeEntry &entry;
};

} // namespace attnc

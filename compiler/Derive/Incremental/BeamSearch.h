//===- BeamSearch.h - writer of the decoding loop of a beam search ------------------------------------------------===//
//
// With n beams for each row of the prompt, `next` (Incremental.h) has batch * n rows, and the sampler works on
// [batch, n]. Beams of a row start as copies of its prompt; in each decoding step the sampler chooses a parent and a
// token for each beam.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/DecodeEntry.h"

namespace attnc {

class BeamSearch : TensorWriter {
public:
  explicit BeamSearch(DecodeEntry &entry) : TensorWriter(entry), entry(entry) {}
  /// Writes the loop and the return. `caches` are those after prefill, with batch rows; `first` (i32[batch]) is the
  /// number of their positions. Fails with an error if an argument of next cannot be repeated for beams.
  llvm::LogicalResult write(ValueRange caches, Value first);

private:
  /// Loop-carried values: token i32[batch * n, 1] and position i32[batch * n]; for each row and beam [batch, n],
  /// whether it has ended (i32), its tokens (i32[batch, n, at_most]), length (i32) and score (f32); the number of the
  /// decoding step (i32); and the caches, with batch * n rows.
  struct State {
    Value token, position, ended, tokens, length, score, stepNumber;
    Values caches;
    Values all() const;
    static State unpack(ValueRange values);
  };
  /// Result of the sampler: for each new beam [batch, n] its score, the number of its parent in the row, and its token.
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

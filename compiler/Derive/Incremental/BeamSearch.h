//===- BeamSearch.h - writer of the decoding loop of a beam search ------------------------------------------------===//
//
// next has batch * n rows, the sampler [batch, n]. Beams of a row start as copies of its prompt; in each decoding step
// the sampler chooses a parent and a token for each beam.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/DecodeEntry.h"

namespace attnc {

class BeamSearch : TensorWriter {
public:
  explicit BeamSearch(DecodeEntry &entry) : TensorWriter(entry), entry(entry) {}
  llvm::LogicalResult write(ValueRange caches, Value first);

private:
  /// Loop-carried values, for each row and beam.
  struct State {
    Value token, position, ended, tokens, length, score, stepNumber;
    Values caches;
    Values all() const;
    static State unpack(ValueRange values);
  };
  /// Result of the sampler.
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

//===- TiledBlocks.h - FlashAttention-2, backward, for one batch and a range of its keys --------------------------===//
//
// The loops over blocks of keys and rows in a phase of TiledGradient.h, which explains the symbols:
//
//   for each row i:   nl, nd                                         RowTerms
//   for each block of keys:
//     Kt = scale K, Vt = s V                                         KeyPanels
//     for each block of rows that may keep a pair:                   AttendMask
//       P, dS                                                        ScoreGradients
//       dV += P' dO,   dK += dS' Q,   dQ += dS K                     GradientSums
//
// (Dao: FlashAttention-2, 2023, with keys in the outer loop and one kernel for all five products.) For an additive
// score, AdditiveGradient takes the place of the products with panels. TiledGradient.cpp uses this class.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/GradientSums.h"
#include "compiler/Codegen/CPU/AttendGradient/Tiled/RowTerms.h"
#include "compiler/Codegen/CPU/AttendGradient/Tiled/ScoreGradients.h"

namespace attnc {

class TiledBlocks : TiledContext {
public:
  /// Allocates its tiles in the phase's scratch. `results` has one entry for each additive score. The object refers to
  /// all arguments.
  TiledBlocks(const TiledContext &context, const MatrixRows &matrices, const ElementGradients &elements,
              const PartialSums &partial, const SplitRowSums &rowSums, const std::vector<AdditiveResults> &results,
              const KeySplit &split, PairTerms &terms);

  /// Emits the computation of the open batch and the keys of `split`, which adds all gradients to the results and
  /// partial sums. Called inside GradientPhase::forEachBatch().
  void compute();

private:
  using Value = mlir::Value;
  void computeKeys(Value firstKey);
  void visit(const PairBlock &block);
  void computeBlock(const PairBlock &block);

  const KeySplit &split;
  PairTerms &terms;
  GradientTiles tiles;
  TrimmedTiles trimmed;
  KeyPanels panels;
  RowTerms rowTerms;
  std::vector<AdditiveGradient> additive;
  ScoreGradients scores;
  GradientSums sums;
};

} // namespace attnc

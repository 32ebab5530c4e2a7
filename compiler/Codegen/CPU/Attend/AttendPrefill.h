//===- AttendPrefill.h - prefill algorithm of attention: many queries ---------------------------------------------===//
//
// The prefill algorithm is FlashAttention-2 (Prefill/PrefillTile.h) for tiles of tileQ() queries. A chunk is one tile
// of queries of one batch. Under a dilated mask, a tile has queries of one residue class of the batch (PrefillBatch.h).
// If `key_sums` is a result, a chunk is every n-th tile of a batch (AttendKeySums.h). AttendEmitter.cpp creates the
// phases.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendKeySums.h"
#include "compiler/Codegen/CPU/Attend/Prefill/PrefillTile.h"

namespace attnc {

/// One kernel phase of the prefill algorithm. A kernel has one phase for the queries of whole tiles. If the schedule
/// has a tail, a second phase computes the remaining queries in smaller tiles (AttendPart).
class AttendPrefill {
public:
  /// Opens the phase's function `symbol` in `code`. The phase computes the queries of `part` in tiles of
  /// schedule.tileQ() queries. If `key_sums` is a result, `part` must have all queries. The object refers to `problem`,
  /// `schedule` and `target`.
  AttendPrefill(const AttendProblem &problem, const AttendSchedule &schedule, const AttendPart &part,
                const Target &target, llvm::StringRef symbol, mlir::ModuleOp code);

  /// Emits the body of the function. Called once.
  void emit();
  SizeExpr chunks() const;
  /// Bytes of a worker's scratch. Valid after emit().
  SizeExpr workerBytes() const { return scratch.bytes; }

private:
  using Value = mlir::Value;
  bool sumsKeys() const { return problem.yields(mlir::attn::Statistic::KeySums); }
  KeySumPart clearKeySums(const PrefillBatch &batch);
  void emitTile(PrefillBatch &batch, const KeySumPart &keySums, Value number, const QueryTile::Next &next);

  const AttendProblem &problem;
  const AttendSchedule &schedule;
  const AttendPart part;
  KernelFrame frame;
  FlatBuilder loops;
  AttendScratch scratch;
  AttendMask mask;
  const PrefillTraits traits;
  const PrefillContext context;
};

} // namespace attnc

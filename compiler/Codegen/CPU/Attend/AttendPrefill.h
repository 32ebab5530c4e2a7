//===- AttendPrefill.h - the prefill algorithm: attention of many queries -------------------------------------===//
//
// One chunk is one tile of queries of one batch or, under a dilated mask, of one residue class of it (PrefillBatch.h);
// PrefillTile.h has its algorithm, FlashAttention-2. With `key_sums`, a chunk is every n-th tile of a batch
// (AttendKeySums.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendKeySums.h"
#include "compiler/Codegen/CPU/Attend/Prefill/PrefillTile.h"

namespace attnc {

/// One kernel phase. A kernel has one for whole tiles and, if there is a remainder, one with a smaller tile for it
/// (AttendPart).
class AttendPrefill {
public:
  /// The phase computes the queries of `part` in tiles of schedule.tileQ(). With `key_sums`, `part` must have all
  /// queries.
  AttendPrefill(const AttendProblem &problem, const AttendSchedule &schedule, const AttendPart &part,
                const Target &target, llvm::StringRef symbol, mlir::ModuleOp code);

  /// Emits the phase's function, `symbol`, into `code`.
  void emit();
  SizeExpr chunks() const;
  /// Valid after emit().
  SizeExpr workerBytes() const { return scratch.bytes; }

private:
  using Value = mlir::Value;
  bool sumsKeys() const { return problem.yields(mlir::attn::Statistic::KeySums); }
  KeySumPart clearKeySums(const PrefillBatch &batch);
  void emitTile(PrefillBatch &batch, const KeySumPart &keySums, Value number);

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

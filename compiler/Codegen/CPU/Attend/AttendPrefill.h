//===- AttendPrefill.h - the prefill algorithm: attention of many queries -------------------------------------===//
//
// One chunk is one block of queries of one batch, or of one residue class of it; PrefillTile.h has its algorithm,
// FlashAttention-2. With `key_sums`, a chunk is a part of a batch's blocks instead (AttendKeySums.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendKeySums.h"
#include "compiler/Codegen/CPU/Attend/Prefill/PrefillTile.h"

namespace attnc {

/// One kernel phase.
class AttendPrefill {
public:
  /// The phase computes the queries of `part`, which must be all with `key_sums`, in tiles of schedule.tileQ().
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
  LoopBuilder loops;
  AttendScratch scratch;
  AttendMask mask;
  const PrefillTraits traits;
  const PrefillContext context;
};

} // namespace attnc

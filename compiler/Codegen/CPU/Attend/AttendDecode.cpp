#include "compiler/Codegen/CPU/Attend/AttendDecode.h"
#include "compiler/Codegen/CPU/Attend/Decode/DecodeContext.h"

using namespace mlir;
using attnc::SizeExpr;

namespace attnc {

Verdict canDecode(const AttendProblem &problem) {
  attn::AttendOp op = problem.op;
  if (Verdict merge = canMergePartials(problem); !merge)
    return merge;
  for (const PairReduction &product : problem.products)
    if (attn::ReduceOp(product.op).getSizes().size() != 1)
      return Verdict::no("a product has several feature indices");
  if (op.getNumKeys() != 1 || op.getNumValues() != 1)
    return Verdict::no("it has several key or value indices");
  std::string few = "keys are split for up to " + std::to_string(mostDecodeRows) + " queries that share them";
  if (!problem.rows.isConstant())
    return Verdict::no(few + ", and their number is known only at run time");
  if (int64_t queries = problem.rows.constant() * problem.group; queries > mostDecodeRows)
    return Verdict::no(few + ", found " + std::to_string(queries));
  return Verdict::yes();
}

DecodeShape::DecodeShape(const AttendProblem &problem, const AttendSchedule &schedule)
    : rows(problem.rows.constant() * problem.group), batches(1),
      splits(SizeExpr::max(1, problem.keys.ceilDiv(schedule.splitKv))),
      partialSize(problem.values.alignTo(schedule.lanes) + SizeExpr(schedule.lanes)), partialHead(schedule.lanes) {
  for (unsigned dimension : problem.batchDims) {
    const SizeExpr &size = problem.outerSizes[dimension];
    batches = batches * (dimension == problem.groupDim ? size.ceilDiv(problem.group) : size);
  }
  int64_t number = (rows + 3) / 4;
  for (int64_t tile = 0, first = 0; tile < number; ++tile) {
    int64_t count = (rows - first) / (number - tile);
    rowTiles.push_back({first, count});
    largestTile = std::max(largestTile, count);
    first += count;
  }
}

void emitDecode(const AttendProblem &problem, const AttendSchedule &schedule, const Target &target,
                const std::string &symbol, ModuleOp code, KernelCode &result) {
  DecodeShape shape(problem, schedule);
  auto emitPhase = [&](const std::string &name, const SizeExpr &chunks, auto emit) {
    KernelFrame frame(problem.kernel, name, code);
    LoopBuilder loops(frame.builder, frame.location, schedule.lanes);
    emit(DecodeContext{problem, schedule, shape, target, frame, loops});
    result.phases.push_back({name, chunks});
  };
  emitPhase(symbol, shape.batches * shape.splits, [&](const DecodeContext &context) {
    AttendScratch scratch(context.frame);
    emitSplit(context, scratch);
    result.workerBytes = SizeExpr::max(result.workerBytes, scratch.bytes);
  });
  emitPhase(symbol + ".merge", shape.batches, emitMerge);
  result.sharedBytes = shape.sharedBytes();
}

} // namespace attnc

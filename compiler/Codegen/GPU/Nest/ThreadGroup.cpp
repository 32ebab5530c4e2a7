#include "compiler/Codegen/GPU/Nest/ThreadGroup.h"
#include "compiler/Codegen/GPU/Nest/SharedArray.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

ThreadGroup::ThreadGroup(Kind kind, ThreadPosition given, OpBuilder &builder, Location location)
    : kind(kind), position(std::move(given)), b(builder), loc(location) {
  number = position.block;
  rank = position.thread;
  if (kind == Kind::Block)
    return;
  rank = b.createOrFold<arith::RemUIOp>(loc, position.thread, constant(warpThreads));
  Value first = b.createOrFold<arith::MulIOp>(loc, position.block, constant(perBlock()));
  Value warp = b.createOrFold<arith::DivUIOp>(loc, position.thread, constant(warpThreads));
  number = b.createOrFold<arith::AddIOp>(loc, first, warp);
}

Value ThreadGroup::constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

bool ThreadGroup::canCombine(const SweepReduction &reduction) {
  return reduction.element.isF32() || reduction.element.isInteger(32) || reduction.element.isInteger(1);
}

SmallVector<Value> ThreadGroup::neutral(int64_t lanes, ArrayRef<SweepReduction> reductions) {
  return llvm::map_to_vector(reductions, [&](const SweepReduction &each) {
    Type type = lanes == 1 ? each.element : Type(VectorType::get({lanes}, each.element));
    return neutralElement(b, loc, each.kind, type);
  });
}

SmallVector<Value> ThreadGroup::accumulate(Value end, int64_t lanes, ArrayRef<SweepReduction> reductions,
                                           ValueRange carried,
                                           llvm::function_ref<SmallVector<Value>(const LanePoint &)> body) {
  Value accesses = b.createOrFold<arith::DivUIOp>(loc, end, constant(lanes));
  return loop(b, loc, rank, accesses, size(), carried, [&](Value access, ValueRange before) {
    Value at = b.createOrFold<arith::MulIOp>(loc, access, constant(lanes));
    SmallVector<Value> after;
    for (auto [reduction, term, value] :
         llvm::zip_equal(reductions, body({{at, lanes == 1 ? 0 : 1, {}, true}, {}}), before)) {
      if (lanes > 1 && !isa<VectorType>(term.getType()))
        term = vector::BroadcastOp::create(b, loc, value.getType(), term);
      after.push_back(attnc::combine(b, loc, reduction.kind, value, term));
    }
    return after;
  });
}

SmallVector<Value> ThreadGroup::sweep(Value end, int64_t lanes, ArrayRef<SweepReduction> reductions,
                                      llvm::function_ref<SmallVector<Value>(const LanePoint &)> body) {
  return combine(reductions, accumulate(end, lanes, reductions, neutral(lanes, reductions), body));
}

SmallVector<Value> ThreadGroup::combine(ArrayRef<SweepReduction> reductions, ValueRange partial) {
  SmallVector<Value> warpValues;
  for (auto [reduction, value] : llvm::zip_equal(reductions, partial)) {
    Value scalar = isa<VectorType>(value.getType()) ? combineLanes(b, loc, reduction.kind, value) : value;
    warpValues.push_back(combineInWarp(reduction, scalar));
  }
  return kind == Kind::Warp || reductions.empty() ? warpValues : combineWarps(reductions, warpValues);
}

Value ThreadGroup::shuffle(NVVM::ShflKind how, Value value, int32_t with) {
  auto number = [&](int32_t value) { return arith::ConstantIntOp::create(b, loc, value, 32); };
  bool isTruth = value.getType().isInteger(1); // shuffled as i32
  Value word = isTruth ? arith::ExtUIOp::create(b, loc, b.getI32Type(), value) : value;
  word = NVVM::ShflOp::create(b, loc, word.getType(), number(-1), word, number(with), number(warpThreads - 1), how,
                              UnitAttr());
  return isTruth ? arith::TruncIOp::create(b, loc, value.getType(), word) : word;
}

Value ThreadGroup::broadcast(int32_t rank, Value value) { return shuffle(NVVM::ShflKind::idx, value, rank); }

/// A butterfly of shuffles; then a broadcast from the first thread, as the sign of a zero maximum may differ.
Value ThreadGroup::combineInWarp(const SweepReduction &reduction, Value value) {
  return broadcast(0, combineNeighbours(reduction, value, warpThreads));
}

Value ThreadGroup::combineNeighbours(const SweepReduction &reduction, Value value, int64_t count) {
  for (int64_t distance = count / 2; distance > 0; distance /= 2) {
    Value other = shuffle(NVVM::ShflKind::bfly, value, static_cast<int32_t>(distance));
    value = attnc::combine(b, loc, reduction.kind, value, other);
  }
  return value;
}

SmallVector<Value> ThreadGroup::combineWarps(ArrayRef<SweepReduction> reductions, ValueRange warpValues) {
  int64_t warps = position.threads / warpThreads;
  int64_t count = warps * static_cast<int64_t>(reductions.size());
  // Each reduction has an array of its own, so no barrier is needed before the writes.
  SharedArray partials(position, "partials" + std::to_string(numPartials++), count, b, loc);
  auto slotOf = [&](size_t reduction, Value warp) -> Value {
    return arith::AddIOp::create(b, loc, warp, constant(static_cast<int64_t>(reduction) * warps));
  };
  Value zero = constant(0), lane = b.createOrFold<arith::RemUIOp>(loc, position.thread, constant(warpThreads));
  Value warp = b.createOrFold<arith::DivUIOp>(loc, position.thread, constant(warpThreads));
  Value leads = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane, zero);
  auto branch = scf::IfOp::create(b, loc, leads, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    for (auto [number, value] : llvm::enumerate(warpValues))
      partials.store(value, slotOf(number, warp));
  }
  sync();
  SmallVector<Value> folded;
  for (auto [number, reduction] : llvm::enumerate(reductions)) {
    Value sum;
    for (int64_t each = 0; each < warps; ++each) {
      Value partial = partials.load(reduction.element, slotOf(number, constant(each)));
      sum = sum ? attnc::combine(b, loc, reduction.kind, sum, partial) : partial;
    }
    folded.push_back(sum);
  }
  return folded;
}

void ThreadGroup::sync() {
  if (kind == Kind::Block)
    NVVM::Barrier0Op::create(b, loc);
  else
    NVVM::SyncWarpOp::create(b, loc, arith::ConstantIntOp::create(b, loc, -1, 32));
}

void ThreadGroup::onFirstThread(llvm::function_ref<void()> then) {
  Value leads = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rank, constant(0));
  auto branch = scf::IfOp::create(b, loc, leads, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  then();
}

} // namespace attnc

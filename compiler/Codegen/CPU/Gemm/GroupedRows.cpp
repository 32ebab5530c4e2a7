#include "compiler/Codegen/CPU/Gemm/GroupedRows.h"
#include "compiler/Codegen/Target/Abi.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace attnc {

/// The elements of `bounds`: E + 1, and one more, because the sort counts the rows of matrix e in bounds[e + 2].
static SizeExpr boundsLength(const GemmProblem &problem) { return problem.extent(LoopGroup::Batch) + SizeExpr(2); }

SizeExpr GroupedRows::mostFilled(const GemmProblem &problem) {
  return SizeExpr::min(problem.extent(LoopGroup::Batch), problem.extent(problem.selecting));
}

SizeExpr GroupedRows::sharedBytes(const GemmProblem &problem) {
  SizeExpr numbers = boundsLength(problem) + problem.extent(problem.selecting) + mostFilled(problem);
  return (numbers * SizeExpr(4)).alignTo(scratchAlignment);
}

GroupedRows::GroupedRows(const GemmContext &context) : GemmContext(context) {
  auto numbers = MemRefType::get({ShapedType::kDynamic}, code.builder.getI32Type());
  SizeExpr length = boundsLength(problem);
  bounds = frame.shared(0, numbers, {frame.size(length)});
  order = frame.shared(frame.size(length * SizeExpr(4)), numbers, {extent(problem.selecting)});
  SizeExpr before = length + problem.extent(problem.selecting);
  filled = frame.shared(frame.size(before * SizeExpr(4)), numbers, {frame.size(mostFilled(problem))});
}

Value GroupedRows::load(Value buffer, Value at) const {
  return arith::IndexCastOp::create(code.builder, code.location, code.builder.getIndexType(),
                                    code.loadScalar(buffer, {at}));
}

void GroupedRows::store(Value index, Value buffer, Value at) const {
  code.storeScalar(arith::IndexCastOp::create(code.builder, code.location, code.builder.getI32Type(), index), buffer,
                   {at});
}

Value GroupedRows::bound(Value matrix) const { return load(bounds, matrix); }

Value GroupedRows::count(Value matrix) const { return code.sub(bound(code.add(matrix, 1)), bound(matrix)); }

Value GroupedRows::row(Value place) const { return load(order, place); }

Value GroupedRows::filledCount() const { return bound(code.add(extent(LoopGroup::Batch), 1)); }

Value GroupedRows::filledMatrix(Value number) const { return load(filled, number); }

void GroupedRows::eachRow(llvm::function_ref<void(Value, Value)> body, bool reports) const {
  Value selector = code.flat(frame.buffer(problem.selector->tensor));
  Value matrices = extent(LoopGroup::Batch);
  code.loop(code.constant(0), extent(problem.selecting), 1, [&](Value row) {
    Value matrix = load(selector, offset(*problem.selector, problem.selecting, row));
    Value isInside = code.compare(arith::CmpIPredicate::ult, matrix, matrices);
    code.branch(
        isInside, [&] { body(row, matrix); },
        [&] {
          if (!reports)
            return;
          Value fault =
              arith::ConstantOp::create(code.builder, code.location, code.builder.getI32IntegerAttr(ATTN_OUT_OF_RANGE));
          LLVM::StoreOp::create(code.builder, code.location, fault, frame.status);
        });
  });
}

void GroupedRows::sort() const {
  Value zero = code.constant(0), length = frame.size(boundsLength(problem));
  code.loop(zero, length, 1, [&](Value at) { store(zero, bounds, at); });
  auto increment = [&](Value at) {
    Value before = load(bounds, at);
    store(code.add(before, 1), bounds, at);
    return before;
  };
  eachRow([&](Value, Value matrix) { increment(code.add(matrix, 2)); }, /*reports=*/true);
  code.loop(code.constant(1), length, 1, [&](Value at) {
    store(code.add(load(bounds, at), load(bounds, code.sub(at, code.constant(1)))), bounds, at);
  });
  // bounds[e + 1] is now the first place of matrix e, and becomes the place after its last row.
  eachRow([&](Value row, Value matrix) { store(row, order, increment(code.add(matrix, 1))); }, /*reports=*/false);
  listFilled();
}

void GroupedRows::listFilled() const {
  Value zero = code.constant(0), matrices = extent(LoopGroup::Batch);
  auto counted = code.loop(zero, matrices, 1, ValueRange{zero}, [&](Value matrix, ValueRange found) {
    Value hasRows = code.less(zero, count(matrix));
    code.when(hasRows, [&] { store(matrix, filled, found[0]); });
    return FlatBuilder::Values{code.add(found[0], code.choose(hasRows, code.constant(1), zero))};
  });
  store(counted[0], bounds, code.add(matrices, 1));
}

} // namespace attnc

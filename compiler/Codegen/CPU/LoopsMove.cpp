// Emits a loops kernel that only moves elements: a copy of what slices, reshapes and transposes select, one phase for
// each tensor of a concatenation; transposes in tiles.
#include "compiler/Codegen/CPU/LoopNest.h"
#include "compiler/Codegen/CPU/Loops.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

namespace {

//===------------------------------------------ copies ------------------------------------------------------------===//

/// Copies `source` (computed by ops that select elements) into the kernel's result, from `offset` of dimension
/// `dimension` on.
class CopyEmission {
public:
  CopyEmission(func::FuncOp kernel, Value source, unsigned result, const Target &target, ModuleOp code,
               StringRef symbol)
      : source(source), result(result), frame(kernel, symbol, code), b(frame.builder), loc(frame.location),
        lanes(target.f32Lanes), symbol(symbol) {}

  KernelPhase run(unsigned dimension, const SizeExpr &offset) {
    int64_t rank = cast<RankedTensorType>(source.getType()).getRank();
    SizeExpr outer(1), length(1);
    SmallVector<Value> sizes;
    for (int64_t each = 0; each + 1 < rank; ++each) {
      outer = outer * frame.sizes.dimension(source, each);
      sizes.push_back(frame.size(frame.sizes.dimension(source, each)));
    }
    if (rank > 0)
      length = frame.sizes.dimension(source, rank - 1);
    int64_t perChunk = length.isConstant() ? std::max<int64_t>(32768 / std::max<int64_t>(length.constant(), 1), 1) : 64;
    Value count = arith::ConstantIndexOp::create(b, loc, perChunk);
    Value first = b.createOrFold<arith::MulIOp>(loc, frame.chunk, count);
    Value end = arith::MinSIOp::create(b, loc, arith::AddIOp::create(b, loc, first, count), frame.size(outer));
    loop(b, loc, first, end, 1, {}, [&](Value number, ValueRange) {
      emitRow(subscriptsOf(b, loc, number, sizes), rank, length, dimension, frame.size(offset));
      return SmallVector<Value>();
    });
    return {symbol.str(), outer.ceilDiv(perChunk)};
  }

  const KernelSizes &sizes() const { return frame.sizes; }

private:
  void emitRow(SmallVector<LaneIndex> at, int64_t rank, const SizeExpr &length, unsigned dimension, Value offset) {
    RegionVectoriser outside(b, loc, lanes);
    frame.bindTo(outside);
    if (rank == 0)
      return outside.store(outside.load(source, {}), frame.result(result), {});
    auto known = length.isConstant() ? std::optional(length.constant()) : std::nullopt;
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    sweep(b, loc, zero, frame.size(length), {lanes, 2, known}, {}, [&](ArrayRef<LanePoint> points) {
      for (const LanePoint &point : points) {
        RegionVectoriser vectoriser = outside;
        if (point.active)
          vectoriser.setActiveLanes(point.active);
        SmallVector<LaneIndex> subscripts = at;
        subscripts.push_back(point.index);
        Value value = vectoriser.load(source, subscripts);
        LaneIndex &shifted = subscripts[dimension];
        shifted.base = b.createOrFold<arith::AddIOp>(loc, shifted.base, offset);
        vectoriser.store(value, frame.result(result), subscripts);
      }
      return SmallVector<Value>();
    });
  }

  Value source;
  unsigned result;
  KernelFrame frame;
  OpBuilder &b;
  Location loc;
  int64_t lanes;
  StringRef symbol;
};

//===------------------------------------------ transposes --------------------------------------------------------===//

/// A transpose of 32-bit elements that moves the last dimension: L x L tiles are turned in registers, so that loads and
/// stores are both contiguous. Dimension `across` of the result is the last one of the source.
class TransposeEmission {
public:
  TransposeEmission(func::FuncOp kernel, linalg::TransposeOp op, unsigned result, const Target &target, ModuleOp code,
                    StringRef symbol)
      : op(op), permutation(op.getPermutation()), frame(kernel, symbol, code), b(frame.builder), loc(frame.location),
        lanes(target.f32Lanes), symbol(symbol), source(frame.buffer(op.getInput())), target(frame.result(result)) {
    last = permutation.size() - 1;
    across = llvm::find(permutation, last) - permutation.begin();
  }

  KernelPhase run() {
    SizeExpr outer(1), length = dimension(last), blocks = dimension(across).ceilDiv(lanes);
    SmallVector<Value> sizes;
    for (int64_t each = 0; each < last; ++each)
      if (each != across) {
        outer = outer * dimension(each);
        sizes.push_back(frame.size(dimension(each)));
      }
    int64_t perChunk = length.isConstant() ? std::max<int64_t>(2048 / std::max<int64_t>(length.constant(), 1), 1) : 4;
    SizeExpr all = outer * blocks;
    Value count = constant(perChunk), numBlocks = frame.size(blocks);
    Value first = b.createOrFold<arith::MulIOp>(loc, frame.chunk, count);
    Value end = arith::MinSIOp::create(b, loc, arith::AddIOp::create(b, loc, first, count), frame.size(all));
    loop(b, loc, first, end, 1, {}, [&](Value number, ValueRange) {
      Value block = arith::RemUIOp::create(b, loc, number, numBlocks);
      Value rest = arith::DivUIOp::create(b, loc, number, numBlocks);
      at.assign(last + 1, Value());
      auto outerAt = subscriptsOf(b, loc, rest, sizes);
      for (int64_t each = 0, next = 0; each < last; ++each)
        if (each != across)
          at[each] = outerAt[next++].base;
      emitStrip(arith::MulIOp::create(b, loc, block, constant(lanes)));
      return SmallVector<Value>();
    });
    return {symbol.str(), all.ceilDiv(perChunk)};
  }

private:
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  SizeExpr dimension(int64_t each) { return frame.sizes.dimension(op.getInput(), permutation[each]); }
  Value offset(Value base, int64_t by) { return b.createOrFold<arith::AddIOp>(loc, base, constant(by)); }

  /// L rows of the result, from `top` on.
  void emitStrip(Value top) {
    Value height = arith::SubIOp::create(b, loc, frame.size(dimension(across)), top),
          length = frame.size(dimension(last));
    loop(b, loc, constant(0), length, lanes, {}, [&](Value left, ValueRange) {
      Value width = arith::SubIOp::create(b, loc, length, left), lesser = arith::MinSIOp::create(b, loc, width, height);
      Value isFull = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, lesser, constant(lanes));
      auto branch = scf::IfOp::create(b, loc, isFull, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      emitTile(top, left, {}, {});
      b.setInsertionPointToStart(branch.elseBlock());
      emitTile(top, left, height, width);
      return SmallVector<Value>();
    });
  }

  /// One tile; at the edges `height` and `width` say how much of it there is.
  void emitTile(Value top, Value left, Value height, Value width) {
    auto element = cast<MemRefType>(source.getType()).getElementType();
    auto row = VectorType::get({lanes}, element), tile = VectorType::get({lanes, lanes}, element);
    auto truths = VectorType::get({lanes}, b.getI1Type());
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(row)),
          matrix = arith::ConstantOp::create(b, loc, b.getZeroAttr(tile));
    auto maskOf = [&](int64_t number, Value rows, Value columns) -> Value {
      Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, constant(number), rows);
      return vector::CreateMaskOp::create(b, loc, truths,
                                          Value(arith::SelectOp::create(b, loc, inside, columns, constant(0))));
    };
    for (int64_t number = 0; number < lanes; ++number) {
      SmallVector<Value> from = sourceAt(top, offset(left, number));
      Value values =
          width ? Value(vector::MaskedLoadOp::create(b, loc, row, source, from, maskOf(number, width, height), zero))
                : Value(vector::LoadOp::create(b, loc, row, source, from));
      matrix = vector::InsertOp::create(b, loc, values, matrix, ArrayRef<int64_t>{number});
    }
    matrix = vector::TransposeOp::create(b, loc, matrix, ArrayRef<int64_t>{1, 0});
    for (int64_t number = 0; number < lanes; ++number) {
      Value values = vector::ExtractOp::create(b, loc, matrix, ArrayRef<int64_t>{number});
      SmallVector<Value> to = at;
      to[across] = offset(top, number);
      to[last] = left;
      if (width)
        vector::MaskedStoreOp::create(b, loc, target, to, maskOf(number, height, width), values);
      else
        vector::StoreOp::create(b, loc, values, target, to);
    }
  }

  SmallVector<Value> sourceAt(Value top, Value left) {
    SmallVector<Value> subscripts(last + 1);
    for (int64_t each = 0; each <= last; ++each)
      subscripts[permutation[each]] = each == across ? top : each == last ? left : at[each];
    return subscripts;
  }

  linalg::TransposeOp op;
  ArrayRef<int64_t> permutation;
  KernelFrame frame;
  OpBuilder &b;
  Location loc;
  int64_t lanes;
  StringRef symbol;
  Value source, target;
  int64_t last, across;
  SmallVector<Value> at; ///< subscripts of the result outside the tile
};

bool isTiled(linalg::TransposeOp op) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  auto type = cast<RankedTensorType>(op.getInput().getType());
  return isa<BlockArgument>(op.getInput()) && permutation.size() > 1 && type.getElementTypeBitWidth() == 32 &&
         permutation.back() != static_cast<int64_t>(permutation.size()) - 1;
}

} // namespace

KernelCode emitMoves(func::FuncOp kernel, const Target &target, ModuleOp code) {
  KernelCode result;
  KernelSizes sizes(kernel);
  auto symbolOf = [&] {
    std::string suffix = result.phases.empty() ? "" : "." + std::to_string(result.phases.size());
    return kernel.getSymName().str() + suffix;
  };
  auto copy = [&](Value source, unsigned number, unsigned dimension, const SizeExpr &offset) {
    std::string symbol = symbolOf();
    result.phases.push_back(CopyEmission(kernel, source, number, target, code, symbol).run(dimension, offset));
  };
  for (auto [number, value] : llvm::enumerate(kernel.getBody().front().getTerminator()->getOperands())) {
    auto concat = value.getDefiningOp<tensor::ConcatOp>();
    auto transpose = value.getDefiningOp<linalg::TransposeOp>();
    if (transpose && isTiled(transpose)) {
      result.phases.push_back(TransposeEmission(kernel, transpose, number, target, code, symbolOf()).run());
    } else if (!concat) {
      copy(value, number, 0, 0);
    } else {
      SizeExpr offset;
      for (Value input : concat.getInputs()) {
        copy(input, number, concat.getDim(), offset);
        offset = offset + sizes.dimension(input, concat.getDim());
      }
    }
  }
  result.cost = {0, sizes.bytesRead(), sizes.bytesWritten()};
  return result;
}

} // namespace attnc

// Emits a loops kernel that only moves elements: a copy of the elements that slices, reshapes and transposes select,
// one phase for each tensor of a concatenation; or one whose results are zeros.
#include "compiler/Codegen/CPU/Loops/Loops.h"
#include "compiler/Codegen/Nest/LoopNest.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

namespace {

/// Elements that a chunk moves.
constexpr int64_t elementsPerChunk = 32768;

//===------------------------------------------ zeros -------------------------------------------------------------===//

/// Whether all bits of the tensor are zero, in any storage type.
bool isZeros(Value tensor) {
  auto fill = tensor.getDefiningOp<linalg::FillOp>();
  return fill && (matchPattern(fill.getInputs()[0], m_PosZeroFloat()) || matchPattern(fill.getInputs()[0], m_Zero()));
}

/// By memset, which writes whole lines without reading them first, if the processor supports it.
KernelPhase emitZeros(func::FuncOp kernel, unsigned result, ModuleOp code, StringRef symbol) {
  KernelFrame frame(kernel, symbol, code);
  OpBuilder &b = frame.builder;
  Location loc = frame.location;
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value).getResult(); };
  SizeExpr elements = frame.sizes.resultElements(result);
  Value first = b.createOrFold<arith::MulIOp>(loc, frame.chunk, index(elementsPerChunk));
  Value left = b.createOrFold<arith::SubIOp>(loc, frame.size(elements), first);
  Value count = b.createOrFold<arith::MinSIOp>(loc, left, index(elementsPerChunk));
  if (elements.isConstant() && elements.constant() <= elementsPerChunk) { // one chunk, and a few stores if it is small
    first = index(0);
    count = index(elements.constant());
  }
  Value buffer = frame.result(result);
  Value width = index(cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8);
  auto toInteger = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), b.createOrFold<arith::MulIOp>(loc, value, width));
  };
  Value begin = arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                           memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer));
  Value address = arith::AddIOp::create(b, loc, begin, toInteger(first));
  Value pointer = LLVM::IntToPtrOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
  Value zero = LLVM::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
  LLVM::MemsetOp::create(b, loc, pointer, zero, toInteger(count), /*isVolatile=*/false);
  return {symbol.str(), elements.ceilDiv(elementsPerChunk)};
}

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
    constexpr int64_t rowsOfUnknownLength = 64;
    int64_t perChunk = length.isConstant() && length.constant() > 0
                           ? std::max<int64_t>(elementsPerChunk / length.constant(), 1)
                           : rowsOfUnknownLength;
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
  for (auto [number, value] : llvm::enumerate(computedResults(kernel))) {
    auto concat = value.getDefiningOp<tensor::ConcatOp>();
    if (isZeros(value)) {
      result.phases.push_back(emitZeros(kernel, number, code, symbolOf()));
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

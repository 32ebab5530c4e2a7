#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "compiler/Codegen/Target/Isa.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

Value FlatBuilder::flat(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.getRank() == 1 && type.getLayout().isIdentity())
    return memref;
  Value elements = constant(1);
  for (int64_t d = 0; d < type.getRank(); ++d)
    elements = mul(elements, type.isDynamicDim(d) ? sizeOf(memref, d) : constant(type.getDimSize(d)));
  auto flatType = MemRefType::get({ShapedType::kDynamic}, type.getElementType());
  return memref::ReinterpretCastOp::create(builder, location, flatType, memref, builder.getIndexAttr(0),
                                           ArrayRef<OpFoldResult>{elements},
                                           ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
}

Value FlatBuilder::dynamic(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  auto dynamicType = MemRefType::get({ShapedType::kDynamic}, type.getElementType());
  return type == dynamicType ? memref : memref::CastOp::create(builder, location, dynamicType, memref).getResult();
}

int64_t FlatBuilder::lineElements(Value memref) {
  return cacheLineBytes * 8 / cast<MemRefType>(memref.getType()).getElementTypeBitWidth();
}

Value FlatBuilder::load(Value memref, Value offset, Value mask) {
  if (!mask)
    return load(memref, ValueRange{offset});
  return loadMasked(mask, memref, ValueRange{offset});
}

void FlatBuilder::store(Value vector, Value memref, Value offset, Value mask) {
  if (!mask)
    return store(vector, memref, ValueRange{offset});
  storeMasked(mask, vector, memref, ValueRange{offset});
}

void FlatBuilder::copy(Value source, Value from, Value target, Value to, Value count) {
  Value whole = mul(div(count, lanes), lanes);
  auto copyVector = [&](Value at, Value mask) { store(load(source, add(from, at), mask), target, add(to, at), mask); };
  loop(constant(0), whole, lanes, [&](Value at) { copyVector(at, Value()); });
  when(less(whole, count), [&] { copyVector(whole, laneMask(sub(count, whole))); });
}

void FlatBuilder::prefetchForWriting(Value memref, Value offset) {
  memref::PrefetchOp::create(builder, location, memref, ValueRange{offset}, /*isWrite=*/true, /*localityHint=*/3,
                             /*isDataCache=*/true);
}

void FlatBuilder::branch(Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise) {
  auto filled = [](llvm::function_ref<void()> body) {
    body();
    return Values();
  };
  select(
      condition, {}, [&] { return filled(then); }, [&] { return filled(otherwise); });
}

void FlatBuilder::dispatch(Value selector, ArrayRef<int64_t> cases, llvm::function_ref<void(int64_t)> body) {
  if (cases.size() == 1)
    return body(cases.front());
  auto select = scf::IndexSwitchOp::create(builder, location, TypeRange(), selector, cases.drop_back(),
                                           static_cast<unsigned>(cases.size() - 1));
  OpBuilder::InsertionGuard guard(builder);
  auto fill = [&](Region &region, int64_t number) {
    builder.setInsertionPointToStart(builder.createBlock(&region));
    body(number);
    scf::YieldOp::create(builder, location);
  };
  for (auto [region, number] : llvm::zip(select.getCaseRegions(), cases.drop_back()))
    fill(region, number);
  fill(select.getDefaultRegion(), cases.back());
}

} // namespace attnc

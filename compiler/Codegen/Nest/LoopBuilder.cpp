#include "compiler/Codegen/Nest/LoopBuilder.h"
#include "compiler/Codegen/Formula/StoredElement.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

//===-------------------------------------------- control flow ------------------------------------------------===//

LoopBuilder::Values LoopBuilder::loop(Value lower, Value upper, Value step, ValueRange carried,
                                      function_ref<Values(Value, ValueRange)> body) {
  auto first = constantOf(lower), end = constantOf(upper), stride = constantOf(step);
  if (first && end && *first >= *end)
    return Values(carried);
  if (first && end && stride && *first + *stride >= *end)
    return body(lower, carried);
  auto op = scf::ForOp::create(builder, location, lower, upper, step, carried,
                               [&](OpBuilder &, Location, Value index, ValueRange arguments) {
                                 OpBuilder::InsertionGuard guard(builder);
                                 builder.setInsertionPointToEnd(index.getParentBlock());
                                 Values next = body(index, arguments);
                                 scf::YieldOp::create(builder, location, next);
                               });
  return Values(op.getResults());
}

void LoopBuilder::loop(Value lower, Value upper, Value step, function_ref<void(Value)> body) {
  loop(lower, upper, step, {}, [&](Value index, ValueRange) {
    body(index);
    return Values();
  });
}

static LoopBuilder::Values nestFrom(LoopBuilder &loops, ValueRange sizes, LoopBuilder::Values &indices,
                                    ValueRange carried,
                                    function_ref<LoopBuilder::Values(ValueRange, ValueRange)> body) {
  if (indices.size() == sizes.size())
    return body(indices, carried);
  return loops.loop(loops.constant(0), sizes[indices.size()], loops.constant(1), carried,
                    [&](Value index, ValueRange arguments) {
                      indices.push_back(index);
                      LoopBuilder::Values next = nestFrom(loops, sizes, indices, arguments, body);
                      indices.pop_back();
                      return next;
                    });
}

LoopBuilder::Values LoopBuilder::nest(ValueRange sizes, ValueRange carried,
                                      function_ref<Values(ValueRange, ValueRange)> body) {
  Values indices;
  return nestFrom(*this, sizes, indices, carried, body);
}

void LoopBuilder::when(Value condition, function_ref<void()> then) {
  if (auto known = constantOf(condition)) {
    if (*known)
      then();
    return;
  }
  auto op = scf::IfOp::create(builder, location, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.thenBlock());
  then();
}

LoopBuilder::Values LoopBuilder::select(Value condition, TypeRange types, function_ref<Values()> then,
                                        function_ref<Values()> otherwise) {
  if (auto known = constantOf(condition))
    return *known ? then() : otherwise();
  auto op = scf::IfOp::create(builder, location, types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  auto fill = [&](Block *block, function_ref<Values()> body) {
    builder.setInsertionPointToStart(block);
    Values results = body();
    if (!types.empty())
      scf::YieldOp::create(builder, location, results);
  };
  fill(op.thenBlock(), then);
  fill(op.elseBlock(), otherwise);
  return Values(op.getResults());
}

//===-------------------------------------------- memory ------------------------------------------------------===//

static Type elementOf(Value memref) { return cast<MemRefType>(memref.getType()).getElementType(); }

Value LoopBuilder::load(Value memref, ValueRange at) {
  Value loaded = vector::LoadOp::create(builder, location, vectorType(elementOf(memref)), memref, at);
  return widenStored(builder, location, loaded);
}

void LoopBuilder::store(Value vector, Value memref, ValueRange at) {
  vector = narrowForStore(builder, location, vector, elementOf(memref));
  vector::StoreOp::create(builder, location, vector, memref, at);
}

Value LoopBuilder::loadScalar(Value memref, ValueRange at) {
  return widenStored(builder, location, memref::LoadOp::create(builder, location, memref, at));
}

void LoopBuilder::storeScalar(Value scalar, Value memref, ValueRange at) {
  scalar = narrowForStore(builder, location, scalar, elementOf(memref));
  memref::StoreOp::create(builder, location, scalar, memref, at);
}

Value LoopBuilder::loadMasked(Value mask, Value memref, ValueRange at) {
  VectorType type = vectorType(elementOf(memref));
  Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(type));
  Value loaded = vector::MaskedLoadOp::create(builder, location, type, memref, at, mask, zero);
  return widenStored(builder, location, loaded);
}

void LoopBuilder::storeMasked(Value mask, Value vector, Value memref, ValueRange at) {
  vector = narrowForStore(builder, location, vector, elementOf(memref));
  vector::MaskedStoreOp::create(builder, location, memref, at, mask, vector);
}

Value LoopBuilder::loadFirst(Value count, Value memref, ValueRange at) {
  return loadMasked(laneMask(count), memref, at);
}

void LoopBuilder::storeFirst(Value count, Value vector, Value memref, ValueRange at) {
  storeMasked(laneMask(count), vector, memref, at);
}

void LoopBuilder::prefetch(Value memref, ValueRange at, unsigned locality) {
  memref::PrefetchOp::create(builder, location, memref, at, /*isWrite=*/false, /*localityHint=*/locality,
                             /*isDataCache=*/true);
}

// Quads of elements 4c .. 4c+3 of rows g, g+4, g+8, ... are loaded into one vector; within each quad of lanes the
// vectors of g = 0..3 are then transposed.
LoopBuilder::Values LoopBuilder::loadTransposed(Value memref, ArrayRef<Values> positions) {
  auto loadQuad = [&](size_t row, int64_t column) -> Value {
    Values at = positions[row];
    at.back() = add(at.back(), column);
    auto quad = VectorType::get({4}, elementOf(memref));
    return widenStored(builder, location, vector::LoadOp::create(builder, location, quad, memref, at));
  };
  SmallVector<int64_t> evens, odds, lows, highs;
  for (int64_t quad = 0; quad < lanes; quad += 4) {
    for (int64_t lane : {quad, lanes + quad, quad + 1, lanes + quad + 1})
      evens.push_back(lane), odds.push_back(lane + 2);
    for (int64_t lane : {quad, quad + 1, lanes + quad, lanes + quad + 1})
      lows.push_back(lane), highs.push_back(lane + 2);
  }
  SmallVector<Values> groups(4); // [row of a quad][quad of columns]
  for (int64_t group = 0; group < 4; ++group)
    for (int64_t column = 0; column < lanes; column += 4) {
      Values parts;
      for (int64_t row = group; row < lanes; row += 4)
        parts.push_back(loadQuad(row, column));
      for (; parts.size() > 1; parts.truncate(parts.size() / 2))
        for (size_t i = 0; i < parts.size() / 2; ++i) {
          int64_t width = cast<VectorType>(parts[2 * i].getType()).getNumElements();
          parts[i] = shuffle(parts[2 * i], parts[2 * i + 1], llvm::to_vector(llvm::seq<int64_t>(0, 2 * width)));
        }
      groups[group].push_back(parts[0]);
    }
  Values columns;
  for (int64_t quad = 0; quad < lanes / 4; ++quad) {
    Value a = groups[0][quad], b = groups[1][quad], c = groups[2][quad], d = groups[3][quad];
    Value low = shuffle(a, b, evens), high = shuffle(a, b, odds); // columns 0, 1 and 2, 3 of rows 0 and 1
    Value lowNext = shuffle(c, d, evens), highNext = shuffle(c, d, odds);
    columns.append({shuffle(low, lowNext, lows), shuffle(low, lowNext, highs), shuffle(high, highNext, lows),
                    shuffle(high, highNext, highs)});
  }
  return columns;
}

Value LoopBuilder::sizeOf(Value memref, unsigned dimension) {
  return builder.createOrFold<memref::DimOp>(location, memref, int64_t(dimension));
}

Type LoopBuilder::flagsType() { return builder.getIntegerType(lanes); }

Value LoopBuilder::loadFlags(Value memref, ValueRange at) {
  Value bits =
      vector::BroadcastOp::create(builder, location, VectorType::get({1}, flagsType()), loadScalar(memref, at));
  return vector::BitCastOp::create(builder, location, vectorType(builder.getI1Type()), bits);
}

void LoopBuilder::storeFlags(Value flags, Value memref, ValueRange at) {
  Value bits = vector::BitCastOp::create(builder, location, VectorType::get({1}, flagsType()), flags);
  storeScalar(vector::ExtractOp::create(builder, location, bits, 0), memref, at);
}

} // namespace attnc

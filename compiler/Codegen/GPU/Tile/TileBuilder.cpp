#include "compiler/Codegen/GPU/Tile/TileBuilder.h"
#include "compiler/Codegen/Nest/LoopNest.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace attnc {

Value TileBuilder::fromIndex(Value index) {
  return builder.createOrFold<arith::IndexCastOp>(location, builder.getI32Type(), index);
}
Value TileBuilder::toIndex(Value number) {
  return builder.createOrFold<arith::IndexCastUIOp>(location, builder.getIndexType(), number);
}

Value TileBuilder::widen(Value number) {
  return builder.createOrFold<arith::ExtUIOp>(location, builder.getI64Type(), number);
}

Value TileBuilder::exclusiveOr(Value a, Value b) { return builder.createOrFold<arith::XOrIOp>(location, a, b); }

Value TileBuilder::opposite(Value flag) { return exclusiveOr(flag, boolean(true)); }

Value TileBuilder::at(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(builder, location, pointer.getType(), builder.getI8Type(), pointer, ValueRange{bytes});
}
Value TileBuilder::load(Type type, Value pointer) { return LLVM::LoadOp::create(builder, location, type, pointer); }
void TileBuilder::store(Value value, Value pointer) { LLVM::StoreOp::create(builder, location, value, pointer); }

TileBuilder::Values TileBuilder::loop(Value lower, Value upper, int64_t step, ValueRange carried,
                                      function_ref<Values(Value, ValueRange)> body) {
  auto op = scf::ForOp::create(builder, location, lower, upper, constant(step), carried,
                               [&](OpBuilder &, Location, Value each, ValueRange arguments) {
                                 OpBuilder::InsertionGuard guard(builder);
                                 builder.setInsertionPointToEnd(each.getParentBlock());
                                 Values next = body(each, arguments);
                                 scf::YieldOp::create(builder, location, next);
                               });
  return Values(op.getResults());
}

TileBuilder::Values TileBuilder::loopWhile(ValueRange carried, function_ref<Value(ValueRange)> goesOn,
                                           function_ref<Values(ValueRange)> body) {
  SmallVector<Type> types = llvm::to_vector(carried.getTypes());
  SmallVector<Location> locations(types.size(), location);
  auto op = scf::WhileOp::create(builder, location, types, carried);
  OpBuilder::InsertionGuard guard(builder);
  Block *before = builder.createBlock(&op.getBefore(), {}, types, locations);
  scf::ConditionOp::create(builder, location, goesOn(before->getArguments()), before->getArguments());
  Block *after = builder.createBlock(&op.getAfter(), {}, types, locations);
  scf::YieldOp::create(builder, location, body(after->getArguments()));
  return Values(op.getResults());
}

void TileBuilder::when(Value condition, function_ref<void()> then) {
  auto branch = scf::IfOp::create(builder, location, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  then();
}

static Value shuffle(TileBuilder &tiles, Value value, Value operand, NVVM::ShflKind kind) {
  constexpr int64_t lastLane = 31;
  return NVVM::ShflOp::create(tiles.builder, tiles.location, value.getType(), tiles.constant(-1), value, operand,
                              tiles.constant(lastLane), kind, UnitAttr());
}

Value TileBuilder::shuffleXor(Value value, int64_t distance) {
  return shuffle(*this, value, constant(distance), NVVM::ShflKind::bfly);
}

Value TileBuilder::broadcastFirstLane(Value value) { return shuffle(*this, value, constant(0), NVVM::ShflKind::idx); }

void TileBuilder::syncBlock() { NVVM::Barrier0Op::create(builder, location); }

void disableUnrolling(Value ofLoop) {
  Operation *loop = ofLoop.getDefiningOp();
  if (!isa_and_nonnull<scf::ForOp>(loop))
    return; // one iteration, which is not emitted as a loop
  MLIRContext *context = ofLoop.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  auto annotation =
      LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
  loop->setAttr("loop_annotation", annotation);
}

} // namespace attnc

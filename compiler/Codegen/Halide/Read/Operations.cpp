#include "compiler/Codegen/Halide/Read/Operations.h"
#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "compiler/Codegen/Formula/StoredElement.h"
#include "compiler/Codegen/Formula/VectorMath.h"
#include "compiler/Codegen/Halide/Compile/Declarations.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::halide {

static bool isElement(Type type) { return type.isF32() || type.isInteger(32) || type.isInteger(1); }

bool canBeCalled(Operation *operation) {
  bool isKnown = isa_and_present<math::MathDialect>(operation->getDialect())
                     ? isSupportedMath(operation)
                     : isa<attn::UniformOp>(operation) || isa_and_present<arith::ArithDialect>(operation->getDialect());
  return isKnown && operation->getNumResults() == 1 && operation->getNumOperands() > 0 &&
         llvm::all_of(operation->getOperandTypes(), isElement) && llvm::all_of(operation->getResultTypes(), isElement);
}

/// For each operand, the first operand with the same value: x * x differs from x * y.
static SmallVector<unsigned> pattern(Operation *operation) {
  SmallVector<unsigned> first;
  for (Value operand : operation->getOperands())
    first.push_back(llvm::find(operation->getOperands(), operand).getIndex());
  return first;
}

unsigned numberOf(Operations &operations, Operation *operation) {
  auto found = llvm::find_if(operations, [&](Operation *other) {
    return other->getName() == operation->getName() && other->getAttrDictionary() == operation->getAttrDictionary() &&
           other->getOperandTypes() == operation->getOperandTypes() &&
           other->getResultTypes() == operation->getResultTypes() && pattern(other) == pattern(operation);
  });
  unsigned number = found - operations.begin();
  if (found == operations.end())
    operations.push_back(operation);
  return number;
}

/// Converts an element from Halide's type: truth values are 32-bit numbers.
static Value fromHalide(OpBuilder &builder, Location location, Value value, Type element) {
  if (!element.isInteger(1))
    return value;
  auto vector = dyn_cast<VectorType>(value.getType());
  return arith::TruncIOp::create(builder, location, vector ? Type(vector.clone(element)) : element, value);
}

static Value toHalide(OpBuilder &builder, Location location, Value value, Type type) {
  return value.getType() == type ? value : arith::ExtUIOp::create(builder, location, type, value).getResult();
}

/// Returns the subscript if it is in range; otherwise 0, and sets the status.
static Value checkSubscript(OpBuilder &builder, LLVM::CallOp call, Value status) {
  Location location = call.getLoc();
  Value subscript = call.getArgOperands()[0], size = call.getArgOperands()[1];
  auto outside = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::uge, subscript, size).getResult();
  Value any = outside;
  if (isa<VectorType>(outside.getType()))
    any = vector::ReductionOp::create(builder, location, vector::CombiningKind::OR, outside);
  auto report = scf::IfOp::create(builder, location, any, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(report.thenBlock());
    Value code = arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(ATTN_OUT_OF_RANGE));
    LLVM::StoreOp::create(builder, location, code, status);
  }
  Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(subscript.getType()));
  return arith::SelectOp::create(builder, location, outside, zero, subscript);
}

/// Emits the operation on the operands of the call.
static Value evaluate(OpBuilder &builder, LLVM::CallOp call, Operation *operation) {
  Location location = call.getLoc();
  auto vector = dyn_cast<VectorType>(call.getResult().getType());
  RegionVectoriser evaluator(builder, location, vector ? vector.getNumElements() : 1);
  for (auto [operand, value] : llvm::zip(operation->getOperands(), call.getArgOperands()))
    evaluator.bindValue(operand, fromHalide(builder, location, value, operand.getType()));
  Value result = evaluator.evaluate(operation->getResult(0));
  return toHalide(builder, location, result, call.getResult().getType());
}

/// Converts between f32 and a 16-bit type, which Halide represents by 32 bits.
static Value convert(OpBuilder &builder, LLVM::CallOp call, StringRef type, bool widens) {
  Location location = call.getLoc();
  Type narrow = type.starts_with("bf16") ? Type(builder.getBF16Type()) : Type(builder.getF16Type());
  auto vector = dyn_cast<VectorType>(call.getResult().getType());
  auto shaped = [&](Type element) { return vector ? Type(vector.clone(element)) : element; };
  Value value = call.getArgOperands()[0];
  if (widens) {
    Value bits = arith::TruncIOp::create(builder, location, shaped(builder.getI16Type()), value);
    return widenStored(builder, location, arith::BitcastOp::create(builder, location, shaped(narrow), bits));
  }
  Value rounded = narrowForStore(builder, location, value, narrow);
  Value bits = arith::BitcastOp::create(builder, location, shaped(builder.getI16Type()), rounded);
  return arith::ExtUIOp::create(builder, location, shaped(builder.getI32Type()), bits);
}

/// Emits the value that replaces an opaque call; null for a call of another function.
static Value replacement(OpBuilder &builder, LLVM::CallOp call, const Operations &operations, Value status) {
  StringRef name = call.getCallee().value_or("");
  if (name.starts_with(checkName))
    return checkSubscript(builder, call, status);
  if (name.starts_with(repeatName))
    return call.getArgOperands()[0];
  if (name.consume_front(widenPrefix))
    return convert(builder, call, name, /*widens=*/true);
  if (name.consume_front(narrowPrefix))
    return convert(builder, call, name, /*widens=*/false);
  if (name.consume_front(operationPrefix))
    return evaluate(builder, call, operations[std::stoul(name.split('x').first.str())]);
  return {};
}

void insertOperations(LLVM::LLVMFuncOp function, const Operations &operations, Value status) {
  SmallVector<LLVM::CallOp> calls;
  function.walk([&](LLVM::CallOp call) { calls.push_back(call); });
  for (LLVM::CallOp call : calls) {
    OpBuilder builder(call);
    Value result = replacement(builder, call, operations, status);
    if (!result)
      continue;
    call.getResult().replaceAllUsesWith(result);
    call.erase();
  }
}

} // namespace attnc::halide

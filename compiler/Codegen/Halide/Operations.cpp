#include "compiler/Codegen/Halide/Operations.h"
#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "compiler/Codegen/Formula/VectorMath.h"
#include "compiler/Codegen/Halide/Declarations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace attnc::halide {

static bool isElement(Type type) { return type.isF32() || type.isInteger(32) || type.isInteger(1); }

bool canBeCalled(Operation *operation) {
  bool isKnown = isa_and_present<math::MathDialect>(operation->getDialect())
                     ? isSupportedMath(operation)
                     : isa_and_present<arith::ArithDialect>(operation->getDialect());
  return isKnown && operation->getNumResults() == 1 && operation->getNumOperands() > 0 &&
         llvm::all_of(operation->getOperandTypes(), isElement) && llvm::all_of(operation->getResultTypes(), isElement);
}

/// The first operand with the value that each has: x * x is another kind of product than x * y.
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

/// What Halide has of an element, as the operation wants it: truth values are numbers of 32 bits.
static Value fromHalide(OpBuilder &builder, Location location, Value value, Type element) {
  if (!element.isInteger(1))
    return value;
  auto vector = dyn_cast<VectorType>(value.getType());
  return arith::TruncIOp::create(builder, location, vector ? Type(vector.clone(element)) : element, value);
}

static Value toHalide(OpBuilder &builder, Location location, Value value, Type type) {
  return value.getType() == type ? value : arith::ExtUIOp::create(builder, location, type, value).getResult();
}

void insertOperations(LLVM::LLVMFuncOp function, const Operations &operations) {
  SmallVector<LLVM::CallOp> calls;
  function.walk([&](LLVM::CallOp call) { calls.push_back(call); });
  for (LLVM::CallOp call : calls) {
    StringRef number = call.getCallee().value_or("");
    if (!number.consume_front(operationPrefix))
      continue;
    Operation *operation = operations[std::stoul(number.split('x').first.str())];
    OpBuilder builder(call);
    Location location = call.getLoc();
    auto vector = dyn_cast<VectorType>(call.getResult().getType());
    RegionVectoriser evaluator(builder, location, vector ? vector.getNumElements() : 1);
    for (auto [operand, value] : llvm::zip(operation->getOperands(), call.getArgOperands()))
      evaluator.bindValue(operand, fromHalide(builder, location, value, operand.getType()));
    Value result = evaluator.evaluate(operation->getResult(0));
    call.getResult().replaceAllUsesWith(toHalide(builder, location, result, call.getResult().getType()));
    call.erase();
  }
}

} // namespace attnc::halide

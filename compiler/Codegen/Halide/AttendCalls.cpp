#include "compiler/Codegen/Halide/AttendCalls.h"
#include "compiler/Codegen/Halide/AttendBitcode.h"
#include "compiler/Codegen/Kernels/Attend/AttendExp.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc::halide {

/// Of a vector, or of a scalar as a vector of one.
static Value evaluate(OpBuilder &builder, LLVM::CallOp call, const Target &target, bool isPower) {
  Location location = call.getLoc();
  Value operand = call.getArgOperands()[0];
  auto type = dyn_cast<VectorType>(operand.getType());
  LoopBuilder loops(builder, location, type ? type.getNumElements() : 1);
  Value vector = loops.splat(operand);
  Value result = isPower ? attendExp2(loops, vector, target) : math::Log2Op::create(builder, location, vector);
  return type ? result : vector::ExtractOp::create(builder, location, result, 0).getResult();
}

void insertAttendCalls(LLVM::LLVMFuncOp function, const Target &target) {
  SmallVector<LLVM::CallOp> calls;
  function.walk([&](LLVM::CallOp call) { calls.push_back(call); });
  for (LLVM::CallOp call : calls) {
    StringRef name = call.getCallee().value_or("");
    bool isPower = name.starts_with(exp2Name);
    if (!isPower && !name.starts_with(log2Name))
      continue;
    OpBuilder builder(call);
    call.getResult().replaceAllUsesWith(evaluate(builder, call, target, isPower));
    call.erase();
  }
}

} // namespace attnc::halide

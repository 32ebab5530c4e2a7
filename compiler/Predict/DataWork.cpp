#include "compiler/Predict/DataWork.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attnc {

static bool isScalarInteger(Value value) { return value.getType().isIntOrIndex(); }

/// Extensions fold into their users; truncations are usually free.
static bool isConversion(Operation *op) {
  return isa<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, LLVM::SExtOp, LLVM::ZExtOp,
             LLVM::TruncOp>(op);
}

static bool isSumOrBits(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShLIOp,
             arith::ShRSIOp, arith::ShRUIOp, LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::AndOp, LLVM::OrOp,
             LLVM::XOrOp, LLVM::ShlOp, LLVM::AShrOp, LLVM::LShrOp>(op);
}

/// A comparison and a selection.
static bool isExtremum(Operation *op) {
  return isa<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, LLVM::SMinOp, LLVM::SMaxOp, LLVM::UMinOp,
             LLVM::UMaxOp>(op);
}

static bool isChoice(Operation *op) { return isa<arith::CmpIOp, arith::SelectOp, LLVM::ICmpOp, LLVM::SelectOp>(op); }

static bool isArithmetic(Operation *op) {
  return isConversion(op) || isSumOrBits(op) || isExtremum(op) || isChoice(op);
}

static bool isSource(Operation *op) {
  return isa<memref::LoadOp, LLVM::LoadOp, arith::FPToSIOp, LLVM::FPToSIOp, vector::ExtractOp, LLVM::ExtractElementOp>(
      op);
}

/// Whether a source is among the operations, of the same block, that compute `op`.
static bool isOnData(Operation *op) {
  constexpr size_t most = 64;
  llvm::SmallSetVector<Operation *, 16> all;
  all.insert(op);
  for (size_t number = 0; number < all.size() && number < most; ++number)
    for (Value operand : all[number]->getOperands()) {
      Operation *by = operand.getDefiningOp();
      if (!by || by->getBlock() != op->getBlock() || !isScalarInteger(operand))
        continue;
      if (isSource(by))
        return true;
      if (isArithmetic(by))
        all.insert(by);
    }
  return false;
}

std::optional<double> instructionsOnData(Operation *op) {
  if (!isArithmetic(op) || op->getNumResults() != 1 || !isScalarInteger(op->getResult(0)) || !isOnData(op))
    return std::nullopt;
  constexpr double extremum = 2;
  return isConversion(op) ? 0 : isExtremum(op) ? extremum : 1;
}

} // namespace attnc

#include "compiler/Predict/DataWork.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace attnc {

static bool isScalarInteger(Value value) { return value.getType().isIntOrIndex(); }

/// Extensions are part of what reads them, and most of the other way round nothing at all.
static bool isConversion(Operation *op) {
  return isa<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, LLVM::SExtOp, LLVM::ZExtOp,
             LLVM::TruncOp>(op);
}

static bool isSumOrBits(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShLIOp,
             arith::ShRSIOp, arith::ShRUIOp, LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::AndOp, LLVM::OrOp,
             LLVM::XOrOp, LLVM::ShlOp, LLVM::AShrOp, LLVM::LShrOp>(op);
}

/// A comparison and a choice.
static bool isExtremum(Operation *op) {
  return isa<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, LLVM::SMinOp, LLVM::SMaxOp, LLVM::UMinOp,
             LLVM::UMaxOp>(op);
}

static bool isChoice(Operation *op) { return isa<arith::CmpIOp, arith::SelectOp, LLVM::ICmpOp, LLVM::SelectOp>(op); }

static bool isData(Value value, Block *block, unsigned depth = 0) {
  constexpr unsigned deepest = 8;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != block || depth == deepest || !isScalarInteger(value))
    return false;
  if (isa<memref::LoadOp, LLVM::LoadOp, arith::FPToSIOp, LLVM::FPToSIOp, vector::ExtractOp, LLVM::ExtractElementOp>(op))
    return true;
  return (isConversion(op) || isSumOrBits(op) || isExtremum(op) || isChoice(op)) &&
         llvm::any_of(op->getOperands(), [&](Value each) { return isData(each, block, depth + 1); });
}

std::optional<double> instructionsOnData(Operation *op) {
  bool isKnown = isConversion(op) || isSumOrBits(op) || isExtremum(op) || isChoice(op);
  if (!isKnown || op->getNumResults() != 1 || !isData(op->getResult(0), op->getBlock()))
    return std::nullopt;
  constexpr double extremum = 2;
  return isConversion(op) ? 0 : isExtremum(op) ? extremum : 1;
}

} // namespace attnc

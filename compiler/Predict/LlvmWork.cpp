#include "compiler/Predict/LlvmWork.h"
#include "compiler/Predict/DataWork.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;

namespace attnc {

static bool isFusedLlvmProduct(Operation *op) {
  return isa_and_present<LLVM::FMulOp>(op) && op->hasOneUse() && isa<LLVM::FAddOp, LLVM::FSubOp>(*op->user_begin());
}

/// Whether the op is a broadcast: an insertion of an element and a shuffle that copies it to all lanes.
static bool isSpread(Operation *op) {
  auto shuffle = dyn_cast_if_present<LLVM::ShuffleVectorOp>(op);
  return shuffle && llvm::all_equal(shuffle.getMask()) && shuffle.getV1().getDefiningOp<LLVM::InsertElementOp>();
}

static Work workOfLlvmFloat(Operation *op, double registers, double divided) {
  Work work;
  auto isFused = [](Value operand) { return isFusedLlvmProduct(operand.getDefiningOp()); };
  if (isFusedLlvmProduct(op) || isa<LLVM::BitcastOp>(op))
    return work;
  if (isa<LLVM::FMulOp, LLVM::FMAOp, LLVM::FMulAddOp>(op) ||
      (isa<LLVM::FAddOp, LLVM::FSubOp>(op) && llvm::any_of(op->getOperands(), isFused)))
    work.products = registers;
  else if (isa<LLVM::FDivOp>(op))
    work.divisions = divided;
  else if (isa<LLVM::SqrtOp>(op))
    work.roots = divided;
  else
    work.arithmetic = registers;
  return work;
}

static Work workOfShuffle(Operation *op, double registers) {
  Work work;
  if (auto shuffle = dyn_cast<LLVM::ShuffleVectorOp>(op)) {
    Operation *source = shuffle.getV1().getDefiningOp();
    bool isLoaded = isSpread(op) && isa_and_present<LLVM::LoadOp>(source->getOperand(1).getDefiningOp());
    work.shuffles = isLoaded ? 0 : registers;
  } else if (isa<LLVM::ExtractElementOp>(op)) {
    work.shuffles = matchPattern(op->getOperand(1), m_Zero()) ? 0 : 1;
  } else {
    // The shuffle of the broadcast is counted instead.
    work.shuffles = llvm::all_of(op->getUsers(), isSpread) ? 0 : 1;
  }
  return work;
}

static Work workOfLlvmInteger(Operation *op) {
  Work work;
  constexpr double divisionByNumber = 4;
  if (std::optional<double> instructions = instructionsOnData(op)) {
    work.scalars = *instructions;
    return work;
  }
  if (isa<LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::SExtOp, LLVM::ZExtOp, LLVM::TruncOp, LLVM::BitcastOp,
          LLVM::PtrToIntOp, LLVM::IntToPtrOp>(op))
    return work;
  if (isa<LLVM::SDivOp, LLVM::UDivOp, LLVM::SRemOp, LLVM::URemOp>(op)) {
    bool isByNumber = matchPattern(op->getOperand(1), m_Constant());
    (isByNumber ? work.scalars : work.scalarDivisions) = isByNumber ? divisionByNumber : 1;
  } else {
    work.scalars = 0.5;
  }
  return work;
}

static bool isReduction(Operation *op) { return op->getName().getStringRef().starts_with("llvm.intr.vector.reduce."); }

std::optional<Work> workOfLlvm(Operation *op, double registers, double divided) {
  if (!isa_and_present<LLVM::LLVMDialect>(op->getDialect()) || isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::Prefetch>(op))
    return std::nullopt;
  Work work;
  auto vectorOf = [](Value value) { return dyn_cast<VectorType>(value.getType()); };
  if (isa<LLVM::masked_gather>(op)) {
    double elements = double(vectorOf(op->getResult(0)).getNumElements());
    work.gathered = 2 * elements;
    work.loadedBytes = 4 * elements;
  } else if (isa<LLVM::masked_scatter>(op)) {
    work.scattered = double(vectorOf(op->getOperand(0)).getNumElements());
    work.storedBytes = 4 * work.scattered;
  } else if (isa<LLVM::MaskedLoadOp>(op)) {
    work.loads = registers;
    work.loadedBytes = 4 * double(vectorOf(op->getResult(0)).getNumElements());
  } else if (isa<LLVM::MaskedStoreOp>(op)) {
    work.stores = registers;
    work.storedBytes = 4 * double(vectorOf(op->getOperand(0)).getNumElements());
  } else if (isReduction(op)) {
    auto vector = vectorOf(op->getOperands().back());
    work.shuffles = work.arithmetic = vector ? std::log2(double(vector.getNumElements())) : 0;
  } else if (op->getNumResults() != 1 || op->hasTrait<OpTrait::ConstantLike>() ||
             isa<LLVM::GEPOp, LLVM::AllocaOp, LLVM::PoisonOp, LLVM::UndefOp, LLVM::InsertValueOp, LLVM::ExtractValueOp>(
                 op)) {
    return work;
  } else if (isa<LLVM::ShuffleVectorOp, LLVM::InsertElementOp, LLVM::ExtractElementOp>(op)) {
    return workOfShuffle(op, registers);
  } else if (op->getResult(0).getType().isIntOrIndex() && !isa<LLVM::FCmpOp>(op)) {
    return workOfLlvmInteger(op);
  } else if (!isa<LLVM::LLVMPointerType>(op->getResult(0).getType())) {
    return workOfLlvmFloat(op, registers, divided);
  }
  return work;
}

} // namespace attnc

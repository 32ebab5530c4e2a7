#include "compiler/Pipeline/CheckModule.h"
#include "compiler/Pipeline/Job.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

template <typename Dialect> static bool isOf(Operation *op) { return isa_and_present<Dialect>(op->getDialect()); }

/// Ops that kernels are made of: these compute tensors, and read constant ones.
static bool computesTensors(Operation *op) {
  return isa<linalg::LinalgOp>(op) || isOf<attn::AttnDialect>(op) || isOf<model::ModelDialect>(op);
}

static bool isStructure(Operation *op) {
  return isa<ModuleOp, func::FuncOp, func::ReturnOp, func::CallOp>(op) ||
         isa<scf::ForOp, scf::IfOp, scf::YieldOp, linalg::YieldOp>(op);
}

/// Ops that name a part or a size of a tensor, or read an element.
static bool isView(Operation *op) {
  return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ConcatOp, tensor::DimOp, tensor::ExpandShapeOp,
             tensor::ExtractOp, tensor::ExtractSliceOp>(op);
}

static bool isScalar(Operation *op) {
  return isOf<arith::ArithDialect>(op) || isOf<math::MathDialect>(op) ||
         isa<linalg::IndexOp, affine::AffineApplyOp>(op);
}

/// The fault of a constant tensor, as a message goes on behind its name; empty if it has none.
static std::string faultOfConstant(arith::ConstantOp constant) {
  if (!isa<SplatElementsAttr>(constant.getValue()))
    return " is a tensor of several numbers; expected one number for all its elements, or an argument of the function";
  for (Operation *user : constant->getUsers())
    if (!computesTensors(user))
      return " is a whole tensor that " + user->getName().getStringRef().str() +
             " reads; expected a linalg op that reads it";
  return "";
}

/// The same of a tensor whose elements nothing has computed.
static std::string faultOfEmpty(tensor::EmptyOp empty) {
  for (OpOperand &use : empty->getUses()) {
    auto linalg = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (isa<func::ReturnOp>(use.getOwner()) || (linalg && linalg.isDpsInput(&use)))
      return " is a tensor of no known elements, which " + use.getOwner()->getName().getStringRef().str() +
             " reads; expected it behind outs alone";
  }
  return "";
}

/// The same of any op.
static std::string faultOf(Operation *op) {
  bool hasTensors = llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
  if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && hasTensors)
    return faultOfConstant(constant);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return faultOfEmpty(empty);
  if (isScalar(op) && hasTensors)
    return " computes a whole tensor; expected linalg.generic with its op on elements";
  if (isScalar(op) || isStructure(op) || isView(op) || computesTensors(op))
    return "";
  return " is not among the ops that attnc compiles; expected those of linalg, attn and model, of arith and math on "
         "scalars, scf.for, scf.if, tensor.extract, or views of tensors";
}

std::string unknownOpIn(ModuleOp module) {
  std::string message;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::string fault = faultOf(op);
    if (fault.empty())
      return WalkResult::advance();
    message = placeOf(op->getLoc()) + ": error: " + op->getName().getStringRef().str() + fault;
    return WalkResult::interrupt();
  });
  return message;
}

} // namespace attnc

#include "compiler/Sizes/IntegerFold.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace attnc {

std::optional<IntegerOp> integerOp(Operation *op) {
  using Kind = std::optional<IntegerOp>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case([](arith::AddIOp) { return IntegerOp::Add; })
      .Case([](arith::SubIOp) { return IntegerOp::Sub; })
      .Case([](arith::MulIOp) { return IntegerOp::Mul; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>([](auto) { return IntegerOp::FloorDiv; })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([](auto) { return IntegerOp::CeilDiv; })
      .Case<arith::RemSIOp, arith::RemUIOp>([](auto) { return IntegerOp::Rem; })
      .Case<arith::MinSIOp, arith::MinUIOp>([](auto) { return IntegerOp::Min; })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([](auto) { return IntegerOp::Max; })
      .Case([](arith::AndIOp) { return IntegerOp::And; })
      .Case([](arith::OrIOp) { return IntegerOp::Or; })
      .Case([](arith::XOrIOp) { return IntegerOp::Xor; })
      .Case([](arith::ShLIOp) { return IntegerOp::ShiftLeft; })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([](auto) { return IntegerOp::ShiftRight; })
      .Default([](Operation *) { return Kind(); });
}

std::optional<int64_t> foldIntegers(IntegerOp op, int64_t a, int64_t b) {
  switch (op) {
  case IntegerOp::Add:
    return a + b;
  case IntegerOp::Sub:
    return a - b;
  case IntegerOp::Mul:
    return a * b;
  case IntegerOp::FloorDiv:
    return b ? std::optional(a / b) : std::nullopt;
  case IntegerOp::CeilDiv:
    return b ? std::optional((a + b - 1) / b) : std::nullopt;
  case IntegerOp::Rem:
    return b ? std::optional(a % b) : std::nullopt;
  case IntegerOp::Min:
    return std::min(a, b);
  case IntegerOp::Max:
    return std::max(a, b);
  case IntegerOp::And:
    return a & b;
  case IntegerOp::Or:
    return a | b;
  case IntegerOp::Xor:
    return a ^ b;
  case IntegerOp::ShiftLeft:
    return a << (b & 63);
  case IntegerOp::ShiftRight:
    return a >> (b & 63);
  }
  llvm_unreachable("all operations are above");
}

bool foldComparison(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  using enum arith::CmpIPredicate;
  switch (predicate) {
  case eq:
    return a == b;
  case ne:
    return a != b;
  case slt:
  case ult:
    return a < b;
  case sle:
  case ule:
    return a <= b;
  case sgt:
  case ugt:
    return a > b;
  case sge:
  case uge:
    return a >= b;
  }
  llvm_unreachable("all predicates are above");
}

static std::optional<SizeExpr> foldSizes(IntegerOp op, const SizeExpr &a, const SizeExpr &b) {
  switch (op) {
  case IntegerOp::Add:
    return a + b;
  case IntegerOp::Sub:
    return a - b;
  case IntegerOp::Mul:
    return SizeExpr::checkedProduct(a, b);
  case IntegerOp::FloorDiv:
    return a.floorDiv(b.constant());
  case IntegerOp::CeilDiv:
    return a.ceilDiv(b.constant());
  case IntegerOp::Min:
    return SizeExpr::min(a, b);
  case IntegerOp::Max:
    return SizeExpr::max(a, b);
  default:
    return std::nullopt;
  }
}

std::optional<SizeExpr> foldSize(Operation *op, function_ref<std::optional<SizeExpr>(Value)> indexSize,
                                 function_ref<std::optional<SizeExpr>(Value, int64_t)> extent) {
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> dimension = dim.getConstantIndex();
    return dimension ? extent(dim.getSource(), *dimension) : std::nullopt;
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return indexSize(op->getOperand(0));
  std::optional<IntegerOp> kind = integerOp(op);
  if (!kind || *kind == IntegerOp::Rem || *kind >= IntegerOp::And)
    return std::nullopt;
  std::optional<SizeExpr> b = indexSize(op->getOperand(1));
  bool divides = kind == IntegerOp::FloorDiv || kind == IntegerOp::CeilDiv;
  if (!b || (divides && (!b->isConstant() || b->constant() <= 0)))
    return std::nullopt;
  std::optional<SizeExpr> a = indexSize(op->getOperand(0));
  std::optional<SizeExpr> size = a ? foldSizes(*kind, *a, *b) : std::nullopt;
  return size && size->isTooLong() ? std::nullopt : size;
}

} // namespace attnc

#include "tests/mutation/Mutation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>

using namespace mlir;

namespace attnc {

/// Changes an operation; empty if the mutation does not apply.
using Change = std::function<void()>;
using MakeChange = Change (*)(Operation *);

static Change replaceBy(Operation *op, unsigned operand) {
  return [=] {
    op->getResult(0).replaceAllUsesWith(op->getOperand(operand));
    op->erase();
  };
}

static Change dropFactor(Operation *op) { return isa<arith::MulFOp>(op) ? replaceBy(op, 0) : Change(); }

static Change dropTerm(Operation *op) {
  if (isa<math::FmaOp, vector::FMAOp>(op))
    return replaceBy(op, 2);
  return isa<arith::AddFOp, arith::SubFOp>(op) ? replaceBy(op, 0) : Change();
}

static Change moveBorder(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare)
    return {};
  using P = arith::CmpIPredicate;
  static const std::pair<P, P> pairs[] = {{P::sle, P::slt}, {P::slt, P::sle}, {P::sge, P::sgt}, {P::sgt, P::sge},
                                          {P::ule, P::ult}, {P::ult, P::ule}, {P::uge, P::ugt}, {P::ugt, P::uge}};
  for (auto [from, to] : pairs)
    if (compare.getPredicate() == from)
      return [=, to = to]() mutable { compare.setPredicate(to); };
  return {};
}

static Change moveBound(Operation *op) {
  bool index = op->getNumResults() == 1 && op->getResult(0).getType().isIndex();
  if (index && isa<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, arith::AddIOp>(op))
    return replaceBy(op, 0);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return [=]() mutable {
      OpBuilder builder(loop);
      loop.setUpperBound(arith::SubIOp::create(builder, loop.getLoc(), loop.getUpperBound(), loop.getStep()));
    };
  return {};
}

static Change dropStride(Operation *op) {
  bool index = op->getNumResults() == 1 && op->getResult(0).getType().isIndex();
  return index && isa<arith::MulIOp, arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp>(op)
             ? replaceBy(op, 0)
             : Change();
}

static Change swapOperands(Operation *op) {
  if (!isa<arith::SubFOp, arith::DivFOp>(op))
    return {};
  return [=] {
    Value left = op->getOperand(0);
    op->setOperand(0, op->getOperand(1));
    op->setOperand(1, left);
  };
}

static Change moveStart(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  DenseFPElementsAttr zeros;
  if (!loop || loop.getInitArgs().empty() || !matchPattern(loop.getInitArgs().front(), m_Constant(&zeros)))
    return {};
  return [=]() mutable {
    OpBuilder builder(loop);
    auto ones = DenseElementsAttr::get(zeros.getType(), builder.getF32FloatAttr(1));
    loop.getInitArgsMutable()[0].set(arith::ConstantOp::create(builder, loop.getLoc(), ones));
  };
}

static Change swapExtreme(Operation *op) {
  auto compare = dyn_cast<arith::CmpFOp>(op);
  if (!compare ||
      (compare.getPredicate() != arith::CmpFPredicate::OGT && compare.getPredicate() != arith::CmpFPredicate::OLT))
    return {};
  bool greater = compare.getPredicate() == arith::CmpFPredicate::OGT;
  return [=]() mutable { compare.setPredicate(greater ? arith::CmpFPredicate::OLT : arith::CmpFPredicate::OGT); };
}

static Change ignoreMask(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select)
    return {};
  // The mask's arm is the constant one.
  bool constant = select.getTrueValue().getDefiningOp<arith::ConstantOp>() != nullptr;
  return replaceBy(op, constant ? 2 : 1);
}

static Change skipStore(Operation *op) {
  if (!isa<memref::StoreOp, vector::StoreOp, vector::TransferWriteOp, vector::MaskedStoreOp, vector::ScatterOp,
           LLVM::StoreOp>(op))
    return {};
  return [=] { op->erase(); };
}

static const std::vector<std::pair<std::string_view, MakeChange>> &kinds() {
  static const std::vector<std::pair<std::string_view, MakeChange>> table = {
      {"drop-factor", dropFactor},     {"drop-term", dropTerm},        {"off-by-one", moveBorder},
      {"wrong-bound", moveBound},      {"wrong-stride", dropStride},   {"wrong-start", moveStart},
      {"swap-operands", swapOperands}, {"other-extreme", swapExtreme}, {"ignore-mask", ignoreMask},
      {"skip-store", skipStore},
  };
  return table;
}

const std::vector<std::string_view> &mutationKinds() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> names;
    for (auto &[name, change] : kinds())
      names.push_back(name);
    return names;
  }();
  return names;
}

/// Returns true for a prefetch, a loop or branch of prefetches, and an operation that computes only operands of these.
/// They change no result.
static bool onlyFetches(Operation *op) {
  if (isa<memref::PrefetchOp>(op))
    return true;
  if (op->getNumRegions() > 0)
    return op->getNumResults() == 0 &&
           !op->walk([&](Operation *inner) {
                bool isHarmless = inner == op || isa<memref::PrefetchOp>(inner) ||
                                  inner->hasTrait<OpTrait::IsTerminator>() ||
                                  (inner->getNumRegions() > 0 && inner->getNumResults() == 0) || isPure(inner);
                return isHarmless ? WalkResult::advance() : WalkResult::interrupt();
              }).wasInterrupted();
  return !op->use_empty() && isPure(op) && llvm::all_of(op->getUsers(), onlyFetches);
}

void MutatingEmitter::mutate(ModuleOp code) {
  MakeChange make = llvm::find_if(kinds(), [&](auto &kind) { return kind.first == mutation.kind; })->second;
  std::vector<std::pair<Operation *, Change>> changes;
  code.walk([&](Operation *op) {
    if (onlyFetches(op))
      return;
    if (Change change = make(op))
      changes.emplace_back(op, change);
  });
  found = static_cast<int>(changes.size());
  if (mutation.site >= 0 && mutation.site < found) {
    auto &[op, change] = changes[mutation.site];
    text.clear();
    llvm::raw_string_ostream stream(text);
    op->print(stream, OpPrintingFlags().skipRegions());
    if (!op->use_empty())
      op->user_begin()->print(stream << "\n    for ", OpPrintingFlags().skipRegions());
    change();
  }
}

} // namespace attnc

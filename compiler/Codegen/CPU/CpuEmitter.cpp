#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/CPU/RowPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir;

namespace attnc {

namespace {

struct Family {
  StringRef kind;
  Verdict (*supports)(func::FuncOp, const Target &);
  FailureOr<KernelCode> (*emit)(func::FuncOp, const Target &, ModuleOp);
};

constexpr Family families[] = {
    {"attend", supportsAttend, emitAttend},
    {"gemm", supportsGemm, emitGemm},
    {"loops", supportsLoops, emitLoops},
    {"rows", supportsRows, emitRows},
};

const Family *familyOf(func::FuncOp kernel) {
  auto kind = kernel->getAttrOfType<StringAttr>("attn.kernel");
  for (const Family &each : families)
    if (kind && each.kind == kind.getValue())
      return &each;
  return nullptr;
}

class CpuEmitter : public Emitter {
public:
  std::string_view name() const override { return "cpu"; }

  Verdict supports(func::FuncOp kernel, const Target &target) const override {
    const Family *family = familyOf(kernel);
    return family ? family->supports(kernel, target) : Verdict::no("it has no family for this kind");
  }

  FailureOr<KernelCode> emit(func::FuncOp kernel, const Target &target, ModuleOp code) const override {
    return familyOf(kernel)->emit(kernel, target, code);
  }
};

} // namespace

/// Whether `op` reads `argument` at the point that it computes, and in no other way.
static bool readsPointOnly(linalg::GenericOp op, Value argument, unsigned result) {
  AffineMap written = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == argument && op.getMatchingIndexingMap(&operand) != written)
      return false;
  bool extracted = false;
  op.getRegion().walk([&](tensor::ExtractOp extract) { extracted |= extract.getTensor() == argument; });
  return !extracted;
}

bool mayRunInPlace(func::FuncOp kernel, unsigned argument, unsigned result) {
  StringRef kind = kernel->getAttrOfType<StringAttr>("attn.kernel").getValue();
  Value read = kernel.getArgument(argument);
  if (kernel.getNumResults() != 1 || read.getType() != kernel.getResultTypes()[result])
    return false;
  if (kind == "rows")
    return RowPlan(kernel).mayRunInPlace(read, result);
  auto op = kernel.getBody().front().getTerminator()->getOperand(result).getDefiningOp<linalg::GenericOp>();
  // A product keeps its sums in scratch; its epilogue writes the result. Whatever else reads the operand would find the
  // result there.
  return (kind == "loops" || kind == "gemm") && op && op.getNumReductionLoops() == 0 &&
         readsPointOnly(op, read, result) &&
         llvm::all_of(read.getUsers(), [&](Operation *user) { return user == op || isa<tensor::DimOp>(user); });
}

std::unique_ptr<Emitter> createCpuEmitter() { return std::make_unique<CpuEmitter>(); }

} // namespace attnc

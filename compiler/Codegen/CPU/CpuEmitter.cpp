#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/CPU/Gemm/Packing.h"
#include "compiler/Codegen/Kernels/Rows/RowPlan.h"
#include "dialects/Attn/Attn.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace attnc {

namespace {

struct Family {
  Verdict (*supports)(func::FuncOp, const Target &);
  FailureOr<KernelCode> (*emit)(func::FuncOp, const Target &, ModuleOp);
};

/// How a pack kernel packs its argument.
std::optional<PanelPacking> packingOf(func::FuncOp kernel) {
  return PanelPacking::fromAttribute(kernel->getAttr(packedAttrName));
}

Verdict supportsPack(func::FuncOp kernel, const Target &target) {
  std::optional<PanelPacking> packing = packingOf(kernel);
  return packing && packing->nr % target.f32Lanes == 0 ? Verdict::yes()
                                                       : Verdict::no("its panels are not whole vectors");
}

FailureOr<KernelCode> emitPack(func::FuncOp kernel, const Target &target, ModuleOp code) {
  auto source = cast<RankedTensorType>(kernel.getArgumentTypes()[0]);
  return emitPacking(source, *packingOf(kernel), kernel.getName(), target, code);
}

Family familyOf(KernelKind kind) {
  switch (kind) {
  case KernelKind::Attend:
    return {supportsAttend, emitAttend};
  case KernelKind::AttendGradient:
    return {supportsAttendGradient, emitAttendGradient};
  case KernelKind::Gemm:
    return {supportsGemm, emitGemm};
  case KernelKind::Rows:
    return {supportsRows, emitRows};
  case KernelKind::Loops:
    return {supportsLoops, emitLoops};
  case KernelKind::Pack:
    return {supportsPack, emitPack};
  }
  llvm_unreachable("six kinds of kernel");
}

/// Whether `op` reads `argument` at the point that it computes, and in no other way.
bool readsPointOnly(linalg::GenericOp op, Value argument, OpResult result) {
  AffineMap written = op.getMatchingIndexingMap(op.getTiedOpOperand(result));
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == argument && op.getMatchingIndexingMap(&operand) != written)
      return false;
  bool extracted = false;
  op.getRegion().walk([&](tensor::ExtractOp extract) { extracted |= extract.getTensor() == argument; });
  return !extracted;
}

class CpuEmitter : public Emitter {
public:
  std::string_view name() const override { return "cpu"; }

  bool makesCodeFor(const Target &target) const override { return !target.isDevice; }

  Verdict supports(func::FuncOp kernel, const Target &target) const override {
    std::optional<KernelKind> kind = kernelKindOf(kernel);
    return kind ? familyOf(*kind).supports(kernel, target) : Verdict::no("it has no family for this kind");
  }

  FailureOr<KernelCode> emit(func::FuncOp kernel, const Target &target, ModuleOp code) const override {
    return familyOf(*kernelKindOf(kernel)).emit(kernel, target, code);
  }

  bool mayRunInPlace(func::FuncOp kernel, unsigned argument, unsigned result) const override {
    KernelKind kind = *kernelKindOf(kernel);
    Value read = widened(kernel.getArgument(argument));
    if (isAttention(kind) || kind == KernelKind::Pack ||
        kernel.getArgumentTypes()[argument] != kernel.getResultTypes()[result])
      return false;
    if (kind == KernelKind::Rows)
      return RowPlan(kernel).mayRunInPlace(read, result);
    // A product keeps its sums in scratch; its epilogue writes the result. Whatever else reads the operand would find
    // the result there. An op of several results reads all of a point before it writes any.
    SmallVector<Value> results = computedResults(kernel);
    Value written = results[result];
    if (auto scatter = written.getDefiningOp<attn::ScatterAddOp>())
      return scatter.getInit() == read && llvm::all_of(read.getUsers(), [&](Operation *user) {
               return user == scatter || isa<tensor::DimOp>(user);
             });
    auto op = written.getDefiningOp<linalg::GenericOp>();
    return op && llvm::all_of(results, [&](Value each) { return each.getDefiningOp() == op; }) &&
           op.getNumReductionLoops() == 0 && readsPointOnly(op, read, cast<OpResult>(written)) &&
           llvm::all_of(read.getUsers(), [&](Operation *user) { return user == op || isa<tensor::DimOp>(user); });
  }

  bool hasFastForm(func::FuncOp kernel) const override {
    KernelKind kind = *kernelKindOf(kernel);
    // A sum with an epilogue is computed point by point, where the sum alone may be fast in another form.
    if (kind == KernelKind::Loops)
      return llvm::range_size(kernel.getOps<linalg::GenericOp>()) < 2;
    return kind != KernelKind::AttendGradient || isTiledAttendGradient(kernel);
  }

  std::optional<OperandPacking> preferredPacking(func::FuncOp kernel, const Target &target,
                                                 bool inWholePanels) const override {
    bool isGemm = kernelKindOf(kernel) == KernelKind::Gemm;
    return isGemm ? attnc::preferredPacking(kernel, target, inWholePanels) : std::nullopt;
  }

  FailureOr<KernelCode> emitPacking(RankedTensorType source, const PanelPacking &packing, StringRef symbol,
                                    const Target &target, ModuleOp code) const override {
    return attnc::emitPacking(source, packing, symbol, target, code);
  }
};

} // namespace

std::unique_ptr<Emitter> createCpuEmitter() { return std::make_unique<CpuEmitter>(); }

} // namespace attnc

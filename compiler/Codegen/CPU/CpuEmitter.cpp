#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/CPU/Gemm/WeightPacking.h"
#include "compiler/Codegen/Kernels/Rows/RowPlan.h"
#include "dialects/Attn/Attn.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace attnc {

namespace {

/// The functions for one kind of kernels. If mayRunInPlace is null, no kernel runs in place; if hasFastForm is null,
/// all kernels have one; if preferredPacking is null, no operand is packed.
struct Family {
  KernelKind kind;
  Verdict (*supports)(func::FuncOp, const Target &);
  FailureOr<KernelCode> (*emit)(func::FuncOp, const Target &, ModuleOp);
  bool (*mayRunInPlace)(func::FuncOp, Value operand, unsigned result) = nullptr;
  bool (*hasFastForm)(func::FuncOp) = nullptr;
  std::optional<OperandPacking> (*preferredPacking)(func::FuncOp, const Target &, bool inWholePanels) = nullptr;
};

/// The layout that a pack kernel packs its argument in.
std::optional<PanelPacking> packLayout(func::FuncOp kernel) {
  return PanelPacking::fromAttribute(kernel->getAttr(packedAttrName));
}

Verdict supportsPack(func::FuncOp kernel, const Target &target) {
  std::optional<PanelPacking> packing = packLayout(kernel);
  return packing && packing->nr % target.f32Lanes == 0 ? Verdict::yes()
                                                       : Verdict::no("its panels are not whole vectors");
}

FailureOr<KernelCode> emitPack(func::FuncOp kernel, const Target &target, ModuleOp code) {
  auto source = cast<RankedTensorType>(kernel.getArgumentTypes()[0]);
  return emitPacking(source, *packLayout(kernel), kernel.getName(), target, code);
}

/// Whether `op` reads of `argument` only the element at the coordinates of the element that it computes.
bool readsPointOnly(linalg::GenericOp op, Value argument, OpResult result) {
  AffineMap written = op.getMatchingIndexingMap(op.getTiedOpOperand(result));
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == argument && op.getMatchingIndexingMap(&operand) != written)
      return false;
  bool extracted = false;
  op.getRegion().walk([&](tensor::ExtractOp extract) { extracted |= extract.getTensor() == argument; });
  return !extracted;
}

/// A product keeps its sums in scratch, and its epilogue writes the result. Any other op that reads the operand would
/// read the result. An op of several results reads all operands of a point before it writes any result.
bool mayRunPointwiseInPlace(func::FuncOp kernel, Value operand, unsigned result) {
  SmallVector<Value> results = computedResults(kernel);
  Value written = results[result];
  if (auto scatter = written.getDefiningOp<attn::ScatterAddOp>())
    return scatter.getInit() == operand && llvm::all_of(operand.getUsers(), [&](Operation *user) {
             return user == scatter || isa<tensor::DimOp>(user);
           });
  auto op = written.getDefiningOp<linalg::GenericOp>();
  return op && llvm::all_of(results, [&](Value each) { return each.getDefiningOp() == op; }) &&
         op.getNumReductionLoops() == 0 && readsPointOnly(op, operand, cast<OpResult>(written)) &&
         llvm::all_of(operand.getUsers(), [&](Operation *user) { return user == op || isa<tensor::DimOp>(user); });
}

bool mayRunRowsInPlace(func::FuncOp kernel, Value operand, unsigned result) {
  return RowPlan(kernel).mayRunInPlace(operand, result);
}

/// A sum with an epilogue is computed point by point; without one, another algorithm may be faster.
bool isOneLoop(func::FuncOp kernel) { return llvm::range_size(kernel.getOps<linalg::GenericOp>()) < 2; }

constexpr Family families[] = {
    {.kind = KernelKind::Attend, .supports = supportsAttend, .emit = emitAttend},
    {.kind = KernelKind::AttendGradient,
     .supports = supportsAttendGradient,
     .emit = emitAttendGradient,
     .hasFastForm = isTiledAttendGradient},
    {.kind = KernelKind::Gemm,
     .supports = supportsGemm,
     .emit = emitGemm,
     .mayRunInPlace = mayRunPointwiseInPlace,
     .preferredPacking = preferredPacking},
    {.kind = KernelKind::Rows, .supports = supportsRows, .emit = emitRows, .mayRunInPlace = mayRunRowsInPlace},
    {.kind = KernelKind::Loops,
     .supports = supportsLoops,
     .emit = emitLoops,
     .mayRunInPlace = mayRunPointwiseInPlace,
     .hasFastForm = isOneLoop},
    {.kind = KernelKind::Pack, .supports = supportsPack, .emit = emitPack},
};

/// Null if the emitter has no family for the kernel's kind.
const Family *findFamily(func::FuncOp kernel) {
  std::optional<KernelKind> kind = kernelKindOf(kernel);
  const Family *family = llvm::find_if(families, [&](const Family &each) { return each.kind == kind; });
  return family == std::end(families) ? nullptr : family;
}

class CpuEmitter : public Emitter {
public:
  std::string_view name() const override { return "cpu"; }

  bool makesCodeFor(const Target &target) const override { return !target.isDevice; }

  Verdict supports(func::FuncOp kernel, const Target &target) const override {
    const Family *family = findFamily(kernel);
    return family ? family->supports(kernel, target) : Verdict::no("it has no code for this kind of kernel");
  }

  FailureOr<KernelCode> emit(func::FuncOp kernel, const Target &target, ModuleOp code) const override {
    return findFamily(kernel)->emit(kernel, target, code);
  }

  bool mayRunInPlace(func::FuncOp kernel, unsigned argument, unsigned result) const override {
    const Family *family = findFamily(kernel);
    return family->mayRunInPlace && kernel.getArgumentTypes()[argument] == kernel.getResultTypes()[result] &&
           family->mayRunInPlace(kernel, widened(kernel.getArgument(argument)), result);
  }

  bool hasFastForm(func::FuncOp kernel) const override {
    const Family *family = findFamily(kernel);
    return !family->hasFastForm || family->hasFastForm(kernel);
  }

  std::optional<OperandPacking> preferredPacking(func::FuncOp kernel, const Target &target,
                                                 bool inWholePanels) const override {
    const Family *family = findFamily(kernel);
    return family->preferredPacking ? family->preferredPacking(kernel, target, inWholePanels) : std::nullopt;
  }

  FailureOr<KernelCode> emitPacking(RankedTensorType source, const PanelPacking &packing, StringRef symbol,
                                    const Target &target, ModuleOp code) const override {
    return attnc::emitPacking(source, packing, symbol, target, code);
  }
};

} // namespace

std::unique_ptr<Emitter> createCpuEmitter() { return std::make_unique<CpuEmitter>(); }

} // namespace attnc

//===- PackWeights.cpp - attn-pack-weights ------------------------------------------------------------------------===//
//
// Selects the weights that are packed. An argument of a kernel to which all calls pass a parameter gets `attn.packed`
// if the kernel's emitter requires it (Codegen/Interface/PanelPacking.h). A matrix that all time steps of a scan read
// and that is no such parameter (a training step updates it) is packed before the scan by a `pack` kernel.
//
// Precondition: outlined kernels without duplicates, a target and its emitters. Postcondition: `attn.packed` on these
// arguments, `pack` kernels, and a decision for each weight that a contraction reads: packed, packed with a plain copy
// for another kernel, or plain.
//
//   %w = model.get @up                                    func.func private @logits_gemm_2(%x, %w {attn.packed =
//   call @logits_gemm_2(%x, %w, %bias)              →       {layout = "panels", nr = 48, ...}}, %bias)
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/LoopIterations.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Fuse/EmitterPass.h"
#include "compiler/Fuse/Fuse.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_PACKWEIGHTSPASS
#include "compiler/Fuse/EmitterPasses.h.inc"
namespace {

/// A read of a parameter through an argument of a kernel.
struct Reading {
  func::FuncOp kernel;
  unsigned argument;
};

struct PackWeights : EmitterPass<PackWeights, impl::PackWeightsPassBase> {
  using EmitterPass::EmitterPass;
  void runFor(const Target &target) {
    UpdatedParameters updated(getOperation());
    llvm::StringMap<SmallVector<func::CallOp>> calls;
    getOperation().walk([&](func::CallOp call) { calls[call.getCallee()].push_back(call); });
    auto isUnchanged = [&](Value operand) { return isParameter(operand) && !updated.contains(operand); };
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (const Emitter *emitter = isKernel(kernel) ? emitterOf(kernel, target) : nullptr)
        if (auto packing = packingFor(kernel, *emitter, target, calls[kernel.getName()], isUnchanged)) {
          kernel.setArgAttr(packing->argument, packedAttrName, packing->packing.attribute(&getContext()));
          packInFrontOfScans(kernel, *packing, calls[kernel.getName()], isUnchanged);
        }
    recordWeights();
  }

  /// True for a parameter whose packed value is current when the entry point runs (UpdatedParameters); others would
  /// have to be packed in each call.
  using IsUnchanged = llvm::function_ref<bool(Value)>;

  /// Returns the packing of an argument that is a parameter, or that a pack kernel before a scan packs into whole
  /// panels.
  std::optional<OperandPacking> packingFor(func::FuncOp kernel, const Emitter &emitter, const Target &target,
                                           ArrayRef<func::CallOp> calls, IsUnchanged isUnchanged) {
    for (bool inScans : {false, true}) {
      std::optional<OperandPacking> packing = emitter.preferredPacking(kernel, target, /*inWholePanels=*/inScans);
      auto mayPack = [&](func::CallOp call) {
        return isUnchanged(call.getOperand(packing->argument)) || (inScans && scanOver(call, packing->argument));
      };
      if (packing && !calls.empty() && llvm::all_of(calls, mayPack))
        return packing;
    }
    return std::nullopt;
  }

  /// Returns the outermost scan around the call whose iterations all read the same operand, or null.
  static scf::ForOp scanOver(func::CallOp call, unsigned argument) {
    scf::ForOp found;
    for (auto loop = call->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>()) {
      if (loop->isAncestor(call.getOperand(argument).getParentRegion()->getParentOp()))
        break;
      if (loop->hasAttr(model::scanAttrName) || loop->hasAttr(segmentLoopAttrName))
        found = loop;
    }
    return found;
  }

  /// Creates one pack kernel for all calls, and calls it for the matrix of each call before its scan.
  void packInFrontOfScans(func::FuncOp kernel, const OperandPacking &preferred, ArrayRef<func::CallOp> calls,
                          IsUnchanged isUnchanged) {
    func::FuncOp packer;
    for (func::CallOp call : calls) {
      Value matrix = call.getOperand(preferred.argument);
      if (isUnchanged(matrix))
        continue;
      if (!packer)
        packer = makePacker(kernel, preferred);
      OpBuilder before(scanOver(call, preferred.argument));
      auto packed = func::CallOp::create(before, matrix.getLoc(), packer, matrix);
      call.setOperand(preferred.argument, packed.getResult(0));
    }
  }

  func::FuncOp makePacker(func::FuncOp kernel, const OperandPacking &preferred) {
    Type type = kernel.getArgumentTypes()[preferred.argument];
    OpBuilder builder(kernel);
    builder.setInsertionPointAfter(kernel);
    auto packer = func::FuncOp::create(builder, kernel.getLoc(), kernel.getName().str() + "_pack",
                                       builder.getFunctionType(type, type));
    packer.setPrivate();
    packer->setAttr(kernelAttrName, builder.getStringAttr(kernelKindName(KernelKind::Pack)));
    packer->setAttr(packedAttrName, preferred.packing.attribute(&getContext()));
    builder.setInsertionPointToEnd(packer.addEntryBlock());
    func::ReturnOp::create(builder, kernel.getLoc(), packer.getArgument(0));
    return packer;
  }

  static bool isContracted(Reading reading) {
    return llvm::any_of(reading.kernel.getArgument(reading.argument).getUsers(), [](Operation *user) {
      auto generic = dyn_cast<linalg::GenericOp>(user);
      return generic && matchContraction(generic);
    });
  }

  void recordWeights() {
    SymbolTable symbols(getOperation());
    llvm::MapVector<StringRef, SmallVector<Reading>> readings;
    getOperation().walk([&](model::GetOp get) {
      for (OpOperand *use : usesThroughFreeViews(get.getResult())) {
        auto call = dyn_cast<func::CallOp>(use->getOwner());
        auto kernel = call ? symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
        if (kernel)
          readings[get.getParameter()].push_back({kernel, use->getOperandNumber()});
      }
    });
    for (auto &[parameter, places] : readings) {
      auto isPacked = [](Reading each) { return bool(each.kernel.getArgAttr(each.argument, packedAttrName)); };
      bool somePlain = !llvm::all_of(places, isPacked);
      for (Reading place : places) {
        if (!isPacked(place) && !isContracted(place))
          continue;
        Reason reason = !isPacked(place) ? Reason::WeightPlain
                        : somePlain      ? Reason::WeightPackedBeside
                                         : Reason::WeightPacked;
        recordDecision(getOperation(), {isPacked(place),
                                        reason,
                                        "@" + parameter.str(),
                                        place.kernel.getName().str(),
                                        isPacked(place) ? packedBytesOf(parameter, place) : "",
                                        "",
                                        false,
                                        {}});
      }
    }
  }

  /// Returns the bytes of all parameters of that name, as text.
  std::string packedBytesOf(StringRef name, Reading place) {
    auto packing = PanelPacking::fromAttribute(place.kernel.getArgAttr(place.argument, packedAttrName));
    auto type = cast<RankedTensorType>(place.kernel.getArgumentTypes()[place.argument]);
    int64_t bytes = packing ? packedBytes(type, *packing) : 0;
    for (int64_t count : getOperation().lookupSymbol<model::ParameterOp>(name).getCounts())
      bytes *= count;
    return std::to_string(bytes);
  }
};

} // namespace

std::unique_ptr<Pass> createPackWeightsPass(ArrayRef<std::unique_ptr<Emitter>> emitters, StringRef target) {
  return std::make_unique<PackWeights>(emitters, target);
}

} // namespace attnc

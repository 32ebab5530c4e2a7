//===- PackWeights.cpp - attn-pack-weights ------------------------------------------------------------------------===//
//
// Says which weights arrive packed: an argument of a kernel whose every call passes a parameter carries `attn.packed`
// where the emitter of the kernel wants it so (compiler/Codegen/PanelPacking.h).
//
// Needs: outlined, shared kernels, a target and its emitters. Leaves: `attn.packed` on such arguments, and a decision
// for each weight that a contraction reads: packed alone, packed beside the plain tensor that another kernel reads, or
// plain.
//
//   %w = model.get @up                                    func.func private @logits_gemm_2(%x, %w {attn.packed =
//   call @logits_gemm_2(%x, %w, %bias)              →       {layout = "panels", nr = 48, ...}}, %bias)
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Fuse/EmitterPass.h"
#include "compiler/Fuse/Explanation.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Fuse/Structure.h"
#include "dialects/Model/Model.h"

using namespace mlir;

namespace attnc {
namespace {

/// Where a parameter is read: by a kernel, through an argument.
struct Reading {
  func::FuncOp kernel;
  unsigned argument;
};

struct PackWeights : EmitterPass<PackWeights> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PackWeights)
  using EmitterPass::EmitterPass;
  StringRef getArgument() const final { return "attn-pack-weights"; }
  StringRef getDescription() const final { return "say which weights arrive packed"; }

  void runFor(const Target &target) {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (std::optional<OperandPacking> preferred = preferredPacking(kernel, target))
        if (isAlwaysParameter(kernel, preferred->argument))
          kernel.setArgAttr(preferred->argument, packedAttrName, preferred->packing.attribute(&getContext()));
    recordWeights();
  }

  std::optional<OperandPacking> preferredPacking(func::FuncOp kernel, const Target &target) {
    const Emitter *emitter = isKernel(kernel) ? emitterOf(kernel, target) : nullptr;
    return emitter ? emitter->preferredPacking(kernel, target) : std::nullopt;
  }

  SmallVector<func::CallOp> callsOf(func::FuncOp kernel) {
    SmallVector<func::CallOp> calls;
    getOperation().walk([&](func::CallOp call) {
      if (call.getCallee() == kernel.getName())
        calls.push_back(call);
    });
    return calls;
  }

  /// A parameter that the entry point changes would have to be packed again in each call.
  bool isAlwaysParameter(func::FuncOp kernel, unsigned argument) {
    SmallVector<func::CallOp> calls = callsOf(kernel);
    return !calls.empty() && llvm::all_of(calls, [&](func::CallOp call) {
      return isParameter(call.getOperand(argument)) && !isUpdatedParameter(call.getOperand(argument));
    });
  }

  static bool isContracted(Reading reading) {
    return llvm::any_of(reading.kernel.getArgument(reading.argument).getUsers(), [](Operation *user) {
      auto generic = dyn_cast<linalg::GenericOp>(user);
      return generic && matchContraction(generic);
    });
  }

  void recordWeights() {
    llvm::MapVector<StringRef, SmallVector<Reading>> readings;
    getOperation().walk([&](model::GetOp get) {
      for (OpOperand *use : usesThroughFreeViews(get.getResult())) {
        auto call = dyn_cast<func::CallOp>(use->getOwner());
        auto kernel = call ? getOperation().lookupSymbol<func::FuncOp>(call.getCallee()) : func::FuncOp();
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

  /// Of all the parameters of that name.
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

#include "compiler/Fuse/Explanation.h"
#include "compiler/Analysis/Decisions.h"
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace mlir;

namespace attnc {

static void printKernel(func::FuncOp kernel, raw_ostream &stream) {
  SmallVector<std::string> places = placesOf(kernel.getLoc());
  stream << "  kernel " << kernel.getName() << " (" << kernel->getAttrOfType<StringAttr>(kernelAttrName).getValue()
         << ')';
  if (auto gain = kernel->getAttrOfType<StringAttr>(tunedAttrName))
    stream << ", tuned: " << gain.getValue() << " x,";
  if (!places.empty())
    stream << " from " << llvm::join(places, ", ");
  stream << '\n';
}

static void printDecision(const Decision &decision, raw_ostream &stream) {
  stream << (decision.isMade ? "  made     " : "  left     ") << decision.what;
  if (!decision.into.empty())
    stream << " -> " << decision.into;
  stream << " [" << reasonId(decision.reason) << "]\n           " << reasonText(decision.reason);
  bool isWeight = decision.reason == Reason::WeightPacked || decision.reason == Reason::WeightPackedBeside;
  if (!decision.bytes.empty())
    stream << (isWeight          ? "; packed it takes "
               : decision.isMade ? "; saves "
                                 : "; materialises ")
           << decision.bytes << " bytes";
  stream << '\n';
  if (StringRef change = reasonChange(decision.reason); !decision.isMade && !change.empty())
    stream << "           to change it: " << change << '\n';
}

void printExplanation(ModuleOp module, raw_ostream &stream) {
  std::vector<Decision> decisions = recordedDecisions(module);
  for (func::FuncOp function : hostFunctions(module)) {
    stream << function.getName() << '\n';
    llvm::SetVector<Operation *> kernels;
    function.walk([&](func::CallOp call) {
      auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
      if (callee && callee->hasAttr(kernelAttrName) && kernels.insert(callee))
        printKernel(callee, stream);
    });
    for (const Decision &decision : decisions)
      if (decision.entry == function.getName())
        printDecision(decision, stream);
  }
  if (llvm::any_of(decisions, [](const Decision &decision) { return decision.entry.empty(); }))
    stream << "weights\n";
  for (const Decision &decision : decisions)
    if (decision.entry.empty())
      printDecision(decision, stream);
}

std::vector<std::string> unfusedPairs(ModuleOp module) {
  std::vector<std::string> lines;
  for (const Decision &decision : recordedDecisions(module)) {
    if (decision.isMade || !decision.pairs)
      continue;
    std::string place = decision.places.empty() ? decision.what : decision.places.front();
    lines.push_back(fmt::format("{}: error: not fused: {} ({} bytes) [{}]", place, reasonText(decision.reason).str(),
                                decision.bytes, reasonId(decision.reason).str()));
  }
  return lines;
}

} // namespace attnc

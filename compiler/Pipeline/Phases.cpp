#include "compiler/Pipeline/Phases.h"

namespace attnc {

static constexpr PhaseInfo list[] = {
    {Phase::Parse, "parse", "the tree of the model file"},
    {Phase::Check, "check", "the tree with shapes and element types, modules instantiated"},
    {Phase::Import, "import", "attn, model and linalg on tensors"},
    {Phase::Raise, "raise", "the same, with attention that was written as plain tensor code"},
    {Phase::Derive, "derive", "the same with gradients, steps of training and of decoding, maps of attention"},
    {Phase::Fuse, "fuse", "kernels, and entry points that call them"},
    {Phase::Narrow, "narrow", "the same, with tensors stored as --precision says"},
    {Phase::Generate, "generate", "vector code of each kernel"},
    {Phase::Plan, "plan", "the place of each value in the arena"},
    {Phase::Host, "host", "the code between the kernels, beside theirs"},
    {Phase::Lower, "lower", "the llvm dialect"},
    {Phase::Optimise, "optimise", "LLVM IR, optimised"},
    {Phase::Emit, "emit", "assembly text"},
};

llvm::ArrayRef<PhaseInfo> phases() { return list; }

llvm::StringRef nameOf(Phase phase) { return list[static_cast<int>(phase)].name; }

std::optional<Phase> phaseNamed(llvm::StringRef name) {
  for (const PhaseInfo &info : list)
    if (info.name == name)
      return info.phase;
  return std::nullopt;
}

} // namespace attnc

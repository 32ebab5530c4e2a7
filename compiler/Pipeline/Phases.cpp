#include "compiler/Pipeline/Phases.h"
#include "dialects/Attn/EnumTable.h"

namespace attnc {

static constexpr PhaseInfo list[] = {
    {Phase::Parse, "parse", "the syntax tree of the model file"},
    {Phase::Check, "check", "the tree with shapes and element types, and modules instantiated"},
    {Phase::Import, "import", "attn, model and linalg on tensors"},
    {Phase::Raise, "raise", "the same, with attention that raise found in plain tensor code"},
    {Phase::Derive, "derive", "the same, with gradients, training steps, decoding steps and attention maps"},
    {Phase::Fuse, "fuse", "kernels, and entry points that call them"},
    {Phase::Narrow, "narrow", "the same, with tensors in the storage types of --precision"},
    {Phase::Generate, "generate", "vector code of each kernel"},
    {Phase::Plan, "plan", "the location of each value in the arena"},
    {Phase::Host, "host", "the kernels, and the host code that calls them"},
    {Phase::Lower, "lower", "the llvm dialect"},
    {Phase::Optimise, "optimise", "LLVM IR, optimised"},
    {Phase::Emit, "emit", "assembly text"},
};

static_assert(isIndexedByEnum(list, &PhaseInfo::phase));

llvm::ArrayRef<PhaseInfo> phases() { return list; }

llvm::StringRef nameOf(Phase phase) { return list[static_cast<int>(phase)].name; }

std::optional<Phase> phaseNamed(llvm::StringRef name) {
  for (const PhaseInfo &info : list)
    if (info.name == name)
      return info.phase;
  return std::nullopt;
}

} // namespace attnc

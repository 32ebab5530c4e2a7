#include "compiler/Codegen/Interface/EmitterPreference.h"
#include "llvm/ADT/STLExtras.h"

namespace attnc {

llvm::ArrayRef<llvm::StringRef> emitterPreferenceNames() {
  static constexpr llvm::StringRef names[] = {"auto", "cpu", "halide"};
  return names;
}

std::optional<EmitterPreference> emitterPreferenceNamed(llvm::StringRef name) {
  auto names = emitterPreferenceNames();
  auto found = llvm::find(names, name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<EmitterPreference>(found - names.begin()));
}

} // namespace attnc

#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/Emitter.h"
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "compiler/Codegen/Halide/HalideEmitter.h"
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

Emitters createEmitters(EmitterPreference preference) {
  Emitters emitters;
  if (preference != EmitterPreference::Cpu)
    emitters.push_back(
        createHalideEmitter(preference == EmitterPreference::Halide ? HalideScope::All : HalideScope::Faster));
  emitters.push_back(createCpuEmitter());
  emitters.push_back(createGpuEmitter());
  return emitters;
}

} // namespace attnc

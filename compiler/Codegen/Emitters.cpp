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
  if (preference == EmitterPreference::Cpu) { // which takes every kernel that is not asked for otherwise
    emitters.push_back(createCpuEmitter());
    emitters.push_back(createHalideEmitter(HalideScope::Asked));
  } else {
    bool isPreferred = preference == EmitterPreference::Halide;
    emitters.push_back(createHalideEmitter(isPreferred ? HalideScope::All : HalideScope::ByRule));
    emitters.push_back(createCpuEmitter());
  }
  emitters.push_back(createGpuEmitter());
  return emitters;
}

} // namespace attnc

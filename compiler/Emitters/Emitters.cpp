#include "compiler/Emitters/Emitters.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "compiler/Codegen/Halide/HalideEmitter.h"

namespace attnc {

Emitters createEmitters(EmitterPreference preference) {
  Emitters emitters;
  if (preference == EmitterPreference::Cpu) { // `cpu` supports every kernel; Halide emits kernels on request
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

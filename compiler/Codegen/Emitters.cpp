#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/Emitter.h"
#include "compiler/Codegen/GPU/GpuEmitter.h"

namespace attnc {

Emitters createEmitters() {
  Emitters emitters;
  emitters.push_back(createCpuEmitter());
  emitters.push_back(createGpuEmitter());
  return emitters;
}

} // namespace attnc

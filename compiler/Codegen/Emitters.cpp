#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Codegen/Emitter.h"

namespace attnc {

Emitters createEmitters() {
  Emitters emitters;
  emitters.push_back(createCpuEmitter());
  return emitters;
}

} // namespace attnc

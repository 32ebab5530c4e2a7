#include "tests/support/Ptxas.h"
#include "compiler/Codegen/GPU/Backend/Ptxas.h"

namespace attnc {

bool hasPtxas() { return Ptxas::find().has_value(); }

std::string ptxasFault(const std::string &ptx, const std::string &architecture) {
  return Ptxas::find()->assemble(ptx, architecture).fault();
}

int64_t ptxasRegisters(const std::string &ptx, const std::string &architecture) {
  return Ptxas::find()->assemble(ptx, architecture).registers();
}

} // namespace attnc

#include "compiler/Codegen/Target/ProcessorFeatures.h"
#include "attn/processor.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

namespace attnc {

static constexpr struct {
  int number;
  const char *name;
} knownFeatures[] = {
#define ROW(NUMBER, NAME, LEAF, SUBLEAF, REGISTER, MASK, LEAST, STATE) {NUMBER, NAME},
    ATTN_PROCESSOR_FEATURES(ROW)
#undef ROW
};

uint64_t processorFeatures(const Target &target) {
  std::unique_ptr<llvm::TargetMachine> machine = target.host().createMachine();
  uint64_t bits = 0;
  for (const auto &feature : knownFeatures)
    if (machine->getMCSubtargetInfo()->checkFeatures(std::string("+") + feature.name))
      bits |= uint64_t(1) << feature.number;
  return bits;
}

std::string noFeatures() {
  std::string text;
  for (const auto &feature : knownFeatures)
    text += std::string(text.empty() ? "-" : ",-") + feature.name;
  return text;
}

} // namespace attnc

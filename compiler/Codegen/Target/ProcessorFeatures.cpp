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

/// The rows of the table that are features of the processor's architecture.
static auto featuresOfArchitecture(const llvm::MCSubtargetInfo &processor) {
  llvm::ArrayRef<llvm::SubtargetFeatureKV> known = processor.getAllProcessorFeatures();
  return llvm::make_filter_range(knownFeatures, [known](const auto &feature) {
    auto isFeature = [&](const llvm::SubtargetFeatureKV &each) { return llvm::StringRef(each.Key) == feature.name; };
    return llvm::any_of(known, isFeature);
  });
}

uint64_t processorFeatures(const Target &target) {
  std::unique_ptr<llvm::TargetMachine> machine = target.host().createMachine();
  const llvm::MCSubtargetInfo &processor = *machine->getMCSubtargetInfo();
  uint64_t bits = 0;
  for (const auto &feature : featuresOfArchitecture(processor))
    if (processor.checkFeatures(std::string("+") + feature.name))
      bits |= uint64_t(1) << feature.number;
  return bits;
}

std::string disabledFeatures(const Target &host) {
  std::unique_ptr<llvm::TargetMachine> machine = host.createMachine();
  std::string text;
  for (const auto &feature : featuresOfArchitecture(*machine->getMCSubtargetInfo()))
    text += std::string(text.empty() ? "-" : ",-") + feature.name;
  return text;
}

} // namespace attnc

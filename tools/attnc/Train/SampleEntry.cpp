#include "tools/attnc/Train/SampleEntry.h"
#include "tools/attnc/Data/EntryInputs.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace attnc {

Expected<int64_t> findSampleEntry(const attn_model &model, const attn_entry_info &step, const std::string &name,
                                  const std::string &suggestion) {
  int64_t number = attn_find_entry(&model, name.c_str());
  if (number < 0)
    return createStringError(formatv("the model has no entry point '{0}'; {1}", name, suggestion));
  const attn_entry_info &entry = model.entries[number];
  for (int32_t input = 0; input < inputsBeforeKey(entry); ++input)
    if (inputNumber(step, entry.tensors[input].name) < 0)
      return createStringError(formatv("'{0}' takes '{1}', but '{2}' does not, so there are no data for it", entry.name,
                                       entry.tensors[input].name, step.name));
  return number;
}

std::vector<HostTensor> inputsOfSample(const attn_entry_info &entry, const attn_entry_info &step,
                                       const std::vector<HostTensor> &sample) {
  std::vector<HostTensor> inputs;
  for (int32_t input = 0; input < inputsBeforeKey(entry); ++input)
    inputs.push_back(sample[inputNumber(step, entry.tensors[input].name)]);
  return inputs;
}

} // namespace attnc

//===- EntryInputs.h - the sources of an entry point's inputs -----------------------------------------------------===//
//
// In calls over data, an input has one of three sources: rows of the data (--data), one value for all calls (--input),
// or the key of random draws, which is the last inputs, `seed` and `step`.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Call/InputRanges.h"
#include "tools/attnc/Call/InputValues.h"
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// The number of inputs before the key of random draws.
int32_t inputsBeforeKey(const attn_entry_info &entry);
/// The key of random draws, the last inputs of `entry`; empty for an entry point without draws. A training step counts
/// its steps itself, so its key is the seed alone.
std::vector<HostTensor> drawKey(const attn_entry_info &entry, uint64_t seed, int64_t step);

class EntryInputs {
public:
  /// Reads the values `options`, NAME=VALUE, where VALUE is a file, a number, words or a label. Fails if a value does
  /// not fit its input. `entry` must outlive the result.
  static llvm::Expected<EntryInputs> read(const attn_entry_info &entry, llvm::ArrayRef<std::string> options,
                                          const Vocabularies &vocabularies);

  /// The numbers of the inputs from the data, in order.
  llvm::ArrayRef<int32_t> sampled() const { return fromData; }
  const attn_tensor_info &sampled(size_t number) const { return entry->tensors[fromData[number]]; }
  bool isSampled(int32_t input) const { return input < int32_t(values.size()) && !values[input]; }
  /// All inputs before the key, in order: `samples`, which has the inputs from the data, and the values.
  std::vector<HostTensor> complete(std::vector<HostTensor> samples) const;

  /// Whether there are values, and all lack the dimension of accumulated batches.
  bool areOfOneBatch() const;
  /// Fails if an element of a value is a subscript that is out of range, or if a value has a wrong rank: values lack
  /// the dimension of accumulated batches if the training step `isAccumulated`.
  llvm::Error check(const InputRanges &ranges, bool isAccumulated) const;
  /// `hash`, changed by all values.
  uint64_t fingerprint(uint64_t hash) const;

private:
  explicit EntryInputs(const attn_entry_info &entry) : entry(&entry) {}
  int32_t lackingDimensions(size_t input) const {
    return entry->tensors[input].rank - int32_t(values[input]->tensor.shape.size());
  }
  llvm::Error checkRank(size_t input, bool isAccumulated) const;
  llvm::Error checkRange(size_t input, const InputRanges &ranges) const;

  const attn_entry_info *entry;
  std::vector<std::optional<InputValues>> values; ///< of the inputs before the key; null for those from the data
  std::vector<int32_t> fromData;
};

} // namespace attnc

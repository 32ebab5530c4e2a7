//===- EntryInputs.h - the sources of an entry point's inputs -----------------------------------------------------===//
//
// In calls over data, an input has one of three sources: rows of the data (--data), one value for all calls (--input),
// or the key of random draws. The key consists of the last inputs of an entry point with random draws: `seed` and
// `step`, both i32 of rank 0, which are recognised by these names and types. A training step counts its steps itself,
// so its key is `seed` alone.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Call/InputRanges.h"
#include "tools/attnc/Call/InputValues.h"
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// The number of inputs before the key of random draws; the number of all inputs if there is no key.
int32_t inputsBeforeKey(const attn_entry_info &entry);
/// The number of the input `name` before the key; -1 if there is none.
int32_t inputNumber(const attn_entry_info &entry, llvm::StringRef name);
/// The values of the key of random draws: one i32 tensor of rank 0 for each input of the key, from `seed` and `step`
/// truncated to 32 bits; empty for an entry point without draws.
std::vector<HostTensor> drawKey(const attn_entry_info &entry, uint64_t seed, int64_t step);

/// The values of --input, and the inputs that have none and come from the data. Inputs are numbered as in
/// entry.tensors.
class EntryInputs {
public:
  /// Reads the values `options`, each NAME=VALUE, where VALUE is a file, a number, words or a label (InputValues.h). An
  /// error if a value cannot be read, does not fit its input, is a filling, or is for an input of the key. Inputs
  /// before the key without a value come from the data. `entry` must outlive the result.
  static llvm::Expected<EntryInputs> read(const attn_entry_info &entry, llvm::ArrayRef<std::string> options,
                                          const Vocabularies &vocabularies);

  /// The numbers of the inputs from the data, ascending.
  llvm::ArrayRef<int32_t> sampled() const { return fromData; }
  /// The input that is element `number` of sampled().
  const attn_tensor_info &sampled(size_t number) const { return entry->tensors[fromData[number]]; }
  bool isSampled(int32_t input) const { return input < int32_t(values.size()) && !values[input]; } ///< is in sampled()
  /// All inputs before the key, in order. `samples` has one tensor for each element of sampled(); the others are the
  /// values.
  std::vector<HostTensor> complete(std::vector<HostTensor> samples) const;

  /// Whether there are values, and each lacks the leading dimension of accumulated batches (InputValues.h).
  bool areOfOneBatch() const;
  /// An error if a value has a negative subscript, one that is not below all numbers among its limits in `ranges`, or a
  /// wrong rank. `isAccumulated` is whether the training step accumulates batches; values must then lack the leading
  /// dimension.
  llvm::Error check(const InputRanges &ranges, bool isAccumulated) const;
  /// `hash` combined with the elements of all values.
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
  std::vector<int32_t> fromData;                  ///< see sampled()
};

} // namespace attnc

//===- CheckpointWord.h - placeholders for list indices in `as "..."` ---------------------------------------------===//
//
// The word of a field in the names of checkpoints may have placeholders for the indices of the lists around the field,
// which are numbered from the outermost; the list of the field itself is the last:
//
//   layers: [Layer(dim); n] as "h.{0}"                    the index; without a placeholder, it follows the word
//   groups: [Group(dim); n] as "layers{}"                 no index: fields of the group use it
//   local:  [Layer(dim); 5] as "{6 * {0} + {1}}"          in Group: a sum of products of numbers and indices
//   full:   Layer(dim)      as "{period * {0} + 5}"
//
// Other text in braces stands for itself.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attnc::check {

/// The index of a module in a list around it. Constant: a number, in a list of different modules. Equal: the number of
/// the list among those of equal modules, whose index is only known when a parameter is accessed. Stacked: an index of
/// the first dimension of the parameters (StackedLists.h); its placeholder is "[]".
struct ListIndex {
  enum Kind { Constant, Equal, Stacked } kind;
  int64_t number; ///< not read if Stacked
};

struct CheckpointWord {
  std::string text;    ///< with placeholders of the dialect `model` (dialects/Model/CheckpointName.h); after an error a
                       ///< text that differs for all modules
  std::string problem; ///< an error in a placeholder; empty if there is none
};

/// Returns the whole number of at least 0 that a name stands for; null if there is none.
using NumberOfName = std::function<std::optional<int64_t>(const std::string &name)>;

/// Expands the placeholders of `word`. `lists` are the lists around the field, and the last `own` of them those of the
/// field itself, whose indices follow the word unless it has placeholders for them or `{}`.
CheckpointWord expandWord(std::string_view word, std::span<const ListIndex> lists, size_t own,
                          const NumberOfName &numberOf);

} // namespace attnc::check

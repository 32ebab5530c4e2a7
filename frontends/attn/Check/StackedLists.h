//===- StackedLists.h - lists of equal modules that data subscripts -----------------------------------------------===//
//
// In `experts: [Expert(dim); 8]`, each parameter of an expert is a list of parameters, and an element of the list is
// selected by a number or by a loop. If data selects the module, as in `experts[best[t]](x[t])`, the list is stacked:
// a parameter of its modules is one tensor, whose first dimension counts the modules.
//
//   w: f32[dim, dim] in a list                       parameter w [8] : f32[dim, dim], read as w[l] for a number l
//   w: f32[dim, dim] in a stacked list               parameter w : f32[8, dim, dim], read by any subscript
//
// The names in checkpoints are the same. The check instantiates a list before it finds such a subscript in a function.
// It then adds the list to StackedLists, and starts again (checkFile of Check.cpp).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Source.h"

#include <set>
#include <string>
#include <utility>

namespace attnc::check {

/// The stacked lists of a program, by the fields that declare them. A field is identified by its file and place, which
/// are the same in each check of the program.
class StackedLists {
public:
  explicit StackedLists(const SourceManager &sources) : sources(sources) {}

  /// `field` is the source range of the field's name.
  void add(SourceRange field) { fields.insert(keyOf(field)); }
  bool contains(SourceRange field) const { return fields.contains(keyOf(field)); }
  size_t size() const { return fields.size(); }

private:
  using Key = std::pair<std::string, uint32_t>;
  Key keyOf(SourceRange field) const { return {sources.file(field.file).name(), field.begin}; }

  const SourceManager &sources;
  std::set<Key> fields;
};

} // namespace attnc::check

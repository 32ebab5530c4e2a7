//===- CheckpointNames.h - distinct names of parameters in checkpoints --------------------------------------------===//
#pragma once

#include "compiler/Diagnostics/Source.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace attnc::check {

/// The names of all parameters, with the places where they are declared.
class CheckpointNames {
public:
  /// An earlier parameter with the same name.
  struct Clash {
    std::string name;
    SourceRange place;
  };
  /// Adds the name of a parameter, with placeholders for the indices of the lists of `counts` elements around it
  /// (dialects/Model/CheckpointName.h). Returns the first clash of one of its names, also of two of its own.
  std::optional<Clash> add(const std::string &name, const std::vector<int64_t> &counts, SourceRange place);

private:
  struct Named {
    std::string name;
    std::vector<int64_t> counts;
    SourceRange place;
  };
  std::optional<Clash> addElements(const Named &named);

  std::vector<Named> all;
  std::map<std::string, SourceRange> texts;    ///< names with placeholders
  std::map<std::string, SourceRange> elements; ///< all names at all indices, from the first that may clash on
  bool hasElements = false;
};

} // namespace attnc::check

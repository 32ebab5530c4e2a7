// Names of parameterised tests (GoogleTest).
#pragma once

#include <cctype>
#include <string>

namespace attnc {

/// Returns a valid test name for a title: "grouped heads" becomes "grouped_heads".
inline std::string testName(std::string what) {
  for (char &character : what)
    if (!std::isalnum(static_cast<unsigned char>(character)))
      character = '_';
  return what;
}

} // namespace attnc

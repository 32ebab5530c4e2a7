// Name of a parameterised test from a title: "grouped heads" is grouped_heads.
#pragma once

#include <cctype>
#include <string>

namespace attnc {

inline std::string testName(std::string what) {
  for (char &character : what)
    if (!std::isalnum(static_cast<unsigned char>(character)))
      character = '_';
  return what;
}

} // namespace attnc

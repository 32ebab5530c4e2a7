// What a test of a table is called, of what it is about: "grouped heads" is grouped_heads.
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

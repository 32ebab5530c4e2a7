#include "tests/compiler/Codegen/GPU/PtxText.h"

namespace attnc {

std::string functionOf(const std::string &ptx, const std::string &name) {
  size_t begin = ptx.find(".entry " + name + "(");
  return ptx.substr(begin, ptx.find(".entry ", begin + 1) - begin);
}

int64_t count(std::string_view text, std::string_view part) {
  int64_t found = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

} // namespace attnc

#include "frontends/checkpoint/Architecture.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace attnc {

std::string readArchitecture(Config &config, StringRef prefix, ArrayRef<StringRef> supported) {
  std::vector<std::string> classes = config.texts("architectures");
  if (classes.empty())
    return supported.front().str();
  StringRef name = classes.front();
  if (name.consume_front(prefix) && is_contained(supported, name))
    return name.str();
  std::vector<std::string> names;
  for (StringRef each : supported)
    names.push_back((prefix + each).str());
  config.refuse("architectures", join(names, ", "));
  return supported.front().str();
}

} // namespace attnc

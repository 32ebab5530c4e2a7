#include "compiler/Schedule/Override.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using llvm::StringRef;

namespace attnc {

llvm::Expected<Override> parseOverride(StringRef text) {
  auto [name, value] = text.split('=');
  auto [what, key] = name.trim().rsplit('.');
  Override setting{what.trim().str(), key.trim().str(), value.trim().str()};
  if (setting.what.empty() || setting.key.empty() || setting.value.empty())
    return llvm::createStringError(fmt::format("`{}` is not an override, expected what.key=value", text.trim().str()));
  return setting;
}

std::string textOf(const Override &setting) { return setting.what + "." + setting.key + "=" + setting.value; }

llvm::Expected<std::vector<Override>> parseStrategy(StringRef path, StringRef text) {
  std::vector<Override> overrides;
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [number, line] : llvm::enumerate(lines)) {
    StringRef content = line.split('#').first.trim();
    if (content.empty())
      continue;
    auto setting = parseOverride(content);
    if (!setting)
      return llvm::createStringError(
          fmt::format("{}:{}: {}", path.str(), number + 1, llvm::toString(setting.takeError())));
    overrides.push_back(std::move(*setting));
  }
  return overrides;
}

} // namespace attnc

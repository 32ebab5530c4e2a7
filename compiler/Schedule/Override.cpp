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

std::string withOrigin(const std::string &origin, const std::string &message) {
  return origin.empty() ? message : origin + ": " + message;
}

llvm::Expected<std::vector<Override>> parseStrategy(StringRef path, StringRef text) {
  std::vector<Override> overrides;
  text.consume_front("\xEF\xBB\xBF"); // byte order mark
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [number, line] : llvm::enumerate(lines)) {
    StringRef content = line.split('#').first.trim();
    if (content.empty())
      continue;
    std::string origin = path.empty() ? "" : fmt::format("{}:{}", path.str(), number + 1);
    auto setting = parseOverride(content);
    if (!setting)
      return llvm::createStringError(withOrigin(origin, llvm::toString(setting.takeError())));
    setting->origin = origin;
    overrides.push_back(std::move(*setting));
  }
  return overrides;
}

} // namespace attnc

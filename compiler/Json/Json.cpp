#include "compiler/Json/Json.h"

namespace attnc {

/// The first offset at which lists and objects are nested too deeply; npos if there is none.
static size_t findTooDeep(llvm::StringRef text) {
  unsigned levels = 0;
  bool isQuoted = false;
  for (size_t at = 0; at < text.size(); ++at) {
    char character = text[at];
    if (character == '"')
      isQuoted = !isQuoted;
    else if (isQuoted)
      at += character == '\\';
    else if ((character == '[' || character == '{') && ++levels > mostJsonLevels)
      return at;
    else if ((character == ']' || character == '}') && levels > 0)
      --levels;
  }
  return llvm::StringRef::npos;
}

llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text) {
  size_t tooDeep = findTooDeep(text);
  if (tooDeep == llvm::StringRef::npos)
    return llvm::json::parse(text);
  size_t line = 1 + text.take_front(tooDeep).count('\n');
  return createStringError("line " + llvm::Twine(line) + " is nested deeper than " + llvm::Twine(mostJsonLevels) +
                           " levels");
}

} // namespace attnc

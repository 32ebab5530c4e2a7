#include "compiler/Pipeline/ModelName.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace attnc {

std::string stemOf(llvm::StringRef path) {
  for (llvm::StringRef suffix : {".attn", ".mlir"})
    if (path.ends_with(suffix))
      return llvm::sys::path::stem(path).str();
  llvm::SmallString<128> folder(path);
  if (!llvm::sys::fs::make_absolute(folder))
    llvm::sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
  return llvm::sys::path::filename(folder).str();
}

std::string prefixOf(llvm::StringRef path) {
  std::string prefix;
  for (char character : stemOf(path))
    prefix += llvm::isAlnum(character) ? character : '_';
  return prefix.empty() || llvm::isDigit(prefix[0]) || isOfRuntime(prefix) ? "_" + prefix : prefix;
}

bool isOfRuntime(llvm::StringRef prefix) { return prefix == "attn" || prefix.starts_with("attn_"); }

} // namespace attnc

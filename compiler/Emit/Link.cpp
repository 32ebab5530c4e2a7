#include "compiler/Emit/Link.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

namespace attnc {

llvm::Expected<std::string> archiveOf(llvm::StringRef object, const std::string &memberName) {
  llvm::NewArchiveMember member(llvm::MemoryBufferRef(object, memberName));
  auto archive = llvm::writeArchiveToBuffer(std::move(member), llvm::SymtabWritingMode::NormalSymtab,
                                            llvm::object::Archive::K_GNU, /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    return archive.takeError();
  return (*archive)->getBuffer().str();
}

llvm::Error linkShared(const std::string &objectPath, const std::string &path, const std::string &soname) {
  llvm::SmallVector<std::string> command;
  for (const char *linker : {"ld.lld-22", "ld.lld"})
    if (auto found = llvm::sys::findProgramByName(linker)) {
      command = {*found, "-shared", "--build-id=none", "-soname=" + soname};
      break;
    }
  if (command.empty()) {
    auto found = llvm::sys::findProgramByName("cc");
    if (!found)
      return llvm::createStringError("can't link %s: neither ld.lld nor cc is installed", path.c_str());
    command = {*found, "-shared", "-nostdlib", "-Wl,--build-id=none", "-Wl,-soname=" + soname};
  }
  command.append({"-o", path, objectPath});
  llvm::SmallVector<llvm::StringRef> arguments(command.begin(), command.end());
  std::string message;
  if (llvm::sys::ExecuteAndWait(command.front(), arguments, std::nullopt, {}, 0, 0, &message))
    return llvm::createStringError("can't link %s with %s %s", path.c_str(), command.front().c_str(), message.c_str());
  return llvm::Error::success();
}

std::string dependencyRule(llvm::StringRef target, llvm::ArrayRef<std::string> inputs) {
  auto escaped = [](llvm::StringRef path) {
    std::string result;
    for (char character : path) {
      if (llvm::StringRef(" #:").contains(character))
        result += '\\';
      if (character == '$')
        result += '$';
      result += character;
    }
    return result;
  };
  std::string rule = escaped(target) + ":";
  for (const std::string &input : inputs)
    rule += " \\\n  " + escaped(input);
  return rule + "\n";
}

} // namespace attnc

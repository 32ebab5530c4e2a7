#include "compiler/Pipeline/ObjectCache.h"
#include "compiler/Emit/Checksum.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

namespace attnc {

/// Identifies the program: another build of attnc may generate other code from the same IR. Empty if that is unknown.
static const std::string &programIdentity() {
  static const std::string identity = [] {
    llvm::sys::fs::file_status status;
    if (llvm::sys::fs::status("/proc/self/exe", status))
      return std::string();
    return fmt::format("{} {} {}", LLVM_VERSION_STRING, status.getSize(),
                       status.getLastModificationTime().time_since_epoch().count());
  }();
  return identity;
}

std::string ObjectCache::nameFor(const llvm::Module &code, const Target &target) {
  if (programIdentity().empty())
    return {};
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(code, stream);
  stream << '\n' << target.cpu << '\n' << target.features << '\n' << programIdentity();
  llvm::SHA256 hash;
  hash.update(bytes);
  return "llvmcache-" + llvm::toHex(hash.final(), /*LowerCase=*/true); // the prefix that pruneCache requires
}

std::string ObjectCache::pathOf(llvm::StringRef name) const {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

llvm::SmallVector<char, 0> ObjectCache::find(llvm::StringRef name) const {
  auto file = llvm::MemoryBuffer::getFile(pathOf(name), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return {};
  llvm::StringRef bytes = (*file)->getBuffer();
  if (llvm::Error error = verifyChecksum(bytes)) {
    llvm::consumeError(std::move(error)); // store() replaces the file
    return {};
  }
  return {bytes.begin(), bytes.end()};
}

llvm::Error ObjectCache::store(llvm::StringRef name, llvm::ArrayRef<char> object) const {
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return llvm::createStringError(code, "can't create the folder " + folder + ": " + code.message());
  auto write = [&](llvm::raw_ostream &out) {
    out.write(object.data(), object.size());
    return llvm::Error::success();
  };
  if (llvm::Error error = llvm::writeToOutput(pathOf(name), write))
    return llvm::createStringError("can't write to " + folder + ": " + llvm::toString(std::move(error)));
  llvm::CachePruningPolicy policy;
  policy.Expiration = std::chrono::hours(30 * 24);
  policy.MaxSizeBytes = uint64_t(1) << 30;
  policy.MaxSizePercentageOfAvailableSpace = 0; // no other limit
  llvm::pruneCache(folder, policy);
  return llvm::Error::success();
}

} // namespace attnc

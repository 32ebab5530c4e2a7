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

static std::string hashOf(llvm::StringRef bytes) {
  llvm::SHA256 hash;
  hash.update(bytes);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

/// The name of a file whose content this program determines from `bytes`.
static std::string nameOf(llvm::StringRef kind, llvm::StringRef bytes) {
  if (programIdentity().empty())
    return {};
  // The prefix is the one that pruneCache requires.
  return ("llvmcache-" + kind + hashOf((bytes + "\n" + programIdentity()).str())).str();
}

std::string ObjectCache::nameFor(const llvm::Module &code, const Target &target) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(code, stream);
  stream << '\n' << target.cpu << '\n' << target.features;
  return nameOf("", bytes);
}

std::string ObjectCache::nameOfCompile(llvm::StringRef key) { return nameOf("compile-", key); }

std::string ObjectCache::pathOf(llvm::StringRef name) const {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

/// The content of a file of the cache; null if it can't be read.
static std::unique_ptr<llvm::MemoryBuffer> contentOf(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return file ? std::move(*file) : nullptr;
}

llvm::SmallVector<char, 0> ObjectCache::find(llvm::StringRef name) const {
  auto file = contentOf(pathOf(name));
  if (!file)
    return {};
  llvm::StringRef bytes = file->getBuffer();
  if (llvm::Error error = verifyChecksum(bytes)) {
    llvm::consumeError(std::move(error)); // store() replaces the file
    return {};
  }
  return {bytes.begin(), bytes.end()};
}

// A record is three texts: a hash of the rest, the name of the object, and the warnings, with line breaks in between.

std::optional<CachedCompile> ObjectCache::findCompile(llvm::StringRef name) const {
  auto file = contentOf(pathOf(name));
  if (!file)
    return std::nullopt;
  auto [hash, rest] = file->getBuffer().split('\n');
  if (hash != hashOf(rest))
    return std::nullopt;
  auto [object, warnings] = rest.split('\n');
  return CachedCompile{object.str(), warnings.str()};
}

llvm::Error ObjectCache::storeCompile(llvm::StringRef name, const CachedCompile &compile) const {
  std::string rest = compile.object + "\n" + compile.warnings, text = hashOf(rest) + "\n" + rest;
  return store(name, llvm::ArrayRef(text.data(), text.size()));
}

llvm::Error ObjectCache::store(llvm::StringRef name, llvm::ArrayRef<char> content) const {
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return llvm::createStringError(code, "can't create the folder " + folder + ": " + code.message());
  auto write = [&](llvm::raw_ostream &out) {
    out.write(content.data(), content.size());
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

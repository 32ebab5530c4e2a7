#include "compiler/Emit/Checksum.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <array>
#include <cstring>

namespace attnc {

using Hash = std::array<uint8_t, 16>;

static Hash hashOf(llvm::StringRef bytes) {
  llvm::XXH128_hash_t hash = xxh3_128bits(arrayRefFromStringRef(bytes));
  Hash result;
  llvm::support::endian::write64le(result.data(), hash.low64);
  llvm::support::endian::write64le(result.data() + 8, hash.high64);
  return result;
}

/// Hash of the bytes before and after the checksum.
static Hash hashAround(llvm::StringRef object, llvm::StringRef checksum) {
  std::array<Hash, 2> parts = {hashOf(object.take_front(checksum.begin() - object.begin())),
                               hashOf(object.take_back(object.end() - checksum.end()))};
  return hashOf(llvm::StringRef(reinterpret_cast<const char *>(parts.data()), sizeof(parts)));
}

/// The section's bytes in the file; an error if there is none.
static llvm::Expected<llvm::StringRef> findChecksum(llvm::StringRef object) {
  auto file = llvm::object::ELFFile<llvm::object::ELF64LE>::create(object);
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return sections.takeError();
  auto names = file->getSectionStringTable(*sections);
  if (!names)
    return names.takeError();
  for (const auto &section : *sections) {
    llvm::StringRef name = names->substr(section.sh_name); // and later names: their ends are not searched
    bool isChecksum = name.consume_front(checksumSection) && name.starts_with(llvm::StringRef("", 1));
    if (!isChecksum || section.sh_type == llvm::ELF::SHT_NOBITS)
      continue;
    auto content = file->getSectionContents(section);
    if (!content)
      return content.takeError();
    return toStringRef(*content);
  }
  return llvm::StringRef();
}

void addChecksum(llvm::Module &code) {
  std::string room(sizeof(Hash), '\0');
  embedBufferInModule(code, llvm::MemoryBufferRef(room, checksumSection), checksumSection);
}

llvm::Error writeChecksum(llvm::MutableArrayRef<char> object) {
  llvm::StringRef bytes(object.data(), object.size());
  llvm::Expected<llvm::StringRef> checksum = findChecksum(bytes);
  if (!checksum)
    return checksum.takeError();
  if (checksum->size() != sizeof(Hash))
    return llvm::createStringError("it has no room for a checksum");
  Hash hash = hashAround(bytes, *checksum);
  std::memcpy(object.data() + (checksum->begin() - bytes.begin()), hash.data(), sizeof(hash));
  return llvm::Error::success();
}

llvm::Error verifyChecksum(llvm::StringRef object) {
  llvm::Expected<llvm::StringRef> checksum = findChecksum(object);
  if (!checksum)
    return llvm::createStringError("is a damaged object file: " + toString(checksum.takeError()));
  if (checksum->size() != sizeof(Hash))
    return createStringError("has no section " + checksumSection + " with a checksum; compile it again");
  Hash hash = hashAround(object, *checksum);
  if (std::memcmp(hash.data(), checksum->data(), sizeof(hash)) != 0)
    return createStringError("is damaged, or was changed: its bytes do not have the checksum in section " +
                             checksumSection + "; compile it again");
  return llvm::Error::success();
}

} // namespace attnc

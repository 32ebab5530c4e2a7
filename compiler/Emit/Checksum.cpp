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

using namespace llvm;

namespace attnc {

using Hash = std::array<uint8_t, 16>;

static Hash hashOf(StringRef bytes) {
  XXH128_hash_t hash = xxh3_128bits(arrayRefFromStringRef(bytes));
  Hash result;
  support::endian::write64le(result.data(), hash.low64);
  support::endian::write64le(result.data() + 8, hash.high64);
  return result;
}

/// Hash of the bytes before and after the checksum.
static Hash hashAround(StringRef object, StringRef checksum) {
  std::array<Hash, 2> parts = {hashOf(object.take_front(checksum.begin() - object.begin())),
                               hashOf(object.take_back(object.end() - checksum.end()))};
  return hashOf(StringRef(reinterpret_cast<const char *>(parts.data()), sizeof(parts)));
}

/// The section's bytes in the file; an error if there is none.
static Expected<StringRef> findChecksum(StringRef object) {
  auto file = object::ELFFile<object::ELF64LE>::create(object);
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return sections.takeError();
  auto names = file->getSectionStringTable(*sections);
  if (!names)
    return names.takeError();
  for (const auto &section : *sections) {
    StringRef name = names->substr(section.sh_name); // and later names: their ends are not searched
    bool isChecksum = name.consume_front(checksumSection) && name.starts_with(StringRef("", 1));
    if (!isChecksum || section.sh_type == ELF::SHT_NOBITS)
      continue;
    auto content = file->getSectionContents(section);
    if (!content)
      return content.takeError();
    return toStringRef(*content);
  }
  return StringRef();
}

void addChecksum(Module &code) {
  std::string room(sizeof(Hash), '\0');
  embedBufferInModule(code, MemoryBufferRef(room, checksumSection), checksumSection);
}

Error writeChecksum(MutableArrayRef<char> object) {
  StringRef bytes(object.data(), object.size());
  Expected<StringRef> checksum = findChecksum(bytes);
  if (!checksum)
    return checksum.takeError();
  if (checksum->size() != sizeof(Hash))
    return createStringError("it has no room for a checksum");
  Hash hash = hashAround(bytes, *checksum);
  std::memcpy(object.data() + (checksum->begin() - bytes.begin()), hash.data(), sizeof(hash));
  return Error::success();
}

Error verifyChecksum(StringRef object) {
  Expected<StringRef> checksum = findChecksum(object);
  if (!checksum)
    return createStringError("is a damaged object file: " + toString(checksum.takeError()));
  if (checksum->size() != sizeof(Hash))
    return createStringError("has no section " + checksumSection + " with a checksum; compile it again");
  Hash hash = hashAround(object, *checksum);
  if (std::memcmp(hash.data(), checksum->data(), sizeof(hash)) != 0)
    return createStringError("is damaged, or was changed: its bytes do not have the checksum in section " +
                             checksumSection + "; compile it again");
  return Error::success();
}

} // namespace attnc

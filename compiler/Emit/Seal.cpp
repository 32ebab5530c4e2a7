#include "compiler/Emit/Seal.h"
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
static Hash hashAround(StringRef object, StringRef seal) {
  std::array<Hash, 2> parts = {hashOf(object.take_front(seal.begin() - object.begin())),
                               hashOf(object.take_back(object.end() - seal.end()))};
  return hashOf(StringRef(reinterpret_cast<const char *>(parts.data()), sizeof(parts)));
}

/// The section's bytes in the file; an error if there is none.
static Expected<StringRef> findSeal(StringRef object) {
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
    bool isSeal = name.consume_front(sealSection) && name.starts_with(StringRef("", 1));
    if (!isSeal || section.sh_type == ELF::SHT_NOBITS)
      continue;
    auto content = file->getSectionContents(section);
    if (!content)
      return content.takeError();
    return toStringRef(*content);
  }
  return StringRef();
}

void addSeal(Module &code) {
  std::string room(sizeof(Hash), '\0');
  embedBufferInModule(code, MemoryBufferRef(room, sealSection), sealSection);
}

Error seal(MutableArrayRef<char> object) {
  StringRef bytes(object.data(), object.size());
  Expected<StringRef> place = findSeal(bytes);
  if (!place)
    return place.takeError();
  if (place->size() != sizeof(Hash))
    return createStringError("it has no room for a checksum");
  Hash hash = hashAround(bytes, *place);
  std::memcpy(object.data() + (place->begin() - bytes.begin()), hash.data(), sizeof(hash));
  return Error::success();
}

Error checkSeal(StringRef object) {
  Expected<StringRef> place = findSeal(object);
  if (!place)
    return createStringError("is a damaged object file: " + toString(place.takeError()));
  if (place->size() != sizeof(Hash))
    return createStringError("has no section " + sealSection + " with a checksum; compile it again");
  Hash hash = hashAround(object, *place);
  if (std::memcmp(hash.data(), place->data(), sizeof(hash)) != 0)
    return createStringError("is damaged, or was changed: its bytes do not have the checksum in section " +
                             sealSection + "; compile it again");
  return Error::success();
}

} // namespace attnc

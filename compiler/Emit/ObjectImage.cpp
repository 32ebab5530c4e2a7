#include "compiler/Emit/ObjectImage.h"
#include "compiler/Codegen/Target/Isa.h"
#include <algorithm>
#include <cstring>

namespace attnc {

static llvm::Error damaged(llvm::Error error) {
  return llvm::createStringError("is a damaged object file: " + toString(std::move(error)));
}

/// Rejects other kinds of files.
static llvm::Error checkKind(llvm::StringRef bytes) {
  using Header = llvm::object::ELF64LE::Ehdr;
  if (!bytes.starts_with(llvm::StringRef("\x7f"
                                         "ELF")))
    return llvm::createStringError("is not an object file");
  if (bytes.size() < sizeof(Header))
    return createStringError("is a damaged object file: it ends after " + llvm::Twine(bytes.size()) + " bytes");
  Header header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const Architecture &native = nativeArchitecture(); // readers call functions of the object
  if (header.e_ident[llvm::ELF::EI_CLASS] != llvm::ELF::ELFCLASS64 ||
      header.e_ident[llvm::ELF::EI_DATA] != llvm::ELF::ELFDATA2LSB || header.e_machine != native.elfMachine)
    return createStringError("is an object file for another processor (ELF machine " + llvm::Twine(header.e_machine) +
                             "), expected " + native.name);
  if (header.e_type != llvm::ELF::ET_REL)
    return llvm::createStringError("is linked already, expected an object file (.o)");
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<ObjectImage>> ObjectImage::load(llvm::StringRef bytes) {
  if (llvm::Error error = checkKind(bytes))
    return std::move(error);
  llvm::Expected<File> file = File::create(bytes);
  if (!file)
    return damaged(file.takeError());
  std::unique_ptr<ObjectImage> image(new ObjectImage(std::move(*file)));
  if (llvm::Error error = image->loadSections())
    return damaged(std::move(error));
  for (const File::Elf_Shdr &header : image->headers)
    if (image->containsAddresses(header))
      if (llvm::Error error = image->relocate(header))
        return damaged(std::move(error));
  return image;
}

/// Whether the relocations are of a section that is read; code is not.
bool ObjectImage::containsAddresses(const File::Elf_Shdr &relocations) const {
  return relocations.sh_type == llvm::ELF::SHT_RELA && relocations.sh_info < sections.size() &&
         sections[relocations.sh_info].begin && !(headers[relocations.sh_info].sh_flags & llvm::ELF::SHF_EXECINSTR);
}

/// Rejects overlapping sections, which would be copied, relocated and searched again and again.
llvm::Error ObjectImage::checkSizes() const {
  uint64_t left = fileSize();
  for (const File::Elf_Shdr &header : headers) {
    if (header.sh_type == llvm::ELF::SHT_NULL || header.sh_type == llvm::ELF::SHT_NOBITS)
      continue;
    if (header.sh_size > left)
      return createStringError("its sections together are larger than the file, which has " + llvm::Twine(fileSize()) +
                               " bytes");
    left -= header.sh_size;
  }
  return llvm::Error::success();
}

llvm::Error ObjectImage::loadSections() {
  llvm::Expected<File::Elf_Shdr_Range> found = file.sections();
  if (!found)
    return found.takeError();
  headers = *found;
  if (llvm::Error error = checkSizes())
    return error;
  sections.resize(headers.size());
  for (auto [section, header] : zip(sections, headers)) {
    if (!(header.sh_flags & llvm::ELF::SHF_ALLOC) || header.sh_type == llvm::ELF::SHT_NOBITS)
      continue;
    llvm::Expected<llvm::ArrayRef<uint8_t>> content = file.getSectionContents(header);
    if (!content)
      return content.takeError();
    section.begin = reinterpret_cast<const char *>(content->data());
    section.size = content->size();
  }
  for (const File::Elf_Shdr &header : headers) {
    if (!containsAddresses(header))
      continue;
    Section &section = sections[header.sh_info];
    if (section.copy)
      continue;
    section.copy = std::make_unique<char[]>(section.size);
    std::copy_n(section.begin, section.size, section.copy.get());
    section.begin = section.copy.get();
  }
  for (const Section &section : sections)
    if (section.begin && section.size > 0)
      sizes.emplace(reinterpret_cast<uintptr_t>(section.begin), section.size);
  return llvm::Error::success();
}

const char *ObjectImage::addressOf(const File::Elf_Sym &symbol) const {
  if (symbol.st_shndx == llvm::ELF::SHN_UNDEF || symbol.st_shndx >= sections.size())
    return nullptr;
  const Section &home = sections[symbol.st_shndx];
  return home.begin && symbol.st_value <= home.size ? home.begin + symbol.st_value : nullptr;
}

llvm::Error ObjectImage::relocate(const File::Elf_Shdr &relocations) {
  Section &section = sections[relocations.sh_info];
  llvm::Expected<File::Elf_Rela_Range> entries = file.relas(relocations);
  if (!entries)
    return entries.takeError();
  if (relocations.sh_link >= headers.size() || headers[relocations.sh_link].sh_type != llvm::ELF::SHT_SYMTAB)
    return createStringError("section " + llvm::Twine(relocations.sh_link) + " is not a symbol table");
  llvm::Expected<File::Elf_Sym_Range> symbols = file.symbols(&headers[relocations.sh_link]);
  if (!symbols)
    return symbols.takeError();
  const uint32_t addressRelocation = nativeArchitecture().elfAddressRelocation;
  for (const File::Elf_Rela &each : *entries) {
    if (each.getType(false) != addressRelocation)
      continue; // unwinding tables
    uint64_t offset = each.r_offset, number = each.getSymbol(false), address = 0;
    if (section.size < sizeof(address) || offset > section.size - sizeof(address) || number >= symbols->size())
      return createStringError("a relocation of byte " + llvm::Twine(offset) + " of a section of " +
                               llvm::Twine(section.size) + ", by symbol " + llvm::Twine(number) + " of " +
                               llvm::Twine(symbols->size()));
    if (const char *target = addressOf((*symbols)[number]))
      address = reinterpret_cast<uintptr_t>(target) + uint64_t(int64_t(each.r_addend));
    std::memcpy(section.copy.get() + offset, &address, sizeof(address));
  }
  return llvm::Error::success();
}

llvm::Expected<const char *> ObjectImage::find(llvm::StringRef ending) const {
  uint64_t left = maxReads * fileSize(); // bytes of names, which may overlap
  for (const File::Elf_Shdr &header : headers) {
    if (header.sh_type != llvm::ELF::SHT_SYMTAB)
      continue;
    llvm::Expected<File::Elf_Sym_Range> symbols = file.symbols(&header);
    llvm::Expected<llvm::StringRef> names = file.getStringTableForSymtab(header);
    if (!symbols || !names)
      return damaged(joinErrors(symbols.takeError(), names.takeError()));
    for (const File::Elf_Sym &symbol : *symbols) {
      const char *address = addressOf(symbol);
      if (!address || symbol.getBinding() != llvm::ELF::STB_GLOBAL || symbol.getType() != llvm::ELF::STT_OBJECT)
        continue;
      llvm::Expected<llvm::StringRef> name = symbol.getName(*names);
      if (!name)
        return damaged(name.takeError());
      if (name->ends_with(ending))
        return address;
      if (name->size() > left)
        return damaged(llvm::createStringError("the names of its symbols overlap"));
      left -= name->size();
    }
  }
  return createStringError("contains no compiled model: it defines no symbol <name>" + ending);
}

uint64_t ObjectImage::bytesFrom(const void *address) const {
  auto at = reinterpret_cast<uintptr_t>(address);
  auto next = sizes.upper_bound(at);
  if (next == sizes.begin())
    return 0;
  auto [begin, size] = *std::prev(next);
  return at - begin < size ? size - (at - begin) : 0;
}

} // namespace attnc

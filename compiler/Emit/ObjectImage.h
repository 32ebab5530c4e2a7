//===- ObjectImage.h - the sections of an object as data ----------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <vector>

namespace attnc {

/// Sections of an ELF object for x86-64 in memory that is not executable, where words that hold an address hold that of
/// what they name in this memory; null where it lies elsewhere. Errors are phrases about the file. Memory and time are
/// in proportion to the file's size, whatever it holds.
class ObjectImage {
public:
  /// `bytes` have to outlive the image.
  static llvm::Expected<std::unique_ptr<ObjectImage>> load(llvm::StringRef bytes);

  /// How often, on average, a reader may read each byte of the file: what records, names and sizes share is read for
  /// each of them.
  static constexpr uint64_t mostReads = 64;
  /// The bytes of the file.
  uint64_t fileSize() const { return file.getBufSize(); }
  /// The place of the one global constant whose name ends so.
  llvm::Expected<const char *> find(llvm::StringRef ending) const;
  /// How many bytes of a section follow an address, code among them; 0 outside all sections.
  uint64_t bytesFrom(const void *place) const;

private:
  using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
  struct Section {
    const char *begin = nullptr; ///< null: not in memory
    uint64_t size = 0;
    std::unique_ptr<char[]> copy; ///< of one that holds addresses
  };
  explicit ObjectImage(File file) : file(std::move(file)) {}
  llvm::Error checkSizes() const;
  llvm::Error loadSections();
  bool holdsAddresses(const File::Elf_Shdr &relocations) const;
  llvm::Error relocate(const File::Elf_Shdr &relocations);
  const char *addressOf(const File::Elf_Sym &symbol) const;

  File file;
  File::Elf_Shdr_Range headers;
  std::vector<Section> sections;
  std::map<uintptr_t, uint64_t> sizes; ///< of the sections in memory that are not empty, by their addresses
};

} // namespace attnc

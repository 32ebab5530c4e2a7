//===- ObjectImage.h - non-executable memory image of an object's sections ----------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <vector>

namespace attnc {

/// Sections of an ELF object of the native architecture in non-executable memory. Words that contain an address are
/// relocated to this memory; null if the symbol is elsewhere. Errors are phrases about the file. Memory and time are
/// proportional to the file's size, for any content.
class ObjectImage {
public:
  /// `bytes` must outlive the image.
  static llvm::Expected<std::unique_ptr<ObjectImage>> load(llvm::StringRef bytes);

  /// Average number of times that a reader may read each byte of the file: records, names and sizes may be shared, and
  /// are read for each reference.
  static constexpr uint64_t maxReads = 64;
  /// The bytes of the file.
  uint64_t fileSize() const { return file.getBufSize(); }
  /// Address of the first global constant whose name has this ending; an error if there is none.
  llvm::Expected<const char *> find(llvm::StringRef ending) const;
  /// Number of bytes of a section from an address on, code included; 0 outside of all sections.
  uint64_t bytesFrom(const void *address) const;

private:
  using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
  struct Section {
    const char *begin = nullptr; ///< null if not in memory
    uint64_t size = 0;
    std::unique_ptr<char[]> copy; ///< of a section that contains addresses
  };
  explicit ObjectImage(File file) : file(std::move(file)) {}
  llvm::Error checkSizes() const;
  llvm::Error loadSections();
  bool containsAddresses(const File::Elf_Shdr &relocations) const;
  llvm::Error relocate(const File::Elf_Shdr &relocations);
  const char *addressOf(const File::Elf_Sym &symbol) const;

  File file;
  File::Elf_Shdr_Range headers;
  std::vector<Section> sections;
  std::map<uintptr_t, uint64_t> sizes; ///< sizes of non-empty sections in memory, by address
};

} // namespace attnc

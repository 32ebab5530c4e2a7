//===- ObjectImage.h - non-executable memory image of an object's sections ----------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <vector>

namespace attnc {

/// The sections of an ELF object file (.o) of the native architecture, as data: its code is never executable. A word of
/// data that a linker would set to the address of a symbol has the symbol's address in this image, or is null if the
/// image does not have the symbol's section. Words in code and relative addresses stay as they are in the file. Memory
/// and time are proportional to the file's size, for any content.
class ObjectImage {
public:
  /// Loads the bytes of an object file, which must outlive the image. The error is a phrase about the file: "is not an
  /// object file".
  static llvm::Expected<std::unique_ptr<ObjectImage>> load(llvm::StringRef bytes);

  /// How many times, on average, a reader may read each byte of the file. Records, names and sizes may be shared, and
  /// are read for each reference; the limit rejects files in which this takes too long.
  static constexpr uint64_t maxReads = 64;
  /// The bytes of the file.
  uint64_t fileSize() const { return file.getBufSize(); }
  /// Address, in the image, of the first global data symbol whose name has this ending. The error is a phrase about the
  /// file: "contains no compiled model: ...".
  llvm::Expected<const char *> find(llvm::StringRef ending) const;
  /// Number of bytes from `address` to the end of its section, which may be code; 0 outside of the image.
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

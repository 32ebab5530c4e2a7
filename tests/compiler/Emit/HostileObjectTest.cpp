// Tests that small objects that would take long to read are rejected: pointers with shared targets, and overlapping
// sections and names.
#include "attn/model.h"
#include "compiler/Emit/ObjectTable.h"
#include "tests/support/TableWalk.h"
#include "llvm/BinaryFormat/ELF.h"
#include <cstddef>
#include <gtest/gtest.h>

using namespace attnc;
using namespace llvm::ELF;

namespace {

/// Writes an object with one data section, its relocations and symbols.
class ObjectWriter {
public:
  /// Appends records to the data and returns their offset.
  template <typename Record> size_t add(const std::vector<Record> &records) {
    data.resize(llvm::alignTo(data.size(), 8));
    size_t at = data.size();
    data.append(reinterpret_cast<const char *>(records.data()), records.size() * sizeof(Record));
    return at;
  }
  size_t addText(const std::string &text) {
    return add(std::vector<char>(text.c_str(), text.c_str() + text.size() + 1));
  }
  /// Stores the offset `target` in the pointer at offset `pointer`.
  void point(size_t pointer, size_t target) {
    Elf64_Rela relocation = {};
    relocation.r_offset = pointer;
    relocation.setSymbolAndType(1, R_X86_64_64);
    relocation.r_addend = int64_t(target);
    relocations.push_back(relocation);
  }
  void addSymbol(size_t name, size_t offset) {
    Elf64_Sym symbol = {};
    symbol.st_name = Elf64_Word(name);
    symbol.setBindingAndType(STB_GLOBAL, STT_OBJECT);
    symbol.st_shndx = 1;
    symbol.st_value = offset;
    symbols.push_back(symbol);
  }
  /// Returns the error of reading and walking the object, or "".
  std::string error() const { return toString(walkTable(bytes())); }

  std::string data, names = std::string("\0m_model\0", 9);

private:
  std::string bytes() const;

  std::vector<Elf64_Rela> relocations;
  std::vector<Elf64_Sym> symbols = {{}, sectionSymbol()};

  static Elf64_Sym sectionSymbol() {
    Elf64_Sym symbol = {};
    symbol.setBindingAndType(STB_LOCAL, STT_SECTION);
    symbol.st_shndx = 1;
    return symbol;
  }
};

std::string ObjectWriter::bytes() const {
  Elf64_Ehdr header = {};
  memcpy(header.e_ident, ElfMagic, 4);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(header);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 5;
  header.e_shstrndx = 4;
  std::string content(sizeof(header), '\0');
  std::vector<Elf64_Shdr> sections(1);
  auto addSection = [&](unsigned type, const void *begin, size_t size, size_t element) {
    content.resize(llvm::alignTo(content.size(), 8));
    Elf64_Shdr section = {};
    section.sh_type = type;
    section.sh_offset = content.size();
    section.sh_size = size;
    section.sh_entsize = element;
    section.sh_addralign = 8;
    sections.push_back(section);
    content.append(static_cast<const char *>(begin), size);
  };
  addSection(SHT_PROGBITS, data.data(), data.size(), 0);
  sections.back().sh_flags = SHF_ALLOC | SHF_WRITE;
  addSection(SHT_RELA, relocations.data(), relocations.size() * sizeof(Elf64_Rela), sizeof(Elf64_Rela));
  sections.back().sh_link = 3;
  sections.back().sh_info = 1;
  addSection(SHT_SYMTAB, symbols.data(), symbols.size() * sizeof(Elf64_Sym), sizeof(Elf64_Sym));
  sections.back().sh_link = 4;
  sections.back().sh_info = 2;
  addSection(SHT_STRTAB, names.data(), names.size(), 0);
  content.resize(llvm::alignTo(content.size(), 8));
  header.e_shoff = content.size();
  content.append(reinterpret_cast<const char *>(sections.data()), sections.size() * sizeof(Elf64_Shdr));
  memcpy(content.data(), &header, sizeof(header));
  return content;
}

class HostileObject : public testing::Test {
protected:
  void SetUp() override {
    attn_model model = {};
    model.abi_version = ATTN_ABI_VERSION;
    table = object.add(std::vector{model});
    name = object.addText("name");
    for (size_t text : {offsetof(attn_model, name), offsetof(attn_model, target), offsetof(attn_model, identity)})
      object.point(table + text, name);
    object.addSymbol(1, table);
  }
  void setCount(size_t offset, int64_t value) { memcpy(object.data.data() + table + offset, &value, sizeof(value)); }

  /// Adds one entry point whose tensors all point to the same sizes of one term.
  void addTensors(int32_t count, int64_t factors) {
    attn_entry_info entry = {};
    entry.dimension_count = 1;
    entry.input_count = count;
    size_t address = object.add(std::vector{entry});
    setCount(offsetof(attn_model, entry_count), 1);
    object.point(table + offsetof(attn_model, entries), address);
    for (size_t text : {offsetof(attn_entry_info, name), offsetof(attn_entry_info, run),
                        offsetof(attn_entry_info, arena_bytes), offsetof(attn_entry_info, flops)})
      object.point(address + text, name);
    size_t dimensions = object.add(std::vector{attn_dimension_info{nullptr, -1, 0}});
    object.point(address + offsetof(attn_entry_info, dimensions), dimensions);
    object.point(dimensions + offsetof(attn_dimension_info, name), name);
    size_t sizes = object.add(std::vector(8, attn_size_info{nullptr, 1}));
    size_t terms = object.add(std::vector{attn_size_term{1, nullptr, int32_t(factors), 0, nullptr}});
    object.point(terms + offsetof(attn_size_term, factors), object.add(std::vector<int32_t>(factors, 0)));
    for (size_t n = 0; n < 8; ++n)
      object.point(sizes + n * sizeof(attn_size_info) + offsetof(attn_size_info, terms), terms);
    size_t tensors = object.add(std::vector(count, attn_tensor_info{nullptr, nullptr, ATTN_F32, 8}));
    object.point(address + offsetof(attn_entry_info, tensors), tensors);
    for (int32_t n = 0; n < count; ++n) {
      object.point(tensors + n * sizeof(attn_tensor_info) + offsetof(attn_tensor_info, name), name);
      object.point(tensors + n * sizeof(attn_tensor_info) + offsetof(attn_tensor_info, shape), sizes);
    }
  }

  /// Adds kernels whose names, kinds and locations all point to the same text.
  void addKernels(size_t count, size_t text) {
    size_t kernels = object.add(std::vector<attn_kernel_info>(count));
    setCount(offsetof(attn_model, kernel_count), int64_t(count));
    object.point(table + offsetof(attn_model, kernels), kernels);
    for (size_t n = 0; n < count; ++n)
      for (size_t field :
           {offsetof(attn_kernel_info, name), offsetof(attn_kernel_info, kind), offsetof(attn_kernel_info, places)})
        object.point(kernels + n * sizeof(attn_kernel_info) + field, text);
  }

  ObjectWriter object;
  size_t table = 0, name = 0;
};

constexpr char shared[] = "too many pointers have the same target";

TEST_F(HostileObject, WhatFewPointersShareIsRead) {
  addTensors(4, 2);
  addKernels(4, name);
  EXPECT_EQ(object.error(), "");
}

TEST_F(HostileObject, SharedSizesAreRefused) {
  addTensors(200, 10000);
  std::string error = object.error();
  EXPECT_TRUE(llvm::StringRef(error).starts_with("has a malformed model table: entry point 0: tensor ")) << error;
  EXPECT_TRUE(llvm::StringRef(error).ends_with(shared)) << error;
}

TEST_F(HostileObject, SharedTextsAreRefused) {
  addKernels(1000, object.addText(std::string(100000, 'x')));
  std::string error = object.error();
  EXPECT_TRUE(llvm::StringRef(error).starts_with("has a malformed model table: kernel ")) << error;
  EXPECT_TRUE(llvm::StringRef(error).ends_with(shared)) << error;
}

/// Symbols whose names are suffixes of one string.
TEST_F(HostileObject, SharedNamesOfSymbolsAreRefused) {
  ObjectWriter other;
  size_t begin = other.names.size(), model = other.add(std::vector<attn_model>(1));
  other.names += std::string(20000, 'x') + std::string(1, '\0');
  for (size_t n = 0; n < 2000; ++n)
    other.addSymbol(begin + n, model);
  EXPECT_EQ(other.error(), "is a damaged object file: the names of its symbols overlap");
}

} // namespace

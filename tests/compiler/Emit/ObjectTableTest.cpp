// Tests reading an object's table as data: the table equals that of the linked object, independently of code; arbitrary
// bytes give a table that can be walked or an error; and the checksum detects each change.
#include "compiler/Emit/ObjectTable.h"
#include "compiler/Emit/Checksum.h"
#include "compiler/Pipeline/Compile.h"
#include "tests/support/TableWalk.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>

using namespace attnc;

namespace {

class Object : public testing::Test {
protected:
  void SetUp() override { bytes = compiled(ATTNC_INPUTS "/mlp.attn", false); }

  static std::string compiled(const std::string &path, bool records, const std::string &target = "x86-64-v3") {
    CompileOptions options;
    options.input = path;
    options.records = records;
    options.target = target;
    options.settings = {{"layers", "2"}, {"dim", "4"}};
    options.reproducerDirectory = "";
    Compilation compilation;
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    EXPECT_EQ(compile(options, compilation, stream), Outcome::Done) << messages;
    return {compilation.object.data(), compilation.object.size()};
  }

  /// Returns the error of reading and walking `text`, or "".
  static std::string errorOf(llvm::StringRef text) { return toString(walkTable(text)); }

  /// Returns the offset and the size of a section of the file.
  std::pair<size_t, size_t> section(llvm::StringRef name) const {
    auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "")));
    for (const llvm::object::SectionRef &each : file->sections())
      if (llvm::cantFail(each.getName()) == name) {
        llvm::StringRef content = llvm::cantFail(each.getContents());
        return {content.data() - bytes.data(), content.size()};
      }
    ADD_FAILURE() << "no section " << name.str();
    return {0, 0};
  }

  /// Returns the offset of the table in the file.
  size_t tableAt() const {
    auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "")));
    for (const llvm::object::SymbolRef &symbol : file->symbols())
      if (llvm::cantFail(symbol.getName()) == "mlp_model")
        return llvm::cantFail((*llvm::cantFail(symbol.getSection())).getContents()).data() - bytes.data() +
               llvm::cantFail(symbol.getValue());
    ADD_FAILURE() << "no table";
    return 0;
  }

  template <typename Value> std::string errorWith(size_t offset, Value value) const {
    std::string changed = bytes;
    memcpy(changed.data() + tableAt() + offset, &value, sizeof(value));
    return errorOf(changed);
  }

  std::string bytes;
};

TEST_F(Object, TableIsReadWhateverTheCodeIs) {
  auto [code, size] = section(".text");
  for (size_t at = code; at < code + size; ++at)
    bytes[at] = char(at % 2 ? 0x0B : 0x0F); // ud2
  auto table = ObjectTable::read(bytes);
  ASSERT_TRUE(bool(table)) << toString(table.takeError());
  const attn_model &model = table->model();
  EXPECT_STREQ(model.name, "mlp");
  EXPECT_EQ(model.abi_version, uint32_t(ATTN_ABI_VERSION));
  ASSERT_EQ(model.entry_count, 1);
  EXPECT_STREQ(model.entries[0].name, "forward");
  EXPECT_STREQ(model.entries[0].dimensions[0].name, "rows");
  EXPECT_EQ(model.entries[0].dimensions[0].max, 512);
  ASSERT_EQ(model.parameter_count, 2);
  EXPECT_STREQ(model.parameters[0].name, "blocks.weight");
  EXPECT_EQ(model.parameters[0].counts[0], 2);
  EXPECT_EQ(model.parameters[0].shape[1], 4);
}

TEST_F(Object, EachKindOfModelIsRead) {
  EXPECT_EQ(errorOf(compiled(ATTNC_INPUTS "/mlp.attn", true)), "");
  EXPECT_EQ(errorOf(compiled(ATTNC_INPUTS "/mlp.attn", true, "cuda")), "");
}

TEST_F(Object, WrongNumbersOfTheTableAreNamed) {
  EXPECT_EQ(errorWith(offsetof(attn_model, abi_version), uint32_t(1)),
            "has ABI version 1, but this attnc reads " + std::to_string(ATTN_ABI_VERSION) + "; compile it again");
  const std::string malformed = "has a malformed model table: ";
  EXPECT_EQ(errorWith(offsetof(attn_model, entry_count), int64_t(1) << 60),
            malformed + "its entry points (1152921504606846976) do not lie inside the object");
  EXPECT_EQ(errorWith(offsetof(attn_model, kernel_count), int64_t(-1)),
            malformed + "its kernels (-1) do not lie inside the object");
  EXPECT_EQ(errorWith(offsetof(attn_model, loaded_count), int64_t(1)),
            malformed + "parameter 0: its entries of the parameter table do not exist");
  EXPECT_EQ(errorWith(offsetof(attn_model, packed_count), int64_t(1) << 20),
            malformed + "its packed weights (1048576) do not lie inside the object");
}

TEST_F(Object, OtherFilesAreNamed) {
  EXPECT_EQ(errorOf(""), "is not an object file");
  EXPECT_EQ(errorOf("model"), "is not an object file");
  EXPECT_EQ(errorOf(llvm::StringRef("\x7f"
                                    "ELF\2\1")),
            "is a damaged object file: it ends after 6 bytes");
  std::string other = bytes;
  other[18] = char(183);
  EXPECT_EQ(errorOf(other), "is an object file for another processor (ELF machine 183), expected x86-64");
  other = bytes;
  other[16] = 3;
  EXPECT_EQ(errorOf(other), "is linked already, expected an object file (.o)");
}

/// Otherwise many sections over the whole file would each be copied.
TEST_F(Object, OverlappingSectionsAreRefused) {
  using namespace llvm::ELF;
  Elf64_Ehdr header;
  memcpy(&header, bytes.data(), sizeof(header));
  for (unsigned type : {SHT_PROGBITS, SHT_RELA, SHT_SYMTAB}) {
    std::string changed = bytes;
    auto *sections = reinterpret_cast<Elf64_Shdr *>(changed.data() + header.e_shoff);
    auto *found = std::find_if(sections, sections + header.e_shnum, [&](auto &each) { return each.sh_type == type; });
    uint64_t element = std::max<uint64_t>(found->sh_entsize, 1);
    found->sh_offset = 0;
    found->sh_size = changed.size() / element * element;
    EXPECT_EQ(errorOf(changed), "is a damaged object file: its sections together are larger than the file, which has " +
                                    std::to_string(bytes.size()) + " bytes");
  }
}

/// Changes each byte outside of code in three ways.
TEST_F(Object, ChangedBytesAreATableOrAnError) {
  auto [code, codeSize] = section(".text");
  size_t errors = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    if (at >= code && at < code + codeSize)
      continue;
    for (unsigned char change : {0x01, 0x80, 0xFF}) {
      std::string changed = bytes;
      changed[at] = char(changed[at] ^ change);
      errors += !errorOf(changed).empty();
      ASSERT_NE(toString(verifyChecksum(changed)), "") << at;
    }
  }
  EXPECT_GT(errors, bytes.size() / 10);
}

TEST_F(Object, CutFilesAreErrors) {
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_NE(errorOf(llvm::StringRef(bytes).take_front(size)), "") << size;
}

TEST_F(Object, ChecksumIsOfAllOtherBytes) {
  EXPECT_EQ(toString(verifyChecksum(bytes)), "");
  EXPECT_NE(toString(verifyChecksum(bytes + " ")), "");
  std::string changed = bytes;
  changed[section(".text").first] ^= 1;
  EXPECT_EQ(toString(verifyChecksum(changed)),
            "is damaged, or was changed: its bytes do not have the checksum in section .attn.seal; compile it again");
  EXPECT_EQ(toString(writeChecksum(changed)), "");
  EXPECT_EQ(toString(verifyChecksum(changed)), "");
  changed[section(checksumSection).first] ^= 1;
  EXPECT_NE(toString(verifyChecksum(changed)), "");
}

/// A damaged table is not walked; a table that was changed and has a new checksum is.
TEST_F(Object, ChecksumIsVerifiedBeforeTheTable) {
  auto readWithChecksum = [](const std::string &text) {
    auto table = ObjectTable::readWithChecksum(text);
    return table ? "" : toString(table.takeError());
  };
  EXPECT_EQ(readWithChecksum(bytes), "");
  EXPECT_EQ(readWithChecksum("model"), "is not an object file");
  int64_t count = -1;
  memcpy(bytes.data() + tableAt() + offsetof(attn_model, kernel_count), &count, sizeof(count));
  EXPECT_EQ(readWithChecksum(bytes), toString(verifyChecksum(bytes)));
  EXPECT_EQ(toString(writeChecksum(bytes)), "");
  EXPECT_EQ(readWithChecksum(bytes), "has a malformed model table: its kernels (-1) do not lie inside the object");
}

} // namespace

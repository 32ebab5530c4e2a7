// Files of packed weights: attn_weights_save_packed, attn_weights_map, attn_is_packed_file.
#include "attn/packed.h"
#include "attn/files.h"
#include "tests/runtime/ModelWithTable.h"
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace {

constexpr int64_t layers = 3, elements = 1024;

std::string read(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// A model whose weights are packed into a file.
class Packed : public testing::Test {
protected:
  Packed() {
    model.record.target = "cpu";
    TemporaryFile file(model.entries());
    EXPECT_EQ(attn_weights_load(&model.record, file.path, 0, nullptr, &loaded, &status), ATTN_OK) << status.message;
    EXPECT_EQ(attn_weights_save_packed(loaded, path.c_str(), &status), ATTN_OK) << status.message;
  }
  ~Packed() override {
    attn_weights_free(loaded);
    unlink(path.c_str());
  }
  attn_code map(const std::string &from) {
    attn_weights_free(mapped);
    return attn_weights_map(&model.record, from.c_str(), &mapped, &status);
  }
  /// Writes bytes to a file and maps it; returns the error message, which has to have `code`.
  std::string errorOf(const std::string &bytes, attn_code code) {
    std::string other = path + ".other";
    std::ofstream(other, std::ios::binary) << bytes;
    EXPECT_EQ(map(other), code) << status.message;
    EXPECT_EQ(mapped, nullptr);
    unlink(other.c_str());
    return status.message;
  }
  const float *at(const attn_weights *weights, int64_t place) const {
    return static_cast<const float *>(attn_weights_table(weights)[place]);
  }

  ModelWithTable model{layers, elements};
  std::string path = testing::TempDir() + "packed-" + std::to_string(getpid()) + ".safetensors";
  attn_weights *loaded = nullptr, *mapped = nullptr;
  attn_status status = {};
};

/// The bytes of a file that begins like one of packed weights, with these tensors.
std::string packedFileOf(const std::vector<Entry> &entries, const std::string &packedFor = "\"m for cpu\"") {
  std::string file = fileOf(entries);
  uint64_t size;
  memcpy(&size, file.data(), 8);
  std::string header = "{\"__metadata__\":{\"attnc.packed\":" + packedFor + "}," + file.substr(9, size - 1);
  header.resize((header.size() + 8 + 4095) / 4096 * 4096 - 8, ' ');
  uint64_t padded = header.size();
  return std::string(reinterpret_cast<char *>(&padded), 8) + header + file.substr(8 + size);
}

/// The tensors of a file of packed weights of the model.
std::vector<Entry> packedEntries() {
  std::vector<Entry> entries;
  for (int64_t layer = 0; layer < layers; ++layer)
    entries.push_back({"h." + std::to_string(layer) + ".w|f32[n], doubled", "U8", "[4096]", std::string(4096, 'a')});
  entries.push_back({"table", "F32", "[1024]", std::string(4096, 'b')});
  return entries;
}

} // namespace

TEST_F(Packed, WeightsAreThoseThatWereSaved) {
  EXPECT_TRUE(attn_is_packed_file(path.c_str()));
  ASSERT_EQ(map(path), ATTN_OK) << status.message;
  for (int64_t layer = 0; layer < layers; ++layer) {
    EXPECT_EQ(at(mapped, layer), nullptr) << "read only packed";
    EXPECT_EQ(uintptr_t(at(mapped, layers + 1 + layer)) % ATTN_ALIGNMENT, 0u);
    EXPECT_EQ(memcmp(at(mapped, layers + 1 + layer), at(loaded, layers + 1 + layer), 4 * elements), 0);
  }
  EXPECT_EQ(memcmp(at(mapped, layers), at(loaded, layers), 4 * elements), 0);
  EXPECT_EQ(attn_weights_repack(mapped, nullptr, &status), ATTN_OK) << status.message;
  EXPECT_EQ(memcmp(at(mapped, layers + 1), at(loaded, layers + 1), 4 * elements), 0);
  EXPECT_EQ(attn_weights_save(mapped, "mapped.safetensors", 0, &status), ATTN_BAD_WEIGHTS);
  EXPECT_EQ(attn_weights_save_packed(mapped, (path + ".copy").c_str(), &status), ATTN_OK) << status.message;
  EXPECT_EQ(read(path + ".copy"), read(path));
  unlink((path + ".copy").c_str());
  attn_weights_free(mapped);
}

/// A mapping keeps the file that it was made of.
TEST_F(Packed, WeightsOutliveTheReplacementOfTheirFile) {
  ASSERT_EQ(map(path), ATTN_OK) << status.message;
  EXPECT_EQ(attn_weights_save_packed(loaded, path.c_str(), &status), ATTN_OK) << status.message;
  unlink(path.c_str());
  EXPECT_EQ(at(mapped, layers + 1)[4], 2 * ModelWithTable::valueAt(0, 4));
  attn_weights_free(mapped);
}

/// Each byte is in memory once, however many mappings there are.
TEST_F(Packed, MappingsSharePages) {
  attn_weights *second = nullptr;
  ASSERT_EQ(map(path), ATTN_OK) << status.message;
  ASSERT_EQ(attn_weights_map(&model.record, path.c_str(), &second, &status), ATTN_OK) << status.message;
  float sum = 0;
  for (const attn_weights *weights : {mapped, second})
    for (int64_t place = layers; place <= 2 * layers; ++place)
      for (int64_t i = 0; i < elements; ++i)
        sum += at(weights, place)[i];
  EXPECT_NE(sum, 0);
  std::ifstream maps("/proc/self/smaps");
  int64_t rss = 0, pss = 0, dirty = 0, found = 0;
  bool isHere = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string key;
    int64_t kilobytes = 0;
    words >> key >> kilobytes;
    if (key.back() != ':') {
      isHere = line.ends_with(path);
      found += isHere;
    } else if (isHere) {
      rss += key == "Rss:" ? kilobytes : 0;
      pss += key == "Pss:" ? kilobytes : 0;
      dirty += key == "Private_Dirty:" ? kilobytes : 0;
    }
  }
  EXPECT_EQ(found, 2);
  EXPECT_GE(rss, 2 * 4 * (layers + 1) * elements / 1024);
  EXPECT_LE(2 * pss, rss + 4);
  EXPECT_EQ(dirty, 0);
  attn_weights_free(second);
  attn_weights_free(mapped);
}

TEST_F(Packed, WeightsOfAnotherModelAreRefused) {
  std::string other = path + ": was packed for m for cpu, and n for cuda reads 'h.0.w|bf16[n], doubled', which it "
                             "lacks; it has 'h.0.w|f32[n], doubled'; pack the weights for this model, target and "
                             "precision";
  model.record.name = "n";
  model.record.target = "cuda";
  model.packed[0].layout = "bf16[n], doubled";
  EXPECT_EQ(map(path), ATTN_BAD_WEIGHTS);
  EXPECT_EQ(status.message, other);
  EXPECT_EQ(mapped, nullptr);
  model.packed[0].layout = "f32[n], doubled";
  model.packed[2].bytes = 64;
  EXPECT_EQ(map(path), ATTN_BAD_WEIGHTS);
  model.packed[2].bytes = 4 * elements;
  model.parameters[1].checkpoint = "tables";
  EXPECT_EQ(map(path), ATTN_BAD_WEIGHTS);
  EXPECT_EQ(status.message, path +
                                ": was packed for m for cpu, and n for cuda reads 'tables', which it lacks; pack the "
                                "weights for this model, target and precision");
  model.parameters[1].checkpoint = "table";
  model.parameters[1].dtype = ATTN_I32;
  EXPECT_EQ(map(path), ATTN_BAD_WEIGHTS);
  EXPECT_EQ(status.message, path + ": tensor 'table' is F32[1024], expected I32[1024] (parameter table)");
}

/// An object that reads fewer weights maps the same file.
TEST_F(Packed, WeightsThatAreNotReadAreIgnored) {
  model.record.packed_count = 1;
  model.parameters[1].unread = 1;
  ASSERT_EQ(map(path), ATTN_OK) << status.message;
  EXPECT_EQ(at(mapped, layers), nullptr);
  EXPECT_EQ(at(mapped, layers + 1)[4], 2 * ModelWithTable::valueAt(0, 4));
  attn_weights_free(mapped);
}

TEST_F(Packed, OtherFilesAreRefused) {
  EXPECT_EQ(map("/nonexistent/x"), ATTN_BAD_FILE);
  EXPECT_STREQ(status.message, "/nonexistent/x: can't be mapped: No such file or directory");
  EXPECT_EQ(map("/"), ATTN_BAD_FILE);
  EXPECT_EQ(map("/dev/null"), ATTN_BAD_FILE);
  TemporaryFile values(model.entries());
  EXPECT_FALSE(attn_is_packed_file(values.path));
  EXPECT_FALSE(attn_is_packed_file("/nonexistent/x"));
  EXPECT_EQ(map(values.path), ATTN_BAD_FILE);
  EXPECT_EQ(status.message, std::string(values.path) + ": not a file of packed weights, as attnc pack writes it");
  errorOf("", ATTN_BAD_FILE);
}

/// No prefix of a file is mapped, and no change of a byte of the header results in a crash.
TEST_F(Packed, DamagedFilesAreRefused) {
  std::string whole = read(path);
  for (size_t size : {size_t(1), size_t(8), size_t(30), size_t(100), size_t(4095), size_t(4096), whole.size() - 1})
    EXPECT_NE(errorOf(whole.substr(0, size), ATTN_BAD_FILE), "") << size;
  EXPECT_NE(errorOf(whole + "x", ATTN_BAD_FILE), "");
  std::string other = path + ".other";
  for (size_t place = 0; place < whole.find("  ", 8); ++place)
    for (char byte : {'\0', '"', '9', ']', '\xff'}) {
      std::string damaged = whole;
      damaged[place] = byte;
      std::ofstream(other, std::ios::binary) << damaged;
      if (map(other) == ATTN_OK)
        EXPECT_EQ(at(mapped, layers)[4], ModelWithTable::valueAt(layers, 4)) << place;
      else
        EXPECT_TRUE(status.code == ATTN_BAD_FILE || status.code == ATTN_BAD_WEIGHTS) << status.message;
    }
  unlink(other.c_str());
  attn_weights_free(mapped);
}

TEST_F(Packed, UnalignedDataAreRefused) {
  std::vector<Entry> entries = packedEntries();
  std::string other = path + ".other";
  std::ofstream(other, std::ios::binary) << packedFileOf(entries);
  EXPECT_EQ(map(other), ATTN_OK) << status.message;
  attn_weights_free(mapped);
  mapped = nullptr;
  entries.insert(entries.begin() + 1, {"more", "U8", "[4]", "1234"});
  EXPECT_EQ(errorOf(packedFileOf(entries), ATTN_BAD_FILE),
            other + ": tensor 'h.1.w|f32[n], doubled' is not at a multiple of 64 bytes");
  entries[1] = {"more", "U8", "[64]", std::string(64, '1')};
  entries.insert(entries.end() - 1, {"less", "U8", "[1]", "1"});
  EXPECT_EQ(errorOf(packedFileOf(entries), ATTN_BAD_FILE), other + ": tensor 'table' is not at a multiple of 4 bytes");
}

/// The description of the packed model need not be a text.
TEST_F(Packed, MessagesShowAnyDescription) {
  for (std::string packedFor : {"1", "\"\"", "\"\\u0001\\n\"", "[\"a\"]"}) {
    std::string message = errorOf(packedFileOf({packedEntries().back()}, packedFor), ATTN_BAD_WEIGHTS);
    EXPECT_NE(message.find("m for cpu reads 'h.0.w|f32[n], doubled', which it lacks;"), std::string::npos) << message;
  }
}

TEST_F(Packed, WeightsAreNotSavedWhereTheyCannotBe) {
  EXPECT_EQ(attn_weights_save_packed(loaded, "/nonexistent/x", &status), ATTN_BAD_FILE);
  EXPECT_STREQ(status.message, "/nonexistent/x: cannot be written: No such file or directory");
  std::string before = read(path);
  model.parameters[1].checkpoint = model.parameters[0].checkpoint = "h.{0}.w";
  model.parameters[1].counts = model.parameters[0].counts;
  model.parameters[1].list_rank = 1;
  model.parameters[0].unread = 0;
  EXPECT_EQ(attn_weights_save_packed(loaded, path.c_str(), &status), ATTN_BAD_FILE);
  EXPECT_EQ(status.message, path + ": tensor 'h.0.w' appears twice");
  EXPECT_EQ(read(path), before);
}

// A temporary .safetensors file of a test.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <unistd.h>
#include <vector>

/// A tensor of the file: `dtype` and `shape` as the format spells them ("F32", "[2,3]"), and its bytes.
struct Entry {
  std::string name, dtype, shape, bytes;
};

/// Returns the bytes of f32 values.
inline std::string floats(std::initializer_list<float> values) {
  return std::string(reinterpret_cast<const char *>(values.begin()), values.size() * 4);
}

/// A file in the working directory, which the destructor removes.
class TemporaryFile {
public:
  /// Writes a file with these tensors; a failure to write fails the test.
  explicit TemporaryFile(const std::vector<Entry> &entries) {
    std::string header = "{", data;
    for (const Entry &entry : entries) {
      header += (header.size() > 1 ? ",\"" : "\"") + entry.name + R"(":{"dtype":")" + entry.dtype + R"(","shape":)" +
                entry.shape + R"(,"data_offsets":[)" + std::to_string(data.size()) + "," +
                std::to_string(data.size() + entry.bytes.size()) + "]}";
      data += entry.bytes;
    }
    header += "}";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    uint64_t size = header.size();
    strcpy(path, "weightsXXXXXX");
    int descriptor = mkstemp(path);
    std::string all = std::string(reinterpret_cast<char *>(&size), 8) + header + data;
    EXPECT_EQ(write(descriptor, all.data(), all.size()), ssize_t(all.size()));
    close(descriptor);
  }
  ~TemporaryFile() { unlink(path); }
  char path[32];
};

// Temporary .safetensors files of a test: one file, or a checkpoint with shards.
#pragma once

#include "tests/support/TemporaryFolder.h"
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
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

/// Returns the bytes of a .safetensors file with these tensors.
inline std::string fileOf(const std::vector<Entry> &entries) {
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
  return std::string(reinterpret_cast<char *>(&size), 8) + header + data;
}

/// A file in the working directory, which the destructor removes.
class TemporaryFile {
public:
  /// Writes a file with these tensors; a failure to write fails the test.
  explicit TemporaryFile(const std::vector<Entry> &entries) {
    strcpy(path, "weightsXXXXXX");
    int descriptor = mkstemp(path);
    std::string all = fileOf(entries);
    EXPECT_EQ(write(descriptor, all.data(), all.size()), ssize_t(all.size()));
    close(descriptor);
  }
  ~TemporaryFile() { unlink(path); }
  char path[32];
};

/// A checkpoint with shards in a folder: files, and an index with the file of each tensor. The destructor removes the
/// folder.
class ShardedCheckpoint {
public:
  /// Creates the folder at the path `begin` with a random suffix.
  explicit ShardedCheckpoint(const std::string &begin = "shards") : folder(begin) {}

  /// Adds a file with these tensors, and an entry of weight_map for each; replaces a file with this name, but no entry.
  void add(const std::string &file, const std::vector<Entry> &entries) {
    write(file, fileOf(entries));
    for (const Entry &entry : entries)
      assign(entry.name, file);
  }
  /// Adds an entry of weight_map alone.
  void assign(const std::string &tensor, const std::string &file) {
    map += (map.empty() ? "\"" : ", \"") + tensor + "\": \"" + file + "\"";
  }
  /// Writes the index, with the entries so far; returns its path.
  std::string writeIndex() const {
    return write("model.safetensors.index.json",
                 "{\"metadata\": {\"total_size\": 1}, \"weight_map\": {" + map + "}}\n");
  }
  /// Writes any file to the folder; returns its path.
  std::string write(const std::string &name, const std::string &bytes) const {
    std::string path = at(name);
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string at(const std::string &name) const { return folder.path() / name; }
  std::string path() const { return folder.path(); }

private:
  attnc::TemporaryFolder folder;
  std::string map;
};

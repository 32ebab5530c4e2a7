//===- TemporaryFolder.h - temporary folder of a test -------------------------------------------------------------===//
#pragma once

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace attnc {

/// A new folder, which the destructor removes with its contents.
class TemporaryFolder {
public:
  /// Creates the folder at the path `begin` with a random suffix. A failure fails the test.
  explicit TemporaryFolder(std::string begin) {
    begin += "-XXXXXX";
    EXPECT_NE(mkdtemp(begin.data()), nullptr) << begin;
    folder = begin;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(folder); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  const std::filesystem::path &path() const { return folder; }

private:
  std::filesystem::path folder;
};

} // namespace attnc

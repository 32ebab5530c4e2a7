//===- Import.h - import of a config.json that a test states ------------------------------------------------------===//
#pragma once

#include "frontends/checkpoint/Checkpoint.h"
#include "tests/support/TemporaryFolder.h"
#include <fstream>
#include <gmock/gmock.h>

namespace attnc {

/// The import of a config.json with this content, in a folder named `small`.
class Import {
public:
  explicit Import(const std::string &config, const FineTuning &tuning = {})
      : temporary(testing::TempDir() + "checkpoint") {
    std::filesystem::create_directory(folder());
    std::ofstream(folder() + "/config.json") << config;
    llvm::Expected<ImportedCheckpoint> imported = importCheckpoint(folder(), tuning);
    if (imported)
      result = std::move(*imported);
    else
      message = withoutFolder(llvm::toString(imported.takeError()));
  }

  std::vector<std::string> warnings() const {
    std::vector<std::string> texts;
    for (const std::string &warning : result.warnings)
      texts.push_back(withoutFolder(warning));
    return texts;
  }

  ImportedCheckpoint result;
  std::string message;

private:
  std::string folder() const { return (temporary.path() / "small").string(); }
  std::string withoutFolder(std::string text) const {
    for (size_t at; (at = text.find(folder() + "/")) != std::string::npos;)
      text.erase(at, folder().size() + 1);
    return text;
  }

  TemporaryFolder temporary;
};

} // namespace attnc

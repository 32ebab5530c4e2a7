//===- RunRecord.h - record of a training's settings --------------------------------------------------------------===//
//
// The record is the file `run.json` in the folder of a training. Its settings determine the data of each step. To
// resume a training with other settings is therefore an error, unless --allow-other is given. The record also states
// which initial parameters came from a file.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <optional>
#include <string>

namespace attnc {

struct RunRecord {
  std::string entry; ///< the entry point that trains
  uint64_t seed = 0;
  int64_t batch = 0, sequence = 0;
  double heldOut = 0;
  int64_t mostTokens = 0;                ///< --vocab-size; 0: no limit
  std::string ownWords;                  ///< inputs with a vocabulary of words of their own, "source,target"
  uint64_t data = 0;                     ///< TrainingData::fingerprint()
  std::optional<llvm::json::Value> init; ///< Initialisation::json(), if the training began with parameters of a file

  llvm::Error write(const std::string &path) const;
  static llvm::Expected<RunRecord> read(const std::string &path);
  /// The differences of `now` from this record, such as "batch was 8 and is 4"; empty if there are none.
  std::string differences(const RunRecord &now) const;
};

} // namespace attnc

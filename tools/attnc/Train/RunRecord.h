//===- RunRecord.h - record of a training's settings --------------------------------------------------------------===//
//
// The record is the file `run.json` in the folder of a training (RunFolder.h). Its settings determine the data of each
// step. To resume a training with other settings is therefore an error, unless --allow-other is given. The record also
// states which initial parameters came from a file.
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
  std::string entry;                     ///< the entry points that train, StepEntries::text()
  uint64_t seed = 0;                     ///< --seed
  int64_t batch = 0, sequence = 0;       ///< --batch and --seq; 0 without effect on the data (TrainingData::used)
  double heldOut = 0;                    ///< --held-out: share of the data
  int64_t mostTokens = 0;                ///< --vocab-size; 0: no limit
  std::string ownWords;                  ///< inputs with a vocabulary of words of their own, "source,target"
  uint64_t data = 0;                     ///< TrainingData::fingerprint()
  std::optional<llvm::json::Value> init; ///< Initialisation::json(), if the training began with parameters of a file

  /// Replaces the file `path` atomically.
  llvm::Error write(const std::string &path) const;
  /// Reads a file that write() has written; an error if it cannot be read or lacks the seed, a size of the batch, the
  /// held-out share or the data. Other settings that it lacks have their defaults.
  static llvm::Expected<RunRecord> read(const std::string &path);
  /// The differences of `now`, the settings of a resumed training, from this record, such as "--batch was 8 and is 4";
  /// empty if there are none. `init` is not compared.
  std::string differences(const RunRecord &now) const;
};

} // namespace attnc

//===- RunRecord.h - what a training was begun with ---------------------------------------------------------------===//
//
// `run.json` in the folder of a training. Which data a step sees follows from it, so that a run that goes on with other
// settings is another run: that is said, and wants --allow-other.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace attnc {

struct RunRecord {
  std::string entry; ///< the entry point that trains
  uint64_t seed = 0;
  int64_t batch = 0, sequence = 0;
  double heldOut = 0;
  uint64_t data = 0; ///< TrainingData::fingerprint()

  llvm::Error write(const std::string &path) const;
  static llvm::Expected<RunRecord> read(const std::string &path);
  /// What differs, as "batch was 8 and is 4"; empty where nothing does.
  std::string differences(const RunRecord &now) const;
};

} // namespace attnc

//===- History.h - the losses of a training ----------------------------------------------------------------------===//
//
// Lines "step,loss,validation" of a text file that grows while a model is trained, so that a resumed run goes on with
// it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace attnc {

struct HistoryPoint {
  int64_t step = 0; ///< steps done
  double loss = 0;  ///< the mean since the point before
  std::optional<double> validation;
};

class History {
public:
  /// Reads what is there, up to `step`; what was written behind that is forgotten, as a resumed run writes it again.
  static llvm::Expected<History> open(const std::string &path, int64_t step);
  /// Adds a line to the file.
  llvm::Error add(HistoryPoint point);

  const std::vector<HistoryPoint> &points() const { return all; }

private:
  std::string path;
  std::vector<HistoryPoint> all;
};

} // namespace attnc

//===- PointLog.h - typed log with a line for each point ----------------------------------------------------------===//
//
// A StepLog (StepLog.h) whose lines are points of a type `Point` with these members:
//
//   int64_t step                                              number of completed steps; the line begins with it
//   std::string line() const                                  its line, without a line break
//   static std::optional<Point> parse(llvm::StringRef line, llvm::StringRef headings)
//                                                             null for a line that does not fit the headings
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Train/StepLog.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <vector>

namespace attnc {

template <class Point> class PointLog {
public:
  /// Reads the points of the file `path` up to `step` completed steps, and writes nothing. Without a file there are no
  /// points. `headings` is the first line, such as "step,loss,validation". An error if the file cannot be read, has
  /// other headings, or has a malformed line.
  static llvm::Expected<PointLog> open(const std::string &path, const std::string &headings, int64_t step) {
    PointLog result;
    result.headings = headings;
    auto addLine = [&](const std::string &line) {
      std::optional<Point> point = Point::parse(line, headings);
      if (point)
        result.all.push_back(std::move(*point));
      return point.has_value();
    };
    auto log = StepLog::open(path, headings, step, addLine);
    if (!log)
      return log.takeError();
    result.log = std::move(*log);
    return result;
  }
  /// Adds a point, which the next write() writes.
  void add(const Point &point) {
    std::string line = point.line();
    all.push_back(Point::parse(line, headings).value_or(point));
    log.add(line + "\n");
  }
  llvm::Error replace() { return log.replace(); } ///< StepLog::replace()
  llvm::Error write() { return log.write(); }     ///< StepLog::write()

  /// All points, those of the file and those added, with the digits of the file, so that a resumed run has the same
  /// points.
  const std::vector<Point> &points() const { return all; }

private:
  std::string headings;
  StepLog log;
  std::vector<Point> all;
};

} // namespace attnc

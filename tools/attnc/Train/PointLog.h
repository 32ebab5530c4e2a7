//===- PointLog.h - a step log of points --------------------------------------------------------------------------===//
//
// A StepLog whose lines are points of a type that has
//
//   static constexpr char headings[]                          "step,loss,validation"
//   std::string line() const                                  its line, without an end
//   static std::optional<Point> parse(llvm::StringRef line)   nothing of a line of another form
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
  /// Reads the points of the file up to `step`.
  static llvm::Expected<PointLog> open(const std::string &path, int64_t step) {
    PointLog result;
    auto addLine = [&](const std::string &line) {
      std::optional<Point> point = Point::parse(line);
      if (point)
        result.all.push_back(std::move(*point));
      return point.has_value();
    };
    auto log = StepLog::open(path, Point::headings, step, addLine);
    if (!log)
      return log.takeError();
    result.log = std::move(*log);
    return result;
  }
  /// Adds a line to the file, when that is written next.
  void add(const Point &point) {
    std::string line = point.line();
    all.push_back(Point::parse(line).value_or(point));
    log.add(line + "\n");
  }
  llvm::Error replace() { return log.replace(); }
  llvm::Error write() { return log.write(); }

  /// With the digits that the file has, so that a resumed run has the same ones.
  const std::vector<Point> &points() const { return all; }

private:
  StepLog log;
  std::vector<Point> all;
};

} // namespace attnc

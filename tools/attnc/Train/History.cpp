#include "tools/attnc/Train/History.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>
#include <fstream>
#include <sstream>

using namespace llvm;

namespace attnc {

static constexpr const char *headings = "step,loss,validation";

static std::string lineOf(const HistoryPoint &point) {
  return fmt::format("{},{:.6g},{}\n", point.step, point.loss,
                     point.validation ? fmt::format("{:.6g}", *point.validation) : "");
}

Expected<History> History::open(const std::string &path, int64_t step) {
  History history;
  history.path = path;
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    HistoryPoint point;
    char comma;
    double validation;
    if (!(fields >> point.step >> comma >> point.loss) || point.step > step)
      continue;
    if (fields >> comma >> validation)
      point.validation = validation;
    history.all.push_back(point);
  }
  auto write = [&](raw_ostream &out) {
    out << headings << "\n";
    for (const HistoryPoint &point : history.all)
      out << lineOf(point);
    return Error::success();
  };
  if (Error error = writeToOutput(path, write)) // a kill leaves the old one or this one
    return std::move(error);
  return history;
}

Error History::add(HistoryPoint point) {
  all.push_back(point);
  std::ofstream out(path, std::ios::app);
  out << lineOf(point);
  out.close();
  return out ? Error::success() : createStringError(formatv("{0}: cannot be written", path));
}

} // namespace attnc

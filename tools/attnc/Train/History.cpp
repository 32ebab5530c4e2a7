#include "tools/attnc/Train/History.h"
#include "llvm/Support/FormatVariadic.h"
#include <fmt/format.h>
#include <fstream>
#include <sstream>

using namespace llvm;

namespace attnc {

static constexpr const char *headings = "step,loss,validation";

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
  std::ofstream out(path);
  out << headings << "\n";
  std::vector<HistoryPoint> kept;
  std::swap(kept, history.all);
  out.close();
  if (!out)
    return createStringError(formatv("{0}: cannot be written", path));
  for (const HistoryPoint &point : kept)
    if (Error error = history.add(point))
      return std::move(error);
  return history;
}

Error History::add(HistoryPoint point) {
  all.push_back(point);
  std::ofstream out(path, std::ios::app);
  out << point.step << "," << fmt::format("{:.6g}", point.loss) << ","
      << (point.validation ? fmt::format("{:.6g}", *point.validation) : "") << "\n";
  out.close();
  return out ? Error::success() : createStringError(formatv("{0}: cannot be written", path));
}

} // namespace attnc

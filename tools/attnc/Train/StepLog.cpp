#include "tools/attnc/Train/StepLog.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <fstream>
#include <sstream>

using namespace llvm;

namespace attnc {

Expected<StepLog> StepLog::open(const std::string &path, const std::string &headings, int64_t step,
                                const std::function<bool(const std::string &line)> &take) {
  StepLog log;
  log.path = path;
  std::string kept = headings + "\n";
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    int64_t of = 0;
    char comma = 0;
    if (fields >> of >> comma && of <= step && take(line))
      kept += line + "\n";
  }
  auto write = [&](raw_ostream &out) {
    out << kept;
    return Error::success();
  };
  if (Error error = writeToOutput(path, write)) // a kill leaves the old one or this one
    return std::move(error);
  return log;
}

Error StepLog::add(const std::string &lines) {
  std::ofstream out(path, std::ios::app);
  out << lines;
  out.close();
  return out ? Error::success() : createStringError(formatv("{0}: cannot be written", path));
}

} // namespace attnc

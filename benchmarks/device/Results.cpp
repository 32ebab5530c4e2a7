#include "benchmarks/device/Results.h"
#include <fstream>
#include <stdexcept>

namespace attnc::device {

static std::ifstream open(const std::string &path) {
  std::ifstream in(path);
  if (!in)
    throw std::runtime_error(path + " can't be read");
  return in;
}

nlohmann::json readJson(const std::string &path) {
  std::ifstream in = open(path);
  return nlohmann::json::parse(in);
}

std::vector<nlohmann::json> readLines(const std::string &path) {
  std::ifstream in = open(path);
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(in, line);)
    if (!line.empty())
      lines.push_back(nlohmann::json::parse(line));
  return lines;
}

void append(const std::string &path, const nlohmann::json &line) {
  if (path.empty())
    return;
  std::ofstream out(path, std::ios::app);
  if (!(out << line.dump() << '\n').flush())
    throw std::runtime_error(path + " can't be written");
}

} // namespace attnc::device

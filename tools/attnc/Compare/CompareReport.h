//===- CompareReport.h - candidates side by side, as text, JSON and a page --------------------------------------===//
#pragma once

#include "tools/attnc/Candidates/Candidate.h"

namespace attnc {

struct Comparison {
  std::string source, entry;
  std::vector<std::pair<std::string, int64_t>> sizes; ///< sizes of dimensions
  int threads = 1, repetitions = 0;
  double tolerance = 8;
  Region region = Region();
  std::vector<Candidate> candidates; ///< the default first
};

void printTable(const Comparison &comparison, llvm::raw_ostream &out);
void writeJson(const Comparison &comparison, llvm::raw_ostream &out);
llvm::Error writePage(const std::string &path, const Comparison &comparison);

} // namespace attnc

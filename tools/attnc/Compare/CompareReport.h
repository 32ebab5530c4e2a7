//===- CompareReport.h - candidates side by side, as text, JSON and a page --------------------------------------===//
#pragma once

#include "tools/attnc/Candidates/Candidate.h"

namespace attnc {

struct Comparison {
  std::string source, entry;                          ///< the model's file and the entry point
  std::vector<std::pair<std::string, int64_t>> sizes; ///< names and sizes of dimensions
  int threads = 1, repetitions = 0;
  double tolerance = 8; ///< the factor c of Deviation::limit
  Region region = Region();
  std::vector<Candidate> candidates; ///< the default first
};

void printTable(const Comparison &comparison, llvm::raw_ostream &out);
void writeJson(const Comparison &comparison, llvm::raw_ostream &out);
llvm::Error writePage(const std::string &path, const Comparison &comparison);

} // namespace attnc

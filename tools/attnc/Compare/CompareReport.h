//===- CompareReport.h - report of `attnc compare`: a table, JSON and a page --------------------------------------===//
//
// The report compares candidates: the same entry point, compiled by different strategies and measured.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Candidates/Candidate.h"

namespace attnc {

/// The results of `attnc compare`, as input of the functions below.
struct Comparison {
  std::string source, entry;                          ///< the model's file and the entry point, for titles
  std::vector<std::pair<std::string, int64_t>> sizes; ///< names and sizes of dimensions, for titles
  int threads = 1, repetitions = 0;                   ///< threads, and number of timed calls of each candidate
  double tolerance = 8;                               ///< the factor c of Deviation::limit()
  Region region = Region();                           ///< the compared part of the entry point; default: all of it
  /// The default strategy's candidate first; it must be measured. A candidate has `problem`, `sameAs` or measurements.
  std::vector<Candidate> candidates;
};

/// Prints a title, a line for each candidate, and remarks.
void printTable(const Comparison &comparison, llvm::raw_ostream &out);
/// Writes the numbers of all candidates and their kernels as one JSON object.
void writeJson(const Comparison &comparison, llvm::raw_ostream &out);
/// Writes an HTML page with tables and bar charts. An error if `path` cannot be written.
llvm::Error writePage(const std::string &path, const Comparison &comparison);

} // namespace attnc

//===- Subject.h - table of end-to-end tests ----------------------------------------------------------------------===//
//
// A table of (model file, entry point, dimensions). Each row is compiled by the pipeline, run, and compared with the
// oracle, without code of its own:
//
//   {"masks.attn", "causal", {.reduction = 32, .along = {"m"}},
//    {{"square", {{"n", 64}, {"m", 64}}}, {"one key", {{"n", 5}, {"m", 1}}}}}
//
// Tolerance: an element may differ from the oracle's by c u sqrt(K) times the largest magnitude of its result (at least
// one), with u = 2^-24 and K the number of terms of the longest chain of sums: Accuracy::reduction plus the sizes of
// the dimensions in Accuracy::along.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace attnc::e2e {

using Dimensions = std::map<std::string, int64_t>;

/// Random draws that are equal on every machine.
class Random {
public:
  explicit Random(const std::string &seed);
  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53; }
  int64_t below(int64_t end) { return static_cast<int64_t>(bits() % static_cast<uint64_t>(end)); }

private:
  std::mt19937_64 bits;
};

/// Returns the elements of an input in row-major order.
using Filler = std::function<double(Random &random, int64_t element, const Dimensions &dimensions)>;
Filler uniform(double low, double high);
Filler constant(double value);
Filler below(int64_t end);                 ///< integers 0 .. end - 1
Filler upTo(const std::string &dimension); ///< integers 0 .. its size; the first is 0 and the second the size
Filler runsOf(int64_t length);             ///< 0 0 0 1 1 1 2 2 2: document numbers
Filler except(Filler filler, int64_t element, double value); ///< with one element replaced

using Fillers = std::map<std::string, Filler>;

struct Choice {
  std::string name; ///< of the special case
  Dimensions dimensions;
  Fillers inputs = {};  ///< replace the subject's inputs
  int32_t status = 0;   ///< expected status of the call; results are compared if it is 0
  double amplified = 1; ///< factor of the tolerance
};

struct Accuracy {
  double c = 8;
  int64_t reduction = 0;
  std::vector<std::string> along = {};
};

struct Subject {
  std::string file; ///< below tests/e2e/models, or of the source tree with a leading "/"
  std::string entry;
  Accuracy accuracy;
  std::vector<Choice> choices;
  Fillers inputs = {}; ///< by name; an f32 input without a filler is uniform in [-1, 1)
  std::vector<std::pair<std::string, std::string>> settings = {};
  std::string target = "native";
  std::string emitter = "auto"; ///< as in --emitter
};

std::vector<Subject> maskSubjects();
std::vector<Subject> scoreSubjects();
std::vector<Subject> normaliserSubjects();
std::vector<Subject> layerSubjects();
std::vector<Subject> modelSubjects();
std::vector<Subject> exampleSubjects();
std::vector<Subject> incrementalSubjects();
std::vector<Subject> decodeSubjects();
std::vector<Subject> scanSubjects();
std::vector<Subject> shapeSubjects();
std::vector<Subject> trainingSubjects();
/// Subjects of the tables above, and convolutions, with Halide for all kernels that it supports; convolutions also with
/// the CPU emitter.
std::vector<Subject> halideSubjects();
/// Subjects of the tables above, and others, on a device.
std::vector<Subject> deviceSubjects();

} // namespace attnc::e2e

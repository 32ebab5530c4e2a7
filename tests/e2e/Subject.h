//===- Subject.h - table of end-to-end tests ----------------------------------------------------------------------===//
//
// A Subject is a row of a table: a model file, an entry point, and several choices of dimensions. The tests compile
// each row by the pipeline, call the entry point with each choice, and compare the results with the oracle:
//
//   {"masks.attn", "causal", {.reduction = 32, .along = {"m"}},
//    {{"square", {{"n", 64}, {"m", 64}}}, {"one key", {{"n", 5}, {"m", 1}}}}}
//
// Tolerance: an element may differ from the oracle's by c u sqrt(K) times the largest magnitude of its result (at least
// one). u is 2^-24, the unit roundoff of f32. K is the number of terms of the longest chain of sums:
// Accuracy::reduction plus the sizes of the dimensions in Accuracy::along.
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

/// Sizes by the names of the entry point's dimensions.
using Dimensions = std::map<std::string, int64_t>;

/// A pseudo-random sequence that is equal for equal seeds on every machine.
class Random {
public:
  explicit Random(const std::string &seed);
  /// A number in [low, high).
  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// An integer from 0 to end - 1.
  int64_t below(int64_t end) { return static_cast<int64_t>(bits() % static_cast<uint64_t>(end)); }

private:
  std::mt19937_64 bits;
};

/// Returns the element of an input with the row-major number `element`. Called for all elements in order.
using Filler = std::function<double(Random &random, int64_t element, const Dimensions &dimensions)>;
Filler uniform(double low, double high);
Filler constant(double value);
Filler below(int64_t end);                 ///< integers 0 .. end - 1
Filler upTo(const std::string &dimension); ///< integers 0 .. its size; the first is 0 and the second the size
Filler runsOf(int64_t length);             ///< 0 0 0 1 1 1 2 2 2: document numbers
Filler except(Filler filler, int64_t element, double value); ///< with one element replaced

/// Fillers by the names of inputs.
using Fillers = std::map<std::string, Filler>;

/// One call of a subject's entry point.
struct Choice {
  std::string name; ///< of the special case, for the name of the test
  Dimensions dimensions;
  Fillers inputs = {};  ///< replace the subject's inputs
  int32_t status = 0;   ///< expected status of the call; results are compared if it is 0
  double amplified = 1; ///< factor of the tolerance
};

/// The tolerance, as above.
struct Accuracy {
  double c = 8;
  int64_t reduction = 0;               ///< terms of sums along dimensions of constant size
  std::vector<std::string> along = {}; ///< names of dimensions that are summed over
};

struct Subject {
  std::string file;  ///< path below tests/e2e/models; with a leading "/", below the root of the source tree
  std::string entry; ///< name of the entry point
  Accuracy accuracy;
  std::vector<Choice> choices;
  Fillers inputs = {}; ///< by name; an f32 input without a filler is uniform in [-1, 1)
  std::vector<std::pair<std::string, std::string>> settings = {}; ///< hyperparameters, as in --set
  std::string target = "native";                                  ///< as in --target
  std::string emitter = "auto";                                   ///< as in --emitter
};

// The tables, by topic.
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

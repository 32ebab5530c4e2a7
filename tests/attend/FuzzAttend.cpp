// Compares compiled attention of random formulas with the oracle, for any number of cases:
//
//   fuzz-attend [COUNT [FIRST]]     cases FIRST .. FIRST + COUNT - 1; 1000 from 0
//
// Prints each mismatch with its program; the exit status is 1 if there was one.
#include "tests/attend/AttendCase.h"
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

using namespace attnc::attend;

/// Reports one case: its difference and its program.
static int64_t report(const AttendCase &each, const std::string &difference) {
  fmt::print("{}\n{}\n", difference, programOf({each}));
  std::fflush(stdout);
  return 1;
}

static int64_t checkCases(const std::vector<AttendCase> &cases) {
  CompiledCases compiled(cases);
  int64_t mismatches = 0;
  if (!compiled.message().empty()) {
    if (cases.size() == 1)
      return report(cases[0], compiled.message());
    for (const AttendCase &each : cases)
      mismatches += checkCases({each});
    return mismatches;
  }
  for (const AttendCase &each : cases)
    for (Sizes sizes : {Sizes{2, 5, 7}, Sizes{1, 18, 21}})
      if (std::string difference = compiled.difference(each, sizes); !difference.empty()) {
        mismatches += report(each, difference);
        break;
      }
  return mismatches;
}

int main(int argc, char **argv) {
  uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  constexpr uint64_t casesOfModel = 20;
  int64_t mismatches = 0;
  for (uint64_t done = 0; done < count; done += casesOfModel) {
    std::vector<AttendCase> cases;
    for (uint64_t number = done; number < std::min(count, done + casesOfModel); ++number)
      cases.push_back(randomCase(first + number));
    mismatches += checkCases(cases);
    if (isatty(1))
      fmt::print(stderr, "\r{} of {} cases, {} mismatches", std::min(count, done + casesOfModel), count, mismatches);
  }
  fmt::print("{} cases from {}, {} mismatches\n", count, first, mismatches);
  return mismatches != 0;
}

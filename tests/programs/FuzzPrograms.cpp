// Compiles whole random programs and compares them with the oracle, for any number of programs:
//
//   fuzz-programs [COUNT [FIRST]]     programs FIRST .. FIRST + COUNT - 1; 1000 from 0
//   fuzz-programs --print NUMBER      the program of that number
//   fuzz-programs --check NUMBER FILE the text in FILE, with the sizes and options of the program of that number
//
// Prints each wrong program with its number, sizes and options, and the commands that repeat and reduce it; the exit
// status is 1 if any program is wrong.
#include "tests/programs/ProgramCheck.h"
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace attnc::programs;

static std::string optionsOf(const RandomProgram &program) {
  std::string text;
  for (const std::string &each : program.overrides)
    text += " --override " + each;
  if (program.emitter != "auto")
    text += " --emitter " + program.emitter;
  if (program.precision != "f32")
    text += " --precision " + program.precision;
  return text;
}

static std::string sizesOf(const RandomProgram &program) {
  std::string text;
  for (const auto &[name, size] : program.sizes)
    text += fmt::format(" --dim {}={}", name, size);
  return text;
}

/// Returns the text by which attn-reduce recognises the fault in a smaller program: its kind, without numbers of this
/// program.
static std::string expectationOf(const std::string &message) {
  for (const char *kind : {"of rounding", "the compiler failed", "by differences", "is updated, and should not be",
                           "the oracle says"})
    if (message.find(kind) != std::string::npos)
      return kind;
  return message;
}

static void report(uint64_t number, const RandomProgram &program, const std::string &message) {
  fmt::print("program {}: {}\n{}", number, message, program.text);
  fmt::print("options:{}\nsizes:{}\n", optionsOf(program), sizesOf(program));
  fmt::print("repeat:  fuzz-programs 1 {0}\nreduce:  fuzz-programs --print {0} > p.attn; "
             "attn-reduce p.attn -o small.attn --expect '{1}' -- fuzz-programs --check {0} {{}}\n\n",
             number, expectationOf(message));
  std::fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc == 3 && std::string(argv[1]) == "--print") {
    fmt::print("{}", randomProgram(std::strtoull(argv[2], nullptr, 10)).text);
    return 0;
  }
  if (argc == 4 && std::string(argv[1]) == "--check") {
    uint64_t number = std::strtoull(argv[2], nullptr, 10);
    RandomProgram program = randomProgram(number);
    std::stringstream text;
    text << std::ifstream(argv[3]).rdbuf();
    program.text = text.str();
    Verdict verdict = checkInChild(program);
    if (!verdict.message.empty())
      report(number, program, verdict.message);
    return verdict.kind == Verdict::Wrong;
  }
  uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  uint64_t wrong = 0, refused = 0;
  for (uint64_t number = first; number < first + count; ++number) {
    RandomProgram program = randomProgram(number);
    Verdict verdict = checkInChild(program);
    wrong += verdict.kind == Verdict::Wrong;
    refused += verdict.kind == Verdict::Refused;
    if (verdict.kind == Verdict::Wrong || (verdict.kind == Verdict::Refused && count == 1))
      report(number, program, verdict.message);
    if (isatty(1))
      fmt::print(stderr, "\r{} of {} programs, {} wrong", number - first + 1, count, wrong);
  }
  fmt::print("{} programs from {}: {} wrong, {} refused\n", count, first, wrong, refused);
  return wrong != 0;
}

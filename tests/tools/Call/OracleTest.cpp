// Tests that compareWithOracle accepts rounding errors, however amplified, and rejects results of other programs.
#include "tools/attnc/Call/Oracle.h"
#include "tools/attnc/Call/LoadedModel.h"
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace attnc;

namespace {

/// A program, compiled and called on inputs that depend only on their names and sizes.
class CalledProgram {
public:
  CalledProgram(const std::string &text, std::vector<std::string> dims) {
    static int number = 0;
    path = std::filesystem::temp_directory_path() / fmt::format("oracle-{}-{}.attn", getpid(), number++);
    std::ofstream(path) << text;
    options.input = path;
    options.reproducerDirectory = "";
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    EXPECT_EQ(compile(options, made, stream), Outcome::Done) << messages << text;
    llvm::StringRef object(made.object.data(), made.object.size());
    loaded = llvm::cantFail(LoadedModel::fromObject(llvm::MemoryBuffer::getMemBufferCopy(object)));
    InvocationOptions how;
    how.dims = std::move(dims);
    how.fillMissing = true;
    how.threads = 1;
    call = llvm::cantFail(Invocation::create(loaded->model(), how));
    llvm::cantFail(call->run());
  }
  ~CalledProgram() { std::filesystem::remove(path); }

  CompileOptions options;
  Compilation made;
  std::optional<LoadedModel> loaded;
  std::unique_ptr<Invocation> call;

private:
  std::filesystem::path path;
};

bool isWithin(const CalledProgram &right, const CalledProgram &found) {
  auto deviations = compareWithOracle(right.options, right.made, *found.call, parametersOf(*found.call), 8);
  return llvm::all_of(llvm::cantFail(std::move(deviations)), [](const Deviation &each) { return each.isWithin(8); });
}

/// A fault of a kernel, as a change of the program: `wrong` replaces `part`.
struct Fault {
  const char *part, *wrong;
};
constexpr Fault faults[] = {
    {"j <= i", "j < i or i == 0"},
    {"j <= i", "(j <= i and (j / 16 != 1 or j == i))"},
    {"/ 4.0", "/ 4.01"},
    {"weight: w => w", "weight: w => if i == n - 1 then 1.01 * w else w"},
    {"value: v[j]", "value: if i == n - 1 and j == n - 1 then 0.0 * v[j] else v[j]"},
};

std::string attention(const std::string &bias) {
  return "export fn f(q: f32[n, 16], k: f32[n, 16], v: f32[n, 16]) -> f32[n, 16] {\n"
         "  [i] => attend j { score: dot(q[i], k[j]) / 4.0 + " +
         bias + ", mask: j <= i, weight: w => w, value: v[j] }\n}\n";
}

class OracleOnAttention : public testing::TestWithParam<const char *> {};

TEST_P(OracleOnAttention, AcceptsRoundingAndNoFault) {
  std::string text = attention(GetParam());
  CalledProgram right(text, {"n=40"});
  EXPECT_TRUE(isWithin(right, right));
  for (const Fault &fault : faults) {
    std::string faulty = text;
    faulty.replace(text.find(fault.part), std::strlen(fault.part), fault.wrong);
    EXPECT_FALSE(isWithin(right, CalledProgram(faulty, {"n=40"}))) << faulty;
  }
}

/// Scores near zero, large scores, and scores of which some are far below others.
INSTANTIATE_TEST_SUITE_P(Biases, OracleOnAttention,
                         testing::Values("0.0", "20.0 * f32(j % 2) - 300.0", "-1.5 * f32(i - j)"));

/// Truncations of logarithms, some of which are integers in f32 and slightly less in double precision.
TEST(Oracle, AcceptsEitherSideOfATruncation) {
  auto buckets = [](const char *furthest) {
    return fmt::format("use nn\nexport fn f(x: f32[n]) -> f32[n, n] {{\n"
                       "  [i < n, j < n] => f32(nn.relative_bucket(abs(i - j), 16, {}))\n}}\n",
                       furthest);
  };
  CalledProgram right(buckets("128"), {"n=40"}), wrong(buckets("120"), {"n=40"});
  EXPECT_TRUE(isWithin(right, right));
  EXPECT_FALSE(isWithin(right, wrong));
}

/// The bound of small results scales with them.
TEST(Oracle, ComparesSmallResultsWithSmallOnes) {
  auto scaled = [](const char *by) { return fmt::format("export fn f(x: f32[n]) -> f32[n] {{ x * {} }}\n", by); };
  CalledProgram right(scaled("1e-9"), {"n=40"}), wrong(scaled("2e-9"), {"n=40"});
  EXPECT_TRUE(isWithin(right, right));
  EXPECT_FALSE(isWithin(right, wrong));
}

} // namespace

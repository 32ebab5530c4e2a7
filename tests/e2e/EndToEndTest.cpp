// Compares each row of the table with the oracle, with the bits at other numbers of threads, and fused IR with imported
// IR.
#include "compiler/Reference/Tolerance.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/e2e/CompiledModel.h"
#include "tests/e2e/Subject.h"
#include "tests/support/TestName.h"
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace attnc::e2e {
namespace {

using reference::Array;

struct Case {
  Subject subject;
  Choice choice;
};

std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (auto subjects : {maskSubjects(), scoreSubjects(), normaliserSubjects(), layerSubjects(), modelSubjects(),
                        exampleSubjects(), shapeSubjects(), trainingSubjects(), incrementalSubjects(), decodeSubjects(),
                        scanSubjects(), halideSubjects(), deviceSubjects()})
    for (const Subject &subject : subjects)
      for (const Choice &choice : subject.choices)
        cases.push_back({subject, choice});
  return cases;
}

std::string nameOf(const testing::TestParamInfo<Case> &info) {
  const Subject &subject = info.param.subject;
  std::string name = subject.file + "_" + subject.entry + "_" + info.param.choice.name;
  if (subject.target != "native")
    name += "_" + subject.target;
  if (subject.emitter != "auto")
    name += "_" + subject.emitter;
  return testName(name);
}

void PrintTo(const Case &each, std::ostream *stream) {
  *stream << each.subject.file << " " << each.subject.entry << ": " << each.choice.name;
}

class EndToEnd : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    model = &compiledModel(subject().file, subject().settings, subject().target, subject().emitter, calledEntries());
    ASSERT_TRUE(*model) << model->message();
    entry = model->entry(subject().entry);
    ASSERT_TRUE(entry) << "there is no entry point " << subject().entry;
    for (int32_t number = 0; number < entry->dimension_count; ++number)
      dimensions.push_back(choice().dimensions.at(entry->dimensions[number].name));
    for (int32_t number = 0; number < entry->input_count; ++number)
      inputs.push_back(drawInput(entry->tensors[number]));
  }

  const Subject &subject() const { return GetParam().subject; }
  const Choice &choice() const { return GetParam().choice; }

  /// Returns the entry points that the table calls: those of examples, and of models compiled in a way of their own.
  std::vector<std::string> calledEntries() const {
    std::vector<std::string> entries;
    if (subject().file.front() != '/' && subject().settings.empty() && subject().emitter == "auto")
      return entries;
    static const std::vector<Case> all = allCases();
    for (const auto &[other, choice] : all)
      if (std::tie(other.file, other.settings, other.target, other.emitter) ==
              std::tie(subject().file, subject().settings, subject().target, subject().emitter) &&
          !llvm::is_contained(entries, other.entry))
        entries.push_back(other.entry);
    return entries;
  }

  Array drawInput(const attn_tensor_info &tensor) {
    Filler filler = uniform(-1, 1);
    for (const Fillers *fillers : {&subject().inputs, &choice().inputs})
      if (auto found = fillers->find(tensor.name); found != fillers->end())
        filler = found->second;
    using reference::Element;
    Element element = tensor.dtype == ATTN_F32 ? Element::F32 : tensor.dtype == ATTN_I32 ? Element::I32 : Element::I1;
    Array array(element, shapeOf(tensor, dimensions), 0.0);
    Random random(subject().entry + tensor.name);
    for (int64_t place = 0; place < static_cast<int64_t>(array.values.size()); ++place) {
      double value = filler(random, place, choice().dimensions);
      array.values[place] = element == Element::F32 ? static_cast<float>(value) : std::floor(value);
    }
    return array;
  }

  /// Returns the oracle's results, followed by the updated parameters if the entry point updates any.
  std::vector<Array> interpretIn(mlir::ModuleOp module) {
    auto function = module.lookupSymbol<mlir::func::FuncOp>(subject().entry);
    reference::Parameters updates;
    auto results = reference::interpret(function, inputs, model->parameters(), &updates);
    if (results) {
      for (auto &[name, dtype] : model->parameterNames())
        if (entry->updates)
          results->push_back(updates.count(name) ? updates.at(name) : model->parameters().at(name));
      return *results;
    }
    ADD_FAILURE() << llvm::toString(results.takeError());
    return {};
  }

  /// Returns the text of the entry point in `module` and of the functions that it calls.
  std::string textIn(mlir::ModuleOp module) {
    llvm::SetVector<mlir::func::FuncOp> functions;
    functions.insert(module.lookupSymbol<mlir::func::FuncOp>(subject().entry));
    std::string text;
    llvm::raw_string_ostream stream(text);
    for (size_t number = 0; number < functions.size(); ++number) {
      mlir::func::FuncOp function = functions[number];
      function.print(stream);
      function.walk([&](mlir::func::CallOp call) {
        functions.insert(module.lookupSymbol<mlir::func::FuncOp>(call.getCallee()));
      });
    }
    return text;
  }

  /// Returns interpretIn's results, computed once per program and inputs, as most targets and emitters share them.
  /// `text` distinguishes programs of one subject.
  const std::vector<Array> &resultsIn(mlir::ModuleOp module, const std::string &text) {
    struct Known {
      std::vector<Array> inputs, results;
    };
    static std::set<std::string> texts;
    static std::map<std::pair<std::string, const std::string *>, Known> known;
    std::string key = subject().file + " " + subject().entry + " " + choice().name;
    for (const auto &[name, value] : subject().settings)
      key += " " + name + "=" + value;
    auto [found, isNew] = known.try_emplace({key, &*texts.insert(text).first});
    auto isSame = [](const Array &a, const Array &b) { return a.shape == b.shape && a.values == b.values; };
    const std::vector<Array> &of = found->second.inputs;
    if (isNew || !std::equal(inputs.begin(), inputs.end(), of.begin(), of.end(), isSame))
      found->second = {inputs, interpretIn(module)};
    return found->second.results;
  }

  /// Returns c u sqrt(K) (Subject.h).
  double tolerance() const {
    double terms = static_cast<double>(subject().accuracy.reduction);
    for (const std::string &name : subject().accuracy.along)
      terms += static_cast<double>(choice().dimensions.at(name));
    return choice().amplified * reference::tolerance(subject().accuracy.c, terms);
  }

  /// Returns true if the choice has the subject's smallest sizes; slow checks run at these alone.
  bool hasSmallestSizes() const {
    auto volume = [](const Choice &each) {
      int64_t product = 1;
      for (const auto &[name, size] : each.dimensions)
        product *= size + 1;
      return product;
    };
    return llvm::all_of(subject().choices, [&](const Choice &each) { return volume(choice()) <= volume(each); });
  }

  const CompiledModel *model = nullptr;
  const attn_entry_info *entry = nullptr;
  std::vector<int64_t> dimensions;
  std::vector<Array> inputs;
};

/// Describes the first element that differs and the largest error of all; returns "" if all agree.
std::string difference(const std::string &name, int32_t dtype, const std::vector<char> &bytes, const Array &expected,
                       double tolerance) {
  double limit = dtype == ATTN_F32 ? tolerance * reference::largestMagnitude(expected.values) : 0, worst = 0;
  std::string first;
  for (int64_t place = 0; place < static_cast<int64_t>(expected.values.size()); ++place) {
    double found = elementAt(bytes, dtype, size_t(place)), wanted = expected.values[place];
    worst = std::max(worst, std::fabs(found - wanted));
    if (first.empty() && !reference::agree(found, wanted, limit))
      first = fmt::format("{}: element {} of {} is {}, expected {} within {}", name, place, expected.values.size(),
                          found, wanted, limit);
  }
  return first.empty() ? "" : fmt::format("{}; largest error {}", first, worst);
}

void expectSameMeaning(const std::vector<Array> &imported, const std::vector<Array> &fused) {
  ASSERT_EQ(imported.size(), fused.size());
  for (size_t number = 0; number < imported.size(); ++number) {
    ASSERT_EQ(imported[number].shape, fused[number].shape);
    double limit = 1e-9 * reference::largestMagnitude(imported[number].values);
    for (size_t place = 0; place < imported[number].values.size(); ++place)
      ASSERT_TRUE(reference::agree(fused[number].values[place], imported[number].values[place], limit))
          << "result " << number << ", element " << place << " is " << fused[number].values[place] << ", was "
          << imported[number].values[place];
  }
}

TEST_P(EndToEnd, AgreesWithTheOracleAtAnyNumberOfThreads) {
  CallResults found = model->call(*entry, inputs, dimensions, {});
  ASSERT_TRUE(*model) << model->message();
  for (CallOptions options : {CallOptions{2, Placement::AgainstStart}, CallOptions{3, Placement::Misaligned}}) {
    CallResults again = model->call(*entry, inputs, dimensions, options);
    EXPECT_EQ(again.status, choice().status);
    if (found.status == 0)
      EXPECT_TRUE(again.bytes == found.bytes && again.parameters == found.parameters)
          << "other bits with " << options.workers << " workers";
  }
  ASSERT_EQ(found.status, choice().status);
  if (found.status != 0)
    return; // the oracle returns no results
  const std::vector<Array> &expected = resultsIn(model->imported(), "");
  for (size_t number = 0; number < found.bytes.size(); ++number) {
    const attn_tensor_info &tensor = resultInfo(*entry, number);
    EXPECT_EQ(difference(tensor.name, tensor.dtype, found.bytes[number], expected[number], tolerance()), "");
  }
  for (size_t number = 0; number < found.parameters.size(); ++number) {
    auto &[name, dtype] = model->parameterNames()[number];
    const Array &wanted = expected[found.bytes.size() + number];
    EXPECT_EQ(difference(name, dtype, found.parameters[number], wanted, tolerance()), "");
  }
  {
    SCOPED_TRACE("after fusion");
    expectSameMeaning(expected, resultsIn(model->fused(), textIn(model->fused())));
  }
  SCOPED_TRACE("with every fusion refused");
  if (hasSmallestSizes() && subject().target == "native" && subject().emitter == "auto")
    expectSameMeaning(expected, interpretIn(model->unfused()));
}

INSTANTIATE_TEST_SUITE_P(Table, EndToEnd, testing::ValuesIn(allCases()), nameOf);

} // namespace
} // namespace attnc::e2e

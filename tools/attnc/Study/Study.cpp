// attnc study: measures how much the outputs of a trained model depend on its attention weights.
#include "compiler/Diagnostics/Spelling.h"
#include "compiler/Emit/OutputFiles.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tools/attnc/Call/EntryChoice.h"
#include "tools/attnc/Call/Runner.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/Data/DataOptions.h"
#include "tools/attnc/Data/TrainingData.h"
#include "tools/attnc/Messages/Messages.h"
#include "tools/attnc/Messages/Printing.h"
#include "tools/attnc/Options/SourceOptions.h"
#include "tools/attnc/Options/Validators.h"
#include "tools/attnc/Study/StudyResults.h"
#include "tools/command-line/Command.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

using namespace llvm;

namespace attnc {

namespace {

struct StudyOptions : InferenceOptions {
  SourceOptions source;
  std::string output;
  std::vector<std::string> heads; ///< names of the indices that count heads
  int64_t batches = 4;
};

/// One run of the command.
class Study {
public:
  Study(const StudyOptions &options, const attn_model &model, std::vector<StudiedAttention> attentions)
      : options(options), model(model), runner(model), attentions(std::move(attentions)), draws(options.seed) {}
  Error run();

private:
  using Tensors = std::vector<HostTensor>;
  Error begin();
  Error findOutput();
  Error nameHeads();
  void addRows(size_t attention, HostTensor &weights);
  Error addBatch(const Tensors &inputs, int64_t number);
  Expected<HostTensor> outputOf(const Tensors &inputs, const Tensors &given, const Tensors &key);
  Error tryOn(size_t head, const Tensors &inputs, const Tensors &weights, const Tensors &key, const HostTensor &before);
  /// The changed weights of one head, and NaN elsewhere; for the last number, the changed weights of all heads.
  Tensors givenFor(size_t head, Intervention intervention, const Tensors &weights);
  Error writeFiles() const;
  const attn_entry_info &entry(const char *suffix = "") const {
    return model.entries[attn_find_entry(&model, (options.source.compile.studied + suffix).c_str())];
  }
  bool isAll(size_t head) const { return head == allHeads; }

  const StudyOptions &options;
  const attn_model &model;
  Runner runner;
  std::vector<StudiedAttention> attentions;
  std::vector<HeadsOfWeights> heads; ///< of each `attend`
  std::vector<size_t> firstHead;     ///< for each `attend`, the number of its first head among all
  size_t allHeads = 0;
  int32_t output = 0; ///< number of the compared result
  Draws draws;
  StudyResults results;
};

} // namespace

static bool isOne(const attn_size_info &size) { return constantSize(size) == 1; }

/// Finds the compared result: the first tensor of f32 whose rows have several elements. Fails if there is none.
Error Study::findOutput() {
  const attn_entry_info &of = entry();
  for (output = 0; output < of.result_count; ++output) {
    const attn_tensor_info &info = of.tensors[of.input_count + output];
    if (info.dtype != ATTN_F32 || info.rank == 0 || isOne(info.shape[info.rank - 1]))
      continue;
    results.output = info.name;
    return Error::success();
  }
  return createStringError(formatv("entry point '{0}' returns no tensor of logits or probabilities, f32[.., classes] "
                                   "with at least two classes; choose another one by --entry",
                                   of.name));
}

Error Study::nameHeads() {
  const attn_entry_info &maps = entry(".weights");
  std::map<std::string, int64_t> ofModule;
  std::vector<std::string> known;
  for (int32_t attention = 0; attention < maps.result_count; ++attention) {
    const StudiedAttention &said = attentions[attention];
    if (said.name)
      append_range(known, said.name->indices);
    int64_t number = said.name ? ofModule[said.name->module]++ : 0;
    heads.emplace_back(maps.tensors[maps.input_count + attention], said, number, options.heads);
    if (!heads.back().unbounded().empty())
      return createStringError(
          formatv("--heads: the size of `{0}` is not constant, so it can't number heads", heads.back().unbounded()));
    firstHead.push_back(results.heads.size());
    for (int64_t head = 0; head < heads.back().count(); ++head)
      results.heads.push_back({heads.back().nameOf(head), {}, {}});
  }
  for (const std::string &name : options.heads)
    if (!is_contained(known, name))
      return createStringError("--heads: no attention has an outer index `" + name + "`" + didYouMean(name, known));
  allHeads = results.heads.size();
  if (allHeads > 1)
    results.heads.push_back({"all", {}, {}});
  return Error::success();
}

Error Study::begin() {
  if (Error error = findOutput())
    return error;
  if (Error error = runner.start(options.threads))
    return error;
  if (Error error = runner.loadWeights(options.weights, 0, options.seed))
    return error;
  return nameHeads();
}

Expected<HostTensor> Study::outputOf(const Tensors &inputs, const Tensors &given, const Tensors &key) {
  Tensors all(inputs);
  append_range(all, given);
  append_range(all, key);
  auto made = runner.run(attn_find_entry(&model, entry(".given").name), all);
  if (!made)
    return made.takeError();
  return std::move((*made)[output]);
}

Study::Tensors Study::givenFor(size_t head, Intervention intervention, const Tensors &weights) {
  Tensors given;
  for (auto [attention, own] : enumerate(weights)) {
    HostTensor &tensor = given.emplace_back(own);
    int64_t keys = heads[attention].keysOf(own.shape);
    for (int64_t row = 0; keys > 0 && row < own.count() / keys; ++row) {
      MutableArrayRef<float> values(tensor.floats() + row * keys, size_t(keys));
      bool isChanged = isAll(head) || firstHead[attention] + heads[attention].headOf(row, own.shape) == head;
      if (!isChanged || !intervene(intervention, values, draws))
        std::fill(values.begin(), values.end(), std::numeric_limits<float>::quiet_NaN());
    }
  }
  return given;
}

Error Study::tryOn(size_t head, const Tensors &inputs, const Tensors &weights, const Tensors &key,
                   const HostTensor &before) {
  for (auto [kind, intervention] : enumerate(interventions)) {
    auto after = outputOf(inputs, givenFor(head, intervention, weights), key);
    if (!after)
      return after.takeError();
    results.heads[head].changes[kind].add(before, *after);
  }
  return Error::success();
}

/// Adds the rows to the sums of their heads, and replaces the -inf of masked pairs by 0.
void Study::addRows(size_t attention, HostTensor &weights) {
  int64_t keys = heads[attention].keysOf(weights.shape);
  for (int64_t row = 0; keys > 0 && row < weights.count() / keys; ++row) {
    MutableArrayRef<float> values(weights.floats() + row * keys, size_t(keys));
    constexpr float masked = -std::numeric_limits<float>::infinity();
    int64_t kept = keys - count(values, masked);
    std::replace(values.begin(), values.end(), masked, 0.0F);
    results.heads[firstHead[attention] + heads[attention].headOf(row, weights.shape)].concentration.add(values, kept);
    if (allHeads > 1)
      results.heads[allHeads].concentration.add(values, kept);
  }
}

Error Study::addBatch(const Tensors &inputs, int64_t number) {
  Tensors key = drawKey(entry(), options.seed, number);
  Tensors all(inputs);
  append_range(all, key);
  auto weights = runner.run(attn_find_entry(&model, entry(".weights").name), all);
  if (!weights)
    return weights.takeError();
  Tensors own;
  for (auto [attention, tensor] : enumerate(*weights)) {
    HostTensor &none = own.emplace_back(tensor);
    std::fill_n(none.floats(), none.count(), std::numeric_limits<float>::quiet_NaN());
    addRows(attention, tensor);
  }
  auto before = outputOf(inputs, own, key);
  if (!before)
    return before.takeError();
  ArrayRef<float> values(before->floats(), size_t(before->count()));
  if (before->shape.back() < 2)
    return createStringError(
        formatv("{0} has {1} classes, expected at least two", results.output, before->shape.back()));
  if (!all_of(values, [](float value) { return std::isfinite(value); }))
    return createStringError(formatv("{0} has NaN or infinity in batch {1}, before any intervention; `attnc run "
                                     "--check` tells whether the model or the compiler causes it",
                                     results.output, number));
  for (size_t head = 0; head < results.heads.size(); ++head)
    if (Error error = tryOn(head, inputs, *weights, key, *before))
      return error;
  return Error::success();
}

Error Study::writeFiles() const {
  OutputFiles files;
  if (Error error = files.write(options.output + "/study.csv", csvOf(results)))
    return error;
  if (Error error = files.write(options.output + "/study.html", htmlText(studyPage(results))))
    return error;
  return files.commit();
}

Error Study::run() {
  if (Error error = begin())
    return error;
  auto data = TrainingData::read(entry(), options);
  if (!data)
    return data.takeError();
  if (Error error = (*data)->fits(options.source.rangesOf(std::string(entry().name), Phase::Import)))
    return error;
  int64_t done = 0;
  for (; done < options.batches; ++done) {
    std::optional<Batch> batch = (*data)->heldOutBatch(options.shape, done);
    if (!batch)
      break;
    if (Error error = addBatch(batch->inputs, done))
      return error;
  }
  if (done == 0)
    return createStringError("the data have no batch to study: give more data, a larger --held-out, or a smaller "
                             "--batch or --seq");
  results.model = model.name;
  results.entry = entry().name;
  results.facts = {{"model", options.source.input()},
                   {"entry point", entry().name},
                   {"weights", options.weights.empty() ? "initial values" : join(options.weights, ", ")},
                   {"batches", (*data)->hasSamples() ? fmt::format("{} of {} rows", done, options.shape.batch)
                                                     : fmt::format("{}", done)},
                   {"seed", fmt::format("{}", options.seed)}};
  printTo(stdout, "{}", textOf(results));
  return options.output.empty() ? Error::success() : writeFiles();
}

static StudiedAttention studied(mlir::attn::AttendOp op) {
  StudiedAttention attention{int64_t(op.getNumKeys()), mlir::attn::attentionNameOf(op), {}};
  for (auto loop = op->getParentOfType<mlir::scf::ForOp>(); loop; loop = loop->getParentOfType<mlir::scf::ForOp>())
    attention.loopsAreLists.insert(attention.loopsAreLists.begin(), !loop->hasAttr(mlir::model::scanAttrName));
  return attention;
}

/// The properties of each `attend` of the entry point; empty if the model cannot be compiled up to that phase. Fails if
/// the model has no such entry point.
static Expected<std::vector<StudiedAttention>> attentionsOf(const CompileOptions &options) {
  CompileOptions partly = options;
  partly.dump = Phase::Raise;
  Compilation made;
  std::vector<StudiedAttention> attentions;
  if (attnc::compile(partly, made, nulls()) != Outcome::Done)
    return attentions;
  std::string names;
  for (auto function : made.module->getOps<mlir::func::FuncOp>()) {
    if (function.getName() == options.studied)
      function.walk([&](mlir::attn::AttendOp op) { attentions.push_back(studied(op)); });
    names += (names.empty() ? "" : ", ") + function.getName().str();
  }
  if (!made.module->lookupSymbol(options.studied))
    return createStringError(formatv("no entry point '{0}'; the model has {1}", options.studied, names));
  return attentions;
}

static ExitCode study(StudyOptions &options) {
  Expected<std::vector<StudiedAttention>> attentions = attentionsOf(options.source.compile);
  if (!attentions)
    return report(attentions.takeError());
  ExitCode exitCode = ExitCode::Success;
  std::optional<LoadedModel> loaded = options.source.load(exitCode);
  return loaded ? report(Study(options, loaded->model(), std::move(*attentions)).run()) : exitCode;
}

void addStudy(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<StudyOptions>();
  CLI::App *command = addCommand(app, "study", "Test how the outputs of a trained model depend on its attention");
  options->source.addTo(*command, SourceOptions::Takes::Models);
  options->shape = {4, 64};
  options->heldOut = 0.1;
  options->addTo(*command);
  command->add_option("--entry", options->source.compile.studied, "The entry point whose attention is studied")
      ->required();
  command
      ->add_option("--heads", options->heads,
                   "The outer indices of attention that number heads, such as h in [b, h < 4, i] => attend\n(those of "
                   "constant size, except the last)")
      ->type_name("INDEX,...")
      ->delimiter(',');
  command->add_option("-o,--output", options->output, "The folder of study.html and study.csv")->type_name("FOLDER");
  options->aboutData.push_back(
      command->add_option("--held-out", options->heldOut, "Fraction of the data, at their end, to use")
          ->capture_default_str()
          ->check(CLI::Range(0.0, 1.0)));
  command->add_option("--batches", options->batches, "Maximum number of batches")
      ->capture_default_str()
      ->check(atLeast(1));
  command->footer("Example:\n  attnc study examples/chargpt/chargpt.attn --entry logits --weights "
                  "run/weights.safetensors --data text.txt -o study");
  command->callback([options, &exitCode] {
    options->findVocabularies();
    exitCode = study(*options);
  });
}

} // namespace attnc

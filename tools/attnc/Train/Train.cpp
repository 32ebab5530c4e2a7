// attnc train: trains a model on data, with validation, checkpoints and a report.
#include "compiler/Emit/OutputFiles.h"
#include "frontends/checkpoint/Adapter.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/Messages/Printing.h"
#include "tools/attnc/Train/Divergence.h"
#include "tools/attnc/Train/History.h"
#include "tools/attnc/Train/Progress.h"
#include "tools/attnc/Train/Report.h"
#include "tools/attnc/Train/RunFolder.h"
#include "tools/attnc/Train/RunRecord.h"
#include "tools/attnc/Train/SavedChanges.h"
#include "tools/attnc/Train/StopSignals.h"
#include "tools/attnc/Train/TrainOptions.h"
#include "tools/command-line/Command.h"
#include "tools/machine/Peak.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <fmt/format.h>
#include <map>

using namespace llvm;

namespace attnc {

namespace {

/// One run of the command.
class Training {
public:
  Training(const TrainOptions &options, const attn_model &model) : options(options), model(model) {}
  Error run();
  /// The signal that ended the run, after all files were saved; otherwise 0.
  int stoppedBy() const { return signal; }

private:
  Error begin();
  Error openLogs();
  Error writeFirst(const RunRecord &record);
  Error writeVocabularies();
  Error writeAdapterConfig();
  Error saveWeights();
  Error loop();
  Error point(int64_t done, bool validates);
  Error lookAtAttention(int64_t done);
  Error keep(int64_t done);
  void write(const char *name, function_ref<Error()> write);
  void writeLogs();
  bool isSaved() const { return !unwritten.count(runfile::checkpoint); }
  Error unwrittenFiles() const;
  Error diverged(int64_t step, const std::string &what);
  Trainer::Options checkpointOptions() const;
  /// Whether run.json is written: by a new run, and by a resumed one that may have other settings.
  bool isRecordWritten() const { return !options.resume || options.trainer.allowOther; }
  Error finish();
  Expected<std::vector<double>> validate();
  Expected<StepWork> workOfStep() const;
  RunRecord recordOfNow() const;
  Error checkRecord(RunRecord &now) const;
  std::string file(const char *name) const { return folder->file(name); }

  const TrainOptions &options;
  const attn_model &model;
  std::optional<RunFolder> folder;
  std::optional<StopSignals> stops;
  std::unique_ptr<Trainer> trainer;
  std::unique_ptr<TrainingData> data;
  std::optional<History> history;
  std::optional<AttentionHistory> attention;
  std::optional<Progress> progress;
  bool hasCheckpoint = false;
  std::map<std::string, std::string> unwritten; ///< reasons, by the names of files that could not be written
  int signal = 0;
  std::vector<double> sums; ///< of the losses and metrics of the steps since the last point
  int64_t summed = 0;       ///< number of steps since the last point
};

} // namespace

Trainer::Options Training::checkpointOptions() const {
  Trainer::Options result = options.trainer;
  result.weights = {file(runfile::checkpoint)};
  result.resumes = true;
  return result;
}

/// Rejects a new run in a folder that contains another run, or whose files cannot be looked up.
static Error checkAbsence(const std::string &checkpoint, const std::string &folder) {
  std::error_code code = sys::fs::access(checkpoint, sys::fs::AccessMode::Exist);
  if (code == std::errc::no_such_file_or_directory)
    return Error::success();
  if (code)
    return createStringError(
        formatv("{0}: can't be looked up: {1}; give another folder by -o", checkpoint, code.message()));
  return createStringError(
      formatv("{0} has the checkpoint of another run; continue it by --resume, or give another folder by -o", folder));
}

/// Rejects a new run in a folder with files that the run would replace or remove, unless an earlier run wrote them.
static Error checkNothingIsReplaced(const std::string &folder) {
  std::error_code code;
  if (sys::fs::exists(folder + "/" + runfile::record))
    return Error::success();
  for (sys::fs::directory_iterator each(folder, code), end; !code && each != end; each.increment(code))
    if (StringRef name = sys::path::filename(each->path());
        (Vocabularies::isVocabularyFile(name) || name == runfile::weights || name == runfile::adapter) &&
        sys::fs::is_regular_file(each->path()))
      return createStringError(
          formatv("{0} has the file {1}, which a training would replace or remove, but no {2} of an "
                  "earlier training; give another folder by -o",
                  folder, name, runfile::record));
  return Error::success();
}

Error Training::begin() {
  auto open = RunFolder::open(options.output);
  if (!open)
    return open.takeError();
  folder.emplace(std::move(*open));
  if (!options.resume) {
    if (Error error = checkAbsence(file(runfile::checkpoint), options.output))
      return error;
    if (Error error = checkNothingIsReplaced(options.output))
      return error;
  }
  hasCheckpoint = options.resume;
  if (auto base = options.openBase(); !base)
    return base.takeError();
  auto made = Trainer::create(model, options.resume ? checkpointOptions() : options.trainer);
  if (!made)
    return made.takeError();
  trainer = std::move(*made);
  auto read = TrainingData::read(trainer->step(), options);
  if (!read)
    return read.takeError();
  data = std::move(*read);
  if (Error error = data->check(options.shape, options.source.rangesOf(trainer->entries().names(), Phase::Import)))
    return error;
  if (trainer->canValidate() && data->hasSamples() && options.heldOut > 0 && !data->hasHeldOut(options.shape))
    warn(fmt::format("--held-out {} holds out too few data for a validation batch, so no validation loss is computed; "
                     "hold out more, or give --held-out 0",
                     options.heldOut));
  if (data->hasHeldOut(options.shape) && trainer->suitableLosses().size() > 1)
    warn(fmt::format("several entry points can validate: {}; the last one does; choose another by --validate",
                     join(trainer->suitableLosses(), ", ")));
  if (Error error = checkMaps(model, trainer->step(), *data, options.maps))
    return error;
  auto work = workOfStep();
  if (!work)
    return work.takeError();
  // Errors of the maps and pictures are reported now, not after all steps.
  if (auto maps = readMaps(model, *trainer, *data, options.shape, options.maps); !maps)
    return maps.takeError();
  if (auto pictures = drawPictures(model, *trainer, *data, options.shape, options.pictures); !pictures)
    return pictures.takeError();
  RunRecord record = recordOfNow();
  if (Error error = checkRecord(record))
    return error;
  if (Error error = openLogs())
    return error;
  if (Error error = writeFirst(record))
    return error;
  if (trainer->initialisation())
    printTo(stderr, "{}", trainer->initialisation()->text());
  for (const auto &[name, vocabulary] : data->vocabularies().used())
    printTo(stderr, "{} has {} {}\n", file(name.c_str()), vocabulary->size(),
            vocabulary->kind() == Vocabulary::Kind::Words ? "tokens" : "labels");
  progress.emplace(options.steps, trainer->entries().measuredNames(), trainer->validationNames(), *work);
  return Error::success();
}

Error Training::openLogs() {
  std::vector<std::string> names = trainer->entries().measuredNames();
  sums.assign(names.size(), 0);
  std::string headings = HistoryPoint::headings(names, trainer->validationNames());
  auto opened = History::open(file(runfile::history), headings, trainer->stepsDone());
  if (!opened)
    return createStringError(formatv("{0}{1}", toString(opened.takeError()),
                                     options.resume ? "; a run resumes with the --validate with which it began" : ""));
  history = std::move(*opened);
  if (options.maps.entry.empty())
    return Error::success();
  auto attentions = AttentionHistory::open(file(runfile::attention), AttentionPoint::headings, trainer->stepsDone());
  if (!attentions)
    return attentions.takeError();
  attention = std::move(*attentions);
  return lookAtAttention(trainer->stepsDone());
}

/// Writes the first files, so that a folder that cannot be written is detected before the first step. Existing files
/// stay if that fails: run.json, which only a run with other settings changes, is written last.
Error Training::writeFirst(const RunRecord &record) {
  Error error = history->replace();
  if (!error && attention)
    error = attention->replace();
  if (!error && isRecordWritten())
    error = writeVocabularies();
  if (!error && isRecordWritten())
    error = writeAdapterConfig();
  if (!error && isRecordWritten())
    error = record.write(file(runfile::record));
  if (!error)
    return Error::success();
  return createStringError(formatv("{0}; no step was taken{1}: make sure that {2} is writable{3}",
                                   toString(std::move(error)), options.resume ? " and the checkpoint is unchanged" : "",
                                   options.output, options.resume ? "" : ", or give another folder by -o"));
}

/// Writes the vocabularies in use, and removes those of an earlier run in the folder, which inference would find.
Error Training::writeVocabularies() {
  auto used = data->vocabularies().filesOfUsed();
  auto isUsed = [&](StringRef name) { return any_of(used, [&](const auto &each) { return each.first == name; }); };
  for (const auto &[name, content] : used)
    if (Error error = OutputFiles::replace(file(name.c_str()), content))
      return error;
  std::error_code code;
  for (sys::fs::directory_iterator each(options.output, code), end; !code && each != end; each.increment(code)) {
    StringRef name = sys::path::filename(each->path());
    if (Vocabularies::isVocabularyFile(name) && !isUsed(name))
      sys::fs::remove(each->path());
  }
  return Error::success();
}

/// Writes the description of the adapter of a published network.
Error Training::writeAdapterConfig() {
  auto adapters = options.adapters();
  if (!adapters)
    return adapters.takeError();
  if (!*adapters)
    return Error::success();
  return OutputFiles::replace(file(runfile::adapterConfig), adapterText(**adapters, options.source.input()));
}

/// Writes the parameters, or those that differ from the network that is fine-tuned.
Error Training::saveWeights() {
  auto base = options.openBase();
  if (!base)
    return base.takeError();
  std::string path = file(options.weightsFile());
  return *base ? saveChanges(trainer->weights(), **base, path) : trainer->save(path, /*states=*/false);
}

RunRecord Training::recordOfNow() const {
  BatchShape used = data->used(options.shape);
  RunRecord record{
      trainer->entries().text(), options.trainer.seed,        used.batch,          used.sequence, options.heldOut,
      options.mostTokens,        join(options.ownWords, ","), data->fingerprint(), std::nullopt};
  if (trainer->initialisation())
    record.init = trainer->initialisation()->json();
  return record;
}

/// A resumed run must have the settings with which the run began; otherwise its results would not be reproducible. Its
/// entry points cannot change, because they count the steps, and the history has a column for each. `now` receives the
/// initial parameters that the run began with.
Error Training::checkRecord(RunRecord &now) const {
  if (!options.resume)
    return Error::success();
  auto before = RunRecord::read(file(runfile::record));
  if (before)
    now.init = before->init;
  if (before && !before->entry.empty() && before->entry != now.entry)
    return createStringError(
        formatv("{0} was started with --entry {1}, not {2}; give the same, or start another run from "
                "its parameters by --init {3}",
                options.output, before->entry, now.entry, file(runfile::checkpoint)));
  if (isRecordWritten()) {
    consumeError(before.takeError());
    return Error::success();
  }
  if (!before)
    return before.takeError();
  std::string differences = before->differences(now);
  if (differences.empty())
    return Error::success();
  return createStringError(formatv("{0} was started with other settings: {1}; continuing would not be reproducible to "
                                   "the bit; --allow-other continues anyway",
                                   options.output, differences));
}

/// The work of a step with a whole batch. Fails if the batch does not fit the training step.
Expected<StepWork> Training::workOfStep() const {
  BatchShape used = data->used(options.shape);
  auto flops = trainer->flopsOfStep(data->batch(options.shape, options.trainer.seed, 0));
  if (!flops)
    return flops.takeError();
  int64_t calls = data->hasSamples() ? trainer->entries().callsPerStep() : 1; // without data, the unit is steps
  return StepWork{calls * used.items(), used.unit(), *flops, machine::fmaPeakOf(trainer->executor())};
}

/// The validation loss and its metrics; NaN without a validation.
Expected<std::vector<double>> Training::validate() {
  std::vector<double> means(trainer->validationNames().size(), NAN);
  if (!trainer->canValidate() || !data->hasHeldOut(options.shape))
    return means;
  if (Error error = trainer->repackWeights())
    return std::move(error);
  std::vector<double> totals(means.size(), 0);
  double rows = 0;
  for (int64_t number = 0; number < options.validationBatches; ++number) {
    std::optional<Batch> batch = data->heldOutBatch(options.shape, number);
    if (!batch)
      break;
    auto weight = double(batch->rows);
    auto numbers = trainer->validate(std::move(*batch), number);
    if (!numbers)
      return numbers.takeError();
    for (auto [total, each] : zip_equal(totals, *numbers))
      total += each * weight;
    rows += weight;
  }
  for (auto [mean, total] : zip_equal(means, totals))
    mean = rows > 0 ? total / rows : NAN;
  return means;
}

/// Records the concentration of attention after so many steps.
Error Training::lookAtAttention(int64_t done) {
  if (Error error = trainer->repackWeights())
    return error;
  auto maps = readMaps(model, *trainer, *data, options.shape, options.maps);
  if (!maps)
    return maps.takeError();
  addMaps(*attention, done, *maps);
  return Error::success();
}

/// Adds the means of the losses and metrics since the last point to the history; a validation adds and prints its own.
Error Training::point(int64_t done, bool validates) {
  if (!validates && summed == 0)
    return Error::success();
  HistoryPoint point{done, std::exchange(sums, std::vector<double>(sums.size(), 0)),
                     std::vector<double>(trainer->validationNames().size(), NAN)};
  for (double &mean : point.training)
    mean = summed ? mean / double(summed) : NAN;
  summed = 0;
  if (!validates) {
    history->add(point);
    return Error::success();
  }
  auto validation = validate();
  if (!validation)
    return validation.takeError();
  point.validation = std::move(*validation);
  if (attention)
    if (Error error = lookAtAttention(done))
      return error;
  progress->report(done, point.training, point.validation);
  history->add(point);
  writeLogs();
  return Error::success();
}

/// A file that cannot be written does not end the run: its previous version stays, and a later checkpoint writes it
/// again.
void Training::write(const char *name, function_ref<Error()> write) {
  Error error = folder->check();
  if (!error)
    error = write();
  if (!error) {
    unwritten.erase(name);
    return;
  }
  unwritten[name] = toString(std::move(error));
  warn(unwritten[name]);
}

void Training::writeLogs() {
  write(runfile::history, [&] { return history->write(); });
  if (attention)
    write(runfile::attention, [&] { return attention->write(); });
}

/// Writes a checkpoint, with a point of the history, so that a run that resumes from it loses no line of the history.
Error Training::keep(int64_t done) {
  if (Error error = point(done, /*validates=*/false))
    return error;
  if (std::string name = trainer->firstNotFinite(); !name.empty())
    return diverged(done, fmt::format("{} is not finite after step {}", name, done));
  writeLogs();
  write(runfile::checkpoint, [&] { return trainer->save(file(runfile::checkpoint), /*states=*/true); });
  hasCheckpoint |= isSaved();
  return Error::success();
}

/// Ends the run after a loss that is not finite. The last checkpoint stays; the search for the cause starts from it, or
/// from the start of the training.
Error Training::diverged(int64_t step, const std::string &what) {
  progress.reset();
  stops.reset(); // nothing will be saved
  printTo(stderr, "{}; repeating the steps from {} to find the cause\n", what,
          hasCheckpoint ? "the last checkpoint" : "the start");
  Trainer::Options start = hasCheckpoint ? checkpointOptions() : options.trainer;
  trainer.reset(); // to free its memory
  auto cause = findDivergence(model, start, *data, options.shape, step);
  if (!cause)
    return cause.takeError();
  return createStringError(formatv("{0}: {1}; {2}", what, *cause,
                                   hasCheckpoint ? "the last checkpoint remains" : "no checkpoint was written"));
}

Error Training::loop() {
  for (int64_t step = trainer->stepsDone(); step < options.steps && !stops->received(); ++step) {
    auto taken = trainer->takeStep(*data, options.shape);
    if (!taken)
      return taken.takeError();
    int64_t done = step + 1;
    for (auto [sum, mean, measured] : zip_equal(sums, taken->means, trainer->entries().measured())) {
      if (measured.isLoss && !std::isfinite(mean))
        return diverged(done, fmt::format("the {} of step {} is {}",
                                          measured.name == "loss" ? "loss" : "loss of " + measured.name, done, mean));
      sum += mean;
    }
    ++summed;
    bool isLast = done == options.steps;
    progress->step(done, taken->means, taken->seconds);
    if (done % options.validateEvery == 0 || isLast)
      if (Error error = point(done, /*validates=*/true))
        return error;
    if (done % options.saveEvery == 0 || isLast)
      if (Error error = keep(done))
        return error;
  }
  if (options.steps == 0 && !options.resume)
    return keep(0);
  return Error::success();
}

Error Training::finish() {
  write(options.weightsFile(), [&] { return saveWeights(); });
  Report report;
  report.title = model.name;
  report.training = trainer->entries().measured();
  report.validation = trainer->validationNames();
  report.history = &*history;
  report.attention = attention ? &*attention : nullptr;
  report.facts = {{"model", options.source.input()},
                  {"entry points of a step", trainer->entries().text()},
                  {"steps", fmt::format("{}", trainer->stepsDone())},
                  {"batch", data->used(options.shape).text()},
                  {"seed", fmt::format("{}", options.trainer.seed)}};
  if (!history->points().empty() && !std::isnan(history->points().back().validation[0]))
    report.facts.emplace_back("validation loss", fmt::format("{:.4f}", history->points().back().validation[0]));
  if (Error error = trainer->repackWeights())
    return error;
  auto maps = readMaps(model, *trainer, *data, options.shape, options.maps);
  if (!maps)
    return maps.takeError();
  report.maps = std::move(*maps);
  auto pictures = drawPictures(model, *trainer, *data, options.shape, options.pictures);
  if (!pictures)
    return pictures.takeError();
  report.pictures = std::move(*pictures);
  write(runfile::report, [&] { return writeReport(file(runfile::report), report); });
  if (Error error = unwrittenFiles())
    return error;
  printTo(stdout, "{} steps; weights in {}, report in {}\n", trainer->stepsDone(), file(options.weightsFile()),
          file(runfile::report));
  return Error::success();
}

/// An error if a file could not be written by the end of the run.
Error Training::unwrittenFiles() const {
  if (unwritten.empty())
    return Error::success();
  std::string files;
  for (const auto &[name, why] : unwritten)
    files += "\n  " + why;
  return createStringError(formatv("after {0} steps some files could not be written; {1}:{2}", trainer->stepsDone(),
                                   isSaved()       ? "the checkpoint was written, so --resume writes the rest"
                                   : hasCheckpoint ? "--resume continues from the previous checkpoint"
                                                   : "there is no checkpoint",
                                   files));
}

Error Training::run() {
  if (Error error = begin())
    return error;
  stops.emplace();
  Error error = loop();
  progress.reset();
  if (error)
    return error;
  signal = stops->received();
  if (!signal) {
    stops.reset(); // all steps are saved
    return finish();
  }
  if (error = keep(trainer->stepsDone()); error)
    return error;
  if (error = unwrittenFiles(); error)
    return error;
  printTo(stdout, "stopped after {} steps; continue by --resume\n", trainer->stepsDone());
  return Error::success();
}

static ExitCode train(TrainOptions &options) {
  ExitCode exitCode = ExitCode::Success;
  std::optional<LoadedModel> loaded = options.source.load(exitCode);
  if (!loaded)
    return exitCode;
  IgnoredPipeSignal ignoresPipes; // lives longer than StopSignals, which ends before weights and report are written
  std::optional<Training> training(std::in_place, options, loaded->model());
  exitCode = report(training->run());
  int signal = training->stoppedBy();
  training.reset();
  if (exitCode == ExitCode::Success && signal)
    StopSignals::endBy(signal);
  return exitCode;
}

void addTrain(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App *command = addCommand(app, "train", "Train a model that has an entry point made by `minimize`");
  options->addTo(*command);
  command->footer("Example:\n  attnc train examples/chargpt/chargpt.attn --data text.txt -o run --steps 4000 "
                  "--batch 8 --seq 128");
  command->callback([options, &exitCode] {
    options->complete();
    exitCode = train(*options);
  });
}

} // namespace attnc

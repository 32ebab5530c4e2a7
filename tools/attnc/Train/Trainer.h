//===- Trainer.h - training steps and validation of a model -------------------------------------------------------===//
//
// A Trainer owns the weights of a training. It calls the entry points of a training step (StepEntries.h), which update
// the weights and return the loss of the parameters before the update, and an entry point that only returns the loss,
// for validation. The further results of these entry points are metrics, such as the mean reward of an episode.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Call/Runner.h"
#include "tools/attnc/Data/TrainingData.h"
#include "tools/attnc/Train/Initialisation.h"
#include "tools/attnc/Train/StepEntries.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace attnc {

class Trainer {
public:
  struct Options {
    std::vector<std::string> step;    ///< entry points of a training step, as for StepEntries::choose()
    std::string loss;                 ///< entry point for validation; empty: the last suitable one, if any
    std::vector<std::string> weights; ///< initial parameters (WeightsFiles.h); empty: all are drawn from the seed
    bool resumes = false;             ///< `weights` is a checkpoint that a training of the same object has written
    bool allowOther = false;          ///< the checkpoint may be from another object
    uint64_t seed = 0;                ///< of initial parameters and of random draws
    int64_t threads = 0;              ///< 0: one for each processor
  };
  /// Finds the entry points, starts threads and loads the weights, packed. The entry point for validation returns f32
  /// numbers, first the loss, and has the inputs of step(), apart from the dimension of accumulated batches and the
  /// key of random draws. An error if there is no training step (StepEntries::choose) or no entry point `loss` of this
  /// form, if the weights cannot be loaded, or if another object has written the checkpoint to resume from, unless
  /// allowOther. The model must outlive the Trainer.
  static llvm::Expected<std::unique_ptr<Trainer>> create(const attn_model &model, const Options &options);
  Trainer(const Trainer &) = delete;
  Trainer &operator=(const Trainer &) = delete;

  const StepEntries &entries() const { return stepEntries; }
  /// The entry point whose inputs a batch has, StepEntries::widest().
  const attn_entry_info &step() const { return stepEntries.widest(); }
  bool canValidate() const { return lossNumber >= 0; } ///< there is an entry point for validation
  /// If Options::loss is empty, the suitable entry points for validation, of which the last one is used: those with one
  /// result, or with the results of step(). Otherwise none.
  const std::vector<std::string> &suitableLosses() const { return suitable; }
  /// The result of the initialisation by a file; null for a training that has no such file, or that is resumed.
  const std::optional<Initialisation> &initialisation() const { return fromFile; }
  /// The number of completed steps, which is a state of the training in the weights; 0 for a new training.
  int64_t stepsDone() const;
  struct TakenStep {
    std::vector<double> means; ///< for each of StepEntries::measured(), the mean over the calls
    double seconds = 0;        ///< the time of the calls
  };
  /// Runs a training step: calls each entry point, each call on the next batch of `data`. Batches are numbered over all
  /// calls of the training. Updates the weights and stepsDone(). Random draws are a function of the seed of the
  /// options, of the place of the entry point in the step, and of the number of its calls. `afterCall` receives the
  /// loss of each call; if it returns false, the step ends there, with the
  /// means of the entry points before this one only.
  llvm::Expected<TakenStep> takeStep(
      const TrainingData &data, BatchShape shape,
      llvm::function_ref<bool(double loss)> afterCall = [](double) { return true; });
  /// Floating-point operations of a step on batches of the sizes of `batch`; an error if the batch does not fit.
  llvm::Expected<double> flopsOfStep(const Batch &batch) const;
  /// The loss and the metrics of validation batch `number`. Requires canValidate(), and repackWeights() after the last
  /// step. Random draws are a function of the seed and of `number`, and differ from those of training steps.
  llvm::Expected<std::vector<double>> validate(Batch batch, int64_t number);
  /// The names of the results of validate(): "validation" for the loss, and names such as "validation_reward" for
  /// metrics. Without an entry point for validation, "validation" alone.
  std::vector<std::string> validationNames() const;
  /// Calls the entry point with index `entry` in model.entries, which does not train, and returns its results. `inputs`
  /// are its inputs before the key of random draws; `batch` is the `step` of the key. Requires repackWeights()
  /// after the last step.
  llvm::Expected<std::vector<HostTensor>> run(int64_t entry, std::vector<HostTensor> inputs, int64_t batch);
  /// Packs the weights again. Required after steps, before the loss or another entry point is called.
  llvm::Error repackWeights();
  /// Writes the parameters, and if `states`, also the states of the optimizer and of the training, to the .safetensors
  /// file `path`.
  llvm::Error save(const std::string &path, bool states) const;
  /// The name of the first f32 parameter or state with a NaN or an infinity, without list indices; empty if there is
  /// none.
  std::string firstNotFinite() const;
  const attn_executor *executor() const { return runner.context.executor; }
  /// Sets the executor of later calls, which must have the same number of workers and outlive these calls.
  void runOn(const attn_executor *executor) { runner.context.executor = executor; }

  attn_weights *weights() const { return runner.context.weights; }

private:
  Trainer(const attn_model &model, StepEntries entries, uint64_t seed)
      : model(model), stepEntries(std::move(entries)), seed(seed), runner(model) {}
  llvm::Error findLoss(const Options &options);
  llvm::Error loadWeights(const Options &options);
  llvm::Error initialise(const Options &options);
  std::vector<HostTensor> inputsOf(size_t place, Batch batch) const;

  const attn_model &model;
  StepEntries stepEntries;
  uint64_t seed = 0;
  int64_t lossNumber = -1;           ///< index in model.entries; negative: no validation
  std::vector<std::string> suitable; ///< see suitableLosses()
  Runner runner;
  std::optional<Initialisation> fromFile; ///< see initialisation()
};

} // namespace attnc

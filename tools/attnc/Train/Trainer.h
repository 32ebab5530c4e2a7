//===- Trainer.h - training steps and validation of a model ------------------------------------------------------===//
//
// Calls two entry points: the training step, which returns the loss of the parameters before the step, and the loss
// alone, for validation.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Call/Runner.h"
#include "tools/attnc/Data/TrainingData.h"
#include "tools/attnc/Train/Initialisation.h"
#include <optional>

namespace attnc {

class Trainer {
public:
  struct Options {
    std::string step;        ///< the training step; empty: the only one
    std::string loss;        ///< the loss for validation; empty: one with the inputs of the step, if there is one
    std::string weights;     ///< a .safetensors file of initial parameters; empty: all are drawn from the seed
    bool goesOn = false;     ///< resume from `weights`, a checkpoint that the same object must have written
    bool allowOther = false; ///< the checkpoint may be from another object
    uint64_t seed = 0;
    int64_t threads = 0;
  };
  /// Finds the entry points, starts threads and loads the weights. The model must outlive the Trainer.
  static llvm::Expected<std::unique_ptr<Trainer>> create(const attn_model &model, const Options &options);
  Trainer(const Trainer &) = delete;
  Trainer &operator=(const Trainer &) = delete;

  const attn_entry_info &step() const { return model.entries[stepNumber]; }
  bool canValidate() const { return lossNumber >= 0; }
  /// The initial parameters from a file; null for a training that has none, or that goes on.
  const std::optional<Initialisation> &initialisation() const { return fromFile; }
  /// The number of completed steps, a state of the training.
  int64_t stepsDone() const;
  /// Runs a training step and returns its loss. The seed of random draws is that of the options.
  llvm::Expected<double> takeStep(Batch batch);
  /// Floating-point operations of takeStep(batch); an error if the batch does not fit the training step.
  llvm::Expected<double> flopsOfStep(Batch batch) const;
  /// The loss of validation batch `number`. Requires canValidate(), and prepareToValidate() after the last step. Random
  /// draws differ from those of training steps.
  llvm::Expected<double> loss(Batch batch, int64_t number);
  /// Calls an entry point that does not train, on inputs before the key of random draws, and returns its results.
  llvm::Expected<std::vector<HostTensor>> run(int64_t entry, std::vector<HostTensor> inputs, int64_t batch);
  /// Packs the weights again. Required after steps, before the loss or another entry point is called.
  llvm::Error prepareToValidate();
  /// Writes the parameters, and if `states`, also the states of the optimizer and of the training, to `path`.
  llvm::Error save(const std::string &path, bool states) const;
  /// The name of the first parameter or state with a NaN or an infinity; empty if there is none.
  std::string firstNotFinite() const;
  const attn_executor *executor() const { return runner.context.executor; }
  /// Sets the executor of later calls, which has the same number of workers.
  void runOn(const attn_executor *executor) { runner.context.executor = executor; }

private:
  Trainer(const attn_model &model, uint64_t seed) : model(model), seed(seed), runner(model) {}
  attn_weights *weights() const { return runner.context.weights; }
  llvm::Error findEntries(const Options &options);
  llvm::Error loadWeights(const Options &options);
  llvm::Error initialise(const Options &options);
  std::vector<HostTensor> inputsOfStep(Batch batch) const;

  const attn_model &model;
  uint64_t seed = 0;
  int64_t stepNumber = -1, lossNumber = -1;
  Runner runner;
  std::optional<Initialisation> fromFile;
};

} // namespace attnc

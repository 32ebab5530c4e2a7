//===- Trainer.h - a model that is being trained -----------------------------------------------------------------===//
//
// Calls the entry points: one that takes a step and gives the loss of the
// parameters before it, and one that gives a loss alone, for validation.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Call/Runner.h"

namespace attnc {

class Trainer {
public:
  struct Options {
    std::string step;        ///< the entry point that trains; empty: the only one
    std::string loss;        ///< the one that validates; empty: one with the same inputs, if there is one
    std::string weights;     ///< a .safetensors file of parameters, with or without states; empty: drawn from the seed
    bool goesOn = false;     ///< the file is a checkpoint, which the same object must have written ...
    bool allowOther = false; ///< ... unless this is said
    uint64_t seed = 0;
    int64_t threads = 0;
  };
  static llvm::Expected<std::unique_ptr<Trainer>> create(const attn_model &model, const Options &options);
  Trainer(const Trainer &) = delete;
  Trainer &operator=(const Trainer &) = delete;

  const attn_entry_info &step() const { return model.entries[stepNumber]; }
  bool canValidate() const { return lossNumber >= 0; }
  /// Steps done, as the states say.
  int64_t stepsDone() const;
  /// Of a batch whose rows are split where the step accumulates; draws are made with the seed of the options.
  llvm::Expected<double> takeStep(const std::vector<HostTensor> &batch);
  /// Floating-point operations of such a step; 0 where the batch does not fit.
  double flopsOfStep(const std::vector<HostTensor> &batch) const;
  llvm::Expected<double> loss(std::vector<HostTensor> &inputs);
  /// The results of any entry point.
  llvm::Expected<std::vector<HostTensor>> run(int64_t entry, std::vector<HostTensor> &inputs) {
    return runner.run(entry, inputs);
  }
  /// Before a loss or another entry point, after steps.
  llvm::Error prepareToValidate();
  llvm::Error save(const std::string &path, bool states) const;
  /// The name of a parameter or state that has a value that is not finite; empty where there is none.
  std::string firstNotFinite() const;
  const attn_executor *executor() const { return runner.context.executor; }
  /// Runs what follows on another executor, of as many workers.
  void runOn(const attn_executor *executor) { runner.context.executor = executor; }

private:
  Trainer(const attn_model &model, uint64_t seed) : model(model), seed(seed), runner(model) {}
  attn_weights *weights() const { return runner.context.weights; }
  llvm::Error findEntries(const Options &options);
  llvm::Error loadWeights(const Options &options);
  llvm::Error startFrom(const Options &options);
  llvm::Expected<std::vector<HostTensor>> ofStep(const std::vector<HostTensor> &batch) const;

  const attn_model &model;
  uint64_t seed = 0;
  int64_t stepNumber = -1, lossNumber = -1;
  Runner runner;
};

} // namespace attnc

//===- TrainOptions.h - options of attnc train --------------------------------------------------------------------===//
#pragma once

#include "frontends/checkpoint/FineTuning.h"
#include "tools/attnc/Data/DataOptions.h"
#include "tools/attnc/Options/SourceOptions.h"
#include "tools/attnc/Train/Report.h"
#include "tools/attnc/Train/Trainer.h"

namespace attnc {

struct TrainOptions : DataOptions {
  void addTo(CLI::App &command);
  /// Sets the defaults that depend on other options. Called after the parse. The training of a published network begins
  /// with its weights. Vocabularies are made from the data, unless initial parameters come from a training that has
  /// them; a resumed run reads its own.
  void complete();

  /// The weights without which parameters are saved at the end; null if all parameters are saved.
  llvm::Expected<std::optional<WeightsFiles>> openBase() const;
  /// The adapters of a published network, with the values of --set; null for other models.
  llvm::Expected<std::optional<Adapters>> adapters() const;
  /// The name of the file of parameters (RunFolder.h), which is that of an adapter for a published network with one.
  const char *weightsFile() const;

  SourceOptions source;
  Trainer::Options trainer;
  MapOptions maps;
  PictureOptions pictures;
  std::string output;
  std::string base; ///< --changes-from; empty: all parameters are saved
  bool resume = false;
  int64_t steps = 1000;
  int64_t validateEvery = 100, saveEvery = 100, validationBatches = 20;
};

} // namespace attnc

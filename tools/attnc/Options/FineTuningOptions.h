//===- FineTuningOptions.h - options of adapters around a published network ---------------------------------------===//
#pragma once

#include "frontends/checkpoint/FineTuning.h"
#include <CLI/CLI.hpp>

namespace attnc {

struct FineTuningOptions {
  CLI::Option *lora, *adapter;
};

/// Adds --lora and --adapter, which set `tuning`; it must outlive the parse.
FineTuningOptions addAdapterOptions(CLI::App &command, FineTuning &tuning);

} // namespace attnc

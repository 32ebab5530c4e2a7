//===- StepEntries.h - the entry points that a step of a training calls -------------------------------------------===//
//
// A step of a training calls one entry point that `minimize` made, or several in turn: the steps of an alternating
// training, such as that of a generator and a critic (Goodfellow et al. 2014, algorithm 1), call each of them a fixed
// number of times.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace attnc {

/// At least one entry point. Each returns f32 numbers: the loss, and perhaps metrics.
class StepEntries {
public:
  struct Each {
    int64_t number; ///< index in attn_model::entries
    int64_t calls;  ///< consecutive calls in a step, at least 1
  };
  /// A result of an entry point.
  struct Measured {
    std::string name;
    bool isLoss; ///< otherwise a metric
  };
  /// The entry points of `options`, in order; each option is NAME or NAME:CALLS. Without options, the only entry point
  /// that trains. An error if an entry point does not exist, does not train or is named twice, if CALLS is not from 1
  /// to 1,000,000, if a metric has the name of another column of the history, or if no entry point has the inputs of
  /// all others. `model` must outlive the result.
  static llvm::Expected<StepEntries> choose(const attn_model &model, llvm::ArrayRef<std::string> options);

  llvm::ArrayRef<Each> all() const { return entries; }
  const attn_entry_info &entry(const Each &each) const { return model->entries[each.number]; }
  /// The first entry point whose inputs include those of all others: a batch has its inputs.
  const attn_entry_info &widest() const { return entry(entries[widestPlace]); }
  int64_t callsPerStep() const; ///< the sum of the calls
  std::vector<std::string> names() const;
  /// The results of the entry points, in order. A loss is named "loss" if there is one entry point, and otherwise as
  /// its entry point, such as "actor". A metric is named as the result, such as "reward" or "actor.reward".
  std::vector<Measured> measured() const;
  std::vector<std::string> measuredNames() const;
  /// The options that choose these entry points, in one form: "critic:2,generator".
  std::string text() const;

private:
  explicit StepEntries(const attn_model &model) : model(&model) {}
  llvm::Error add(llvm::StringRef option);
  llvm::Error findWidest();

  const attn_model *model;
  std::vector<Each> entries;
  size_t widestPlace = 0;
};

/// Whether all results of an entry point are f32 numbers.
bool returnsNumbers(const attn_entry_info &entry);

} // namespace attnc

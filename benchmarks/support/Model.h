//===- Model.h - a compiled model, to be called and timed ------------------------------------------------------===//
//
// Owners of what a call of an entry point needs. Each ends the program with the reason where it can't be had.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/attn.h"
#include <cstdint>
#include <vector>

namespace attnc::bench {

/// Ends the program with the message of `status` unless `code` is ATTN_OK.
void must(attn_code code, const attn_status &status);

/// A pool of threads.
class Workers {
public:
  /// 0: as many as the machine has cores.
  explicit Workers(int64_t count = 0);
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;
  const attn_executor *executor() const;

private:
  attn_pool *pool = nullptr;
};

/// A model's parameters as they are before training.
class Weights {
public:
  Weights(const attn_model &model, const Workers &workers);
  ~Weights();
  Weights(const Weights &) = delete;
  Weights &operator=(const Weights &) = delete;
  attn_weights *get() const { return weights; }

private:
  attn_weights *weights = nullptr;
};

/// Parameters, threads (none: the calling one) and an arena of `bytes`, for calls of one entry point.
class Context {
public:
  Context(const Weights &weights, const attn_executor *executor, int64_t bytes);
  /// Of a model without parameters.
  Context(const attn_executor *executor, int64_t bytes) : Context(nullptr, executor, bytes) {}
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  const attn_context *get() const { return &context; }

private:
  Context(attn_weights *weights, const attn_executor *executor, int64_t bytes);
  attn_context context;
};

/// The whole numbers on the command line, or `otherwise` where there are none.
std::vector<int64_t> numbersOf(int count, char **arguments, std::vector<int64_t> otherwise);

} // namespace attnc::bench

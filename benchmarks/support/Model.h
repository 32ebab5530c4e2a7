//===- Model.h - resources of calls of a compiled model --------------------------------------------------------===//
//
// RAII owners of the resources of a call of an entry point. On failure, they end the program with the reason.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/attn.h"
#include <cstdint>
#include <vector>

namespace attnc::bench {

/// Ends the program with the message of `status` unless `code` is ATTN_OK.
void must(attn_code code, const attn_status &status);

/// Owns a thread pool.
class Workers {
public:
  /// `count` 0: one thread for each core.
  explicit Workers(int64_t count = 0);
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;
  const attn_executor *executor() const;

private:
  attn_pool *pool = nullptr;
};

/// The initial parameters of a model.
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

/// The context of calls of one entry point: parameters, executor (null: the calling thread) and an arena of `bytes`.
class Context {
public:
  Context(const Weights &weights, const attn_executor *executor, int64_t bytes);
  /// The context for a model without parameters.
  Context(const attn_executor *executor, int64_t bytes) : Context(nullptr, executor, bytes) {}
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  const attn_context *get() const { return &context; }

private:
  Context(attn_weights *weights, const attn_executor *executor, int64_t bytes);
  attn_context context;
};

/// The integers on the command line, or `otherwise` if there are none.
std::vector<int64_t> numbersOf(int count, char **arguments, std::vector<int64_t> otherwise);

} // namespace attnc::bench

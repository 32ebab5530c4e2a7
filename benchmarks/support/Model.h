//===- Model.h - resources of calls of a compiled model -----------------------------------------------------------===//
//
// RAII owners of the resources of a call of an entry point. If their constructors fail, they print the reason to
// standard error and end the program with exit code 1.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/attn.h"
#include <cstdint>
#include <vector>

namespace attnc::bench {

/// Prints the message of `status` and ends the program with exit code 1, unless `code` is ATTN_OK.
void must(attn_code code, const attn_status &status);

/// Owns a thread pool.
class Workers {
public:
  /// `count` is the number of threads; 0: one for each processor.
  explicit Workers(int64_t count = 0);
  ~Workers();
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;
  const attn_executor *executor() const;

private:
  attn_pool *pool = nullptr;
};

/// Owns the initial parameters of a model, drawn from seed 0 by their initialisers. The model must have parameters.
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

/// The context of calls of one entry point: parameters, executor, and an arena of `bytes` bytes, which it owns. A null
/// `executor` runs everything on the calling thread. `weights` and `executor` must outlive the context.
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

/// Bytes of the weights that kernels of the model read: packed ones, and those that they read as loaded.
int64_t bytesOfWeights(const attn_model &model);

/// A call of an entry point at fixed sizes of its dimensions, with its arena and its tensors, which are zeros at first.
/// The model, the weights (null for a model without parameters) and the executor must outlive the call.
class Call {
public:
  Call(const attn_model &model, attn_weights *weights, const attn_executor *executor, const char *entry,
       const std::vector<int64_t> &dimensions);
  ~Call();
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;
  void run();
  /// The elements of the input, state or result `name`.
  template <typename T> T *tensor(const char *name) { return static_cast<T *>(find(name)); }
  int64_t arenaBytes() const { return context.arena_bytes; }

private:
  void *find(const char *name);

  const attn_model &model;
  const int64_t number;
  attn_context context;
  std::vector<std::vector<char>> storage;
  std::vector<attn_tensor> tensors;
};

/// The arguments of main() after the program's name, as integers; `otherwise` if there are none. A word that is not a
/// number is 0.
std::vector<int64_t> numbersOf(int count, char **arguments, std::vector<int64_t> otherwise);

} // namespace attnc::bench

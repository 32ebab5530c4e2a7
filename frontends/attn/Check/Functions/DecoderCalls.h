//===- DecoderCalls.h - calls of entry points that `decode` derives -----------------------------------------------===//
//
// After `export write = decode(next, ...)` functions can call `write`, for example to compute a metric of the tokens
// that a beam search chooses. The decoding loop does not exist before the derive phase, so a call becomes a statement
// (typed::DecoderCall), which the derive phase replaces by the loop. The parameters are those of the derived entry
// point:
//
//   write(prompt, prompt_length, other arguments of the function, other arguments of the sampler, seed)
//
// The function is the one from which `incremental` derives `next`. `seed` exists if the sampler draws random numbers.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Arguments.h"
#include "frontends/attn/Check/DimensionBounds.h"
#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/Indices/IndexScopes.h"
#include "frontends/attn/Check/LetBuilder.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

/// Checker of calls of decoders, entry points that `decode` derives.
class DecoderCalls {
public:
  DecoderCalls(const typed::Program &program, Reporter &reporter, Builder &build, LetBuilder &lets,
               DimensionBounds &bounds, const Origins &origins, const IndexScopes &indexScopes,
               Conversions &conversions, const EntryContext &context)
      : program(program), reporter(reporter), build(build), lets(lets), bounds(bounds), origins(origins),
        indexScopes(indexScopes), conversions(conversions), context(context) {}

  /// Adds a call to the current block and returns its results as a TupleValue: the tokens i32[batch, at_most] and the
  /// number of tokens of each row, i32[batch]. No argument is an ErrorValue. Returns an ErrorValue, with an error, if
  /// the arguments do not fit the parameters, if a size may be outside the bounds of its dimension, or if the prompt
  /// may be empty or too long for the tokens after it; the proof may raise the minima of dimensions
  /// (DimensionBounds.h). Calls are not supported in index notation, nor in functions from which `incremental` or
  /// `attention` derives entry points; they are reported too.
  Value call(const DecoderValue &decoder, SourceRange range, std::vector<CheckedArgument> arguments);

private:
  /// Sizes of the call's arguments, by the names of dimensions of the function behind `next`.
  using Sizes = std::map<std::string, Dim>;
  struct Parameter {
    std::string name;
    typed::Type type; ///< in dimensions of the function behind `next`
    SourceRange range;
  };
  const typed::Entry &entry(const std::string &name) const;
  static std::vector<Parameter> parametersOf(const typed::Entry &sampler, const typed::Entry &step);
  /// Binds the dimensions of a parameter that are not yet known. False, with an error, if a size does not fit.
  bool unify(const Parameter &parameter, typed::ExprRef argument, Sizes &sizes);
  /// Checks that the sizes are within the bounds of the dimensions, and that the prompt leaves room for the tokens.
  bool hasBounds(const typed::Entry &sampler, const typed::Entry &step, const Sizes &sizes, SourceRange range);

  const typed::Program &program;
  Reporter &reporter;
  Builder &build;
  LetBuilder &lets;
  DimensionBounds &bounds;
  const Origins &origins;
  const IndexScopes &indexScopes;
  Conversions &conversions;
  const EntryContext &context;
};

} // namespace attnc::check

#include "frontends/attn/Check/Builtins/Builtins.h"

#include "frontends/attn/Check/Check.h"
#include "frontends/attn/Check/Constants.h"

#include <cmath>
#include <fmt/format.h>

namespace attnc {
namespace check {

static constexpr size_t any = 64;

static constexpr Builtin table[] = {
// Elementwise functions.
#define ATTN_MATH_FUNCTION(NAME, OP, DOC, VALUE, COSTLY, MLIR) {#NAME, #NAME "(x)", DOC, 1, 1, false, builtinMath},
#include "frontends/attn/Check/MathFunctions.def"
    {"abs", "abs(x)", "absolute value; of f32, i32 and indices", 1, 1, false, builtinAbs},
    {"sq", "sq(x)", "x * x", 1, 1, false, builtinSquare},
    {"sigmoid", "sigmoid(x)", "1 / (1 + exp(-x))", 1, 1, false, builtinSigmoid},
    {"relu", "relu(x)", "max(x, 0)", 1, 1, false, builtinRelu},
    {"pow", "pow(x, y)", "x to the y, as `x ** y`", 2, 2, false, builtinPow},
    {"select", "select(c, a, b)", "a where c is true, b elsewhere, like `if c then a else b`", 3, 3, false,
     builtinSelect},
    {"stop", "stop(x)", "x, which is a constant for gradients", 1, 1, false, builtinStop},
    {"gradient", "gradient(f, x)",
     "the gradient of the number f(x) with respect to x, in the shape of x; it is a constant for other gradients", 2, 2,
     false, builtinGradient},
    {"f32", "f32(x)", "i32, bool or an index as f32", 1, 1, false, builtinCastReal},
    {"i32", "i32(x)",
     "f32 rounded towards zero (NaN becomes 0, a value out of range the nearest i32), bool or an index as i32", 1, 1,
     false, builtinCastInteger},
    // Reductions of whole tensors: over all dimensions, or `axis: n`, or `axis: [m, n]`.
    {"sum", "sum(x, axis: n)", "sum; of bool, the number of true elements", 1, 1, true, builtinReduce},
    {"prod", "prod(x, axis: n)", "product", 1, 1, true, builtinReduce},
    {"mean", "mean(x, axis: n)", "sum divided by the number of elements", 1, 1, true, builtinReduce},
    {"max", "max(x, axis: n), max(x, y)", "largest element; the larger of two", 1, 2, true, builtinExtremum},
    {"min", "min(x, axis: n), min(x, y)", "smallest element; the smaller of two", 1, 2, true, builtinExtremum},
    {"any", "any(x, axis: n)", "whether an element is true; of bool", 1, 1, true, builtinReduce},
    {"all", "all(x, axis: n)", "whether all elements are true; of bool", 1, 1, true, builtinReduce},
    {"argmax", "argmax(x, axis: n)",
     "index of the largest element along one dimension (the lowest index of several equal ones); i32", 1, 1, true,
     builtinReduce},
    {"argmin", "argmin(x, axis: n)", "index of the smallest element, like argmax", 1, 1, true, builtinReduce},
    {"dot", "dot(a, b)", "sum of products over the last dimension", 2, 2, false, builtinDot},
    {"norm", "norm(x)", "square root of the sum of squares over the last dimension", 1, 1, false, builtinNorm},
    // Creation and rearrangement of tensors.
    {"iota", "iota(n)", "0, 1, ..., n - 1 as i32[n]", 1, 1, false, builtinIota},
    {"zeros", "zeros(m, n, ...)", "f32[m, n, ...] of zeros", 0, any, false, builtinZeros},
    {"ones", "ones(m, n, ...)", "f32[m, n, ...] of ones", 0, any, false, builtinOnes},
    {"like", "like(x)", "zeros in the shape of x", 1, 1, false, builtinLike},
    {"full", "full(value, m, n, ...)", "a tensor whose elements are all `value`", 1, any, false, builtinFull},
    {"random", "random(x)", "a random number in [0, 1) for each element of x, drawn anew by each call", 1, 1, false,
     builtinRandom},
    {"reshape", "reshape(x, [m, n, ...])", "the same elements in row-major order in another shape", 2, 2, false,
     builtinReshape},
    {"transpose", "transpose(x, a, b)", "dimensions a and b swapped; `x'` swaps the last two", 3, 3, false,
     builtinTranspose},
    {"permute", "permute(x, [a, b, ...])", "dimension 0 of the result is dimension a of x, ...", 2, 2, false,
     builtinPermute},
    {"concat", "concat(x, y, ..., axis: n)", "the tensors one after the other along a dimension (the last by default)",
     1, any, true, builtinConcat},
    {"split", "split(x, n, axis: n), split(x, [a, b, ...], axis: n)",
     "n equal parts, or parts of the given sizes, along a dimension (the last by default); a tuple", 2, 2, true,
     builtinSplit},
    {"rank", "rank(x)", "number of dimensions", 1, 1, false, builtinRank},
    {"size", "size(x, axis)", "size of a dimension", 2, 2, false, builtinSize},
    {"len", "len(list)", "length of a list", 1, 1, false, builtinLen},
    // Properties of the parameter in an optimizer's step.
    {"tagged", "tagged(\"tag\")", "whether the parameter of the step is declared with `#tag`", 1, 1, false,
     builtinTagged},
};

std::span<const Builtin> builtins() { return table; }

const Builtin *findBuiltin(const std::string &name) {
  for (const Builtin &builtin : table)
    if (name == builtin.name)
      return &builtin;
  return nullptr;
}

std::optional<Value> builtinConstant(const std::string &name) {
  if (name == "inf")
    return Value(HUGE_VAL);
  if (name == "pi")
    return Value(3.14159265358979323846);
  if (name == "training")
    return Value(false);
  return std::nullopt;
}

std::string BuiltinCall::what() const { return fmt::format("`{}`", builtin.name); }

Value callBuiltin(const BuiltinServices &services, const Builtin &builtin, SourceRange range,
                  std::vector<CheckedArgument> arguments) {
  BuiltinCall call{services, builtin, range, {}, std::nullopt};
  for (CheckedArgument &argument : arguments) {
    if (!argument.label) {
      call.arguments.push_back(std::move(argument));
      continue;
    }
    if (!builtin.takesAxis || argument.label->text != "axis" || call.axis) {
      services.reporter
          .error(DiagnosticKind::UnknownArgument, argument.label->range,
                 fmt::format("`{}` has no parameter `{}`", builtin.name, argument.label->text))
          .hint(builtin.signature);
      return Value();
    }
    call.axis = std::move(argument);
  }
  size_t count = call.arguments.size();
  if (count < builtin.least || count > builtin.most) {
    services.reporter
        .error(DiagnosticKind::ArgumentCount, range,
               fmt::format("`{}` is called with {} argument{}", builtin.name, count, count == 1 ? "" : "s"))
        .hint(builtin.signature);
    return Value();
  }
  return builtin.rule(call);
}

std::optional<unsigned> axisOf(const BuiltinCall &call, const Value &axis, SourceRange range, size_t rank) {
  std::optional<int64_t> number = asInteger(call.reporter, axis, range, "the axis");
  if (!number)
    return std::nullopt;
  auto signedRank = static_cast<int64_t>(rank);
  if (*number >= -signedRank && *number < signedRank)
    return static_cast<unsigned>(*number < 0 ? *number + signedRank : *number);
  call.reporter
      .error(DiagnosticKind::OutOfRange, range,
             fmt::format("there is no axis {} in {} dimension{}", *number, rank, rank == 1 ? "" : "s"))
      .hint("axes are numbered from 0; -1 is the last");
  return std::nullopt;
}

} // namespace check

std::vector<BuiltinSummary> builtinSummaries() {
  std::vector<BuiltinSummary> result;
  for (const check::Builtin &builtin : check::builtins())
    result.push_back({builtin.name, builtin.signature, builtin.doc});
  return result;
}

} // namespace attnc

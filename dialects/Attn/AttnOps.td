//===- AttnOps.td - attention ops ---------------------------------------------------------------------------------===//
//
// Attention as one op, written like the formula in a paper. For each tuple o of outer indices (batch, head, query),
// over the tuples k of key indices and v of value indices:
//
//   s_k  = score(o, k)                      for the keys k with mask(o, k)
//   p    = normaliser(s)                    over those keys
//   p'_k = weight(p_k, o, k)
//   result[o, v] = sum_k p'_k * value(o, k, v)
//
// A row is an outer index tuple with all its keys. docs/dialect-attn.md has examples.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef ATTN_OPS
#define ATTN_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Attn_Dialect : Dialect {
  let name = "attn";
  let cppNamespace = "::mlir::attn";
  let summary = "Attention as a formula on tensors";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::linalg::LinalgDialect"];
}

class Attn_Op<string mnemonic, list<Trait> traits = []> : Op<Attn_Dialect, mnemonic, traits>;

def Attn_Normaliser : I32EnumAttr<"Normaliser", "the function from the scores of a row to its attention weights", [
    I32EnumAttrCase<"Softmax", 0, "softmax">,
    I32EnumAttrCase<"Ratio", 1, "ratio">,
    I32EnumAttrCase<"None", 2, "none">,
    I32EnumAttrCase<"Entmax", 3, "entmax">,
    I32EnumAttrCase<"Hard", 4, "hard">,
    I32EnumAttrCase<"StickBreaking", 5, "stick_breaking">,
  ]> {
  let cppNamespace = "::mlir::attn";
}

def Attn_Combine : I32EnumAttr<"Combine", "the operation that combines the terms of a reduction", [
    I32EnumAttrCase<"Add", 0, "add">,
    I32EnumAttrCase<"Mul", 1, "mul">,
    I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">,
  ]> {
  let cppNamespace = "::mlir::attn";
}

def Attn_AttendOp : Attn_Op<"attend", [Pure, AttrSizedOperandSegments]> {
  let summary = "normalised, masked, weighted sum over keys";
  let description = [{
    `outer_sizes`, `key_sizes` and `value_sizes` are `index` values and span the iteration space. There is at least one
    key dimension. The regions are formulas on scalars. Their arguments are indices. They read captured tensors by
    `tensor.extract`, and otherwise contain only `arith`, `math`, `tensor.dim`, `affine.apply`, `attn.reduce`,
    `attn.stop` and `attn.uniform`; they end in `attn.yield`.

      score (outer..., keys...)            -> f32
      mask  (outer..., keys...)            -> i1       empty region: all keys
      weight(p, outer..., keys...)         -> f32      empty region: p itself
      value (outer..., keys..., values...) -> f32      empty region: no value statistic
      sink  (outer...)                     -> f32      empty region: no sink; only with `softmax`

    `yields` names the results in order, each a statistic of the table of Statistics.h, at most once:

      value        [outer..., values...]; with the attribute `value_layout`, dimension d of the result is dimension
                   value_layout[d] of [outer..., values...]
      weights      [outer..., keys...]
      lse, entropy [outer...]
      top          [outer..., n], i32, where the attribute `top` is n
      top_weights  [outer..., n]
      key_sums     [outer..., keys...] without the outer dimensions in the attribute `summed`

    A row without unmasked keys yields zeros, except that its `lse` is its sink, or -inf without one, and its `top` is
    -1. A score of -inf is equivalent to a masked key. A NaN score of an unmasked key makes all weights of its row NaN,
    except under `none` and `stick_breaking` (below). With sums and maxima over the unmasked keys of a row,

      softmax         p_k = exp(s_k) / (exp(sink) + sum_j exp(s_j))   a sink has no value; lse includes it
      ratio           p_k = s_k / sum_j s_j                           a zero sum gives zeros
      none            p_k = s_k
      entmax(alpha)   p_k = max((alpha - 1) s_k - tau, 0)^(1 / (alpha - 1)), with tau such that they sum to 1
      hard            p_k = 1 for the first of the largest scores, otherwise 0
      stick_breaking  p_k = sigma(s_k) prod_{j < k} (1 - sigma(s_j)), in the order of keys

    A score of +inf makes a row of softmax, ratio and entmax NaN. Under `none` its weight is +inf. Under `hard` it is a
    largest score. Under `stick_breaking` its weight is 1 minus the sum of the weights of earlier keys. A NaN score
    makes only its own weight NaN under `none`, and its own weight and those of later keys under `stick_breaking`; the
    value is then NaN too. The attribute `alpha`, only with `entmax`, is in (1, 2]. Only `softmax` has `lse`.
    All normalisers but `none` and `hard` have `entropy`, and all but `stick_breaking` have `top` and `top_weights`.
    `top` omits keys whose score is NaN.
  }];
  let arguments = (ins Variadic<Index>:$outer_sizes, Variadic<Index>:$key_sizes, Variadic<Index>:$value_sizes,
                       Attn_Normaliser:$normaliser,
                       ArrayAttr:$yields,
                       OptionalAttr<DenseI64ArrayAttr>:$value_layout, OptionalAttr<F64Attr>:$alpha,
                       OptionalAttr<I64Attr>:$top, OptionalAttr<DenseI64ArrayAttr>:$summed);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$score, MaxSizedRegion<1>:$mask, MaxSizedRegion<1>:$weight,
                        MaxSizedRegion<1>:$value, MaxSizedRegion<1>:$sink);
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    int64_t getNumOuter() { return getOuterSizes().size(); }
    int64_t getNumKeys() { return getKeySizes().size(); }
    int64_t getNumValues() { return getValueSizes().size(); }
    /// Returns the statistic of each result, in order.
    ::llvm::SmallVector<Statistic> getStatistics();
    /// Returns the result with `statistic`, or null.
    ::mlir::Value getResultFor(Statistic statistic);
  }];
}

// `yields` names the statistics whose cotangents are `cotangents`, in the same order.
def Attn_AttendGradientOp : Attn_Op<"attend_gradient", [Pure, AttrSizedOperandSegments]> {
  let summary = "gradients of attention";
  let description = [{
    The vector-Jacobian product of an `attn.attend` with the same sizes, normaliser and regions. With the cotangents dY
    of its results Y, it computes the gradient of sum(dY * Y) with respect to each tensor in `of`, which the regions
    capture. Result r has the type of `of[r]`.

      dp'_k = sum_v dY[o, v] value(o, k, v) + dW[o, k] + dM[o, k] + sum over r with top[o, r] = k of dT[o, r]
      dp_k  = dp'_k dweight/dp - dH[o] (log p_k + 1)
      ds_k  = p_k (dp_k - sum_j p_j dp_j + dL[o])                         softmax; its sink as a key with dp = 0
      ds_k  = (dp_k - sum_j p_j dp_j) / sum_j s_j                         ratio
      ds_k  = dp_k                                                        none
      ds_k  = q_k (dp_k - sum_j q_j dp_j / sum_j q_j)                     entmax, q_k = p_k^(2 - alpha) where p_k > 0
      ds_k  = r_k (dp_k - sum_j r_j dp_j)                                 hard, r = softmax(s): straight through
      ds_k  = p_k (1 - sigma(s_k)) dp_k - sigma(s_k) sum_{j > k} p_j dp_j stick_breaking

    where dY, dW, dL, dH, dT and dM are the cotangents of `value`, `weights`, `lse`, `entropy`, `top_weights` and
    `key_sums` (the same for all summed o), and p log p has the derivative 0 at 0. Every `tensor.extract` of a tensor in
    `of` within the score, weight, value and sink regions then adds its partial derivative to the gradient of the
    element that it reads. Terms are added in the order of keys, then rows, so results are bitwise equal for every
    division of the work. Masked keys contribute zeros; a row without unmasked keys contributes only to its sink. The
    first of two equal terms of a maximum receives the gradient. The weights of `hard` have no derivative; the
    derivative of a softmax of the scores replaces it.

    `saved` are results of the forward op, which save work and do not change results. Their order is: the value if there
    is a value region, lse if the normaliser has one, `top` if there is a cotangent of `top_weights`. All of them, or
    the last ones, may be omitted.
  }];
  let arguments = (ins Variadic<Index>:$outer_sizes, Variadic<Index>:$key_sizes, Variadic<Index>:$value_sizes,
                       Variadic<AnyRankedTensor>:$cotangents, Variadic<AnyRankedTensor>:$saved,
                       Variadic<AnyRankedTensor>:$of,
                       Attn_Normaliser:$normaliser, ArrayAttr:$yields, OptionalAttr<DenseI64ArrayAttr>:$value_layout,
                       OptionalAttr<F64Attr>:$alpha, OptionalAttr<I64Attr>:$top,
                       OptionalAttr<DenseI64ArrayAttr>:$summed);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$score, MaxSizedRegion<1>:$mask, MaxSizedRegion<1>:$weight,
                        MaxSizedRegion<1>:$value, MaxSizedRegion<1>:$sink);
  let hasRegionVerifier = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    int64_t getNumOuter() { return getOuterSizes().size(); }
    int64_t getNumKeys() { return getKeySizes().size(); }
    int64_t getNumValues() { return getValueSizes().size(); }
    /// Returns the statistic of each cotangent, in order.
    ::llvm::SmallVector<Statistic> getStatistics();
    /// Returns the statistics that `saved` may contain, in order.
    ::llvm::SmallVector<Statistic> getSavedStatistics();
    /// Returns the saved value, lse or top, or null.
    ::mlir::Value getSaved(Statistic statistic);
  }];
}

def Attn_ReduceOp : Attn_Op<"reduce", [Pure, SingleBlock]> {
  let summary = "a reduction over feature indices inside a score, mask or value";
  let description = [{
    `%s = attn.reduce add (%d) in (%D) { ... attn.yield %x : f32 } : f32` combines the terms that the region yields, f32
    or i32, for all index tuples below `sizes` (here %D). There is at least one index. Over an empty index space the
    result is the identity: 0, 1, -inf, +inf. A dot product is the sum of the product of two `tensor.extract`s.
  }];
  let arguments = (ins Attn_Combine:$combine, Variadic<Index>:$sizes);
  let results = (outs AnyType:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasRegionVerifier = 1;
  let hasCustomAssemblyFormat = 1;
}

def Attn_ScatterAddOp : Attn_Op<"scatter_add", [Pure, SingleBlock]> {
  let summary = "adds terms to elements at computed subscripts";
  let description = [{
    `%y = attn.scatter_add (%t, %d) in (%T, %D) into(%x : tensor<?x8xf32>) { ... attn.term %g at [%row, %d] : f32 }` is
    x with each term added to the element at its subscripts. Terms are added in the order of the index tuples, the last
    index fastest. The op is the transpose of loads by subscripts. (`tensor.scatter` stores instead, and is undefined if
    two tuples have the same element.)
  }];
  let arguments = (ins Variadic<Index>:$sizes, AnyRankedTensor:$init);
  let results = (outs AnyRankedTensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasRegionVerifier = 1;
  let hasCustomAssemblyFormat = 1;
}

def Attn_TermOp : Attn_Op<"term", [Pure, Terminator, ReturnLike, HasParent<"ScatterAddOp">]> {
  let summary = "one term of attn.scatter_add, and the element that it is added to";
  let arguments = (ins AnyType:$value, Variadic<Index>:$subscripts);
  let assemblyFormat = "$value `at` `[` $subscripts `]` attr-dict `:` type($value)";
}

def Attn_F32Like : TypeOrValueSemanticsContainer<F32, "f32 or a vector of it">;
def Attn_I32Like : TypeOrValueSemanticsContainer<I32, "i32 or a vector of it">;

def Attn_StopOp : Attn_Op<"stop", [Pure, SameOperandsAndResultType]> {
  let summary = "the identity, with a derivative of zero (stop-gradient)";
  let description = [{
    `%y = attn.stop %x : f32` in a formula is x; its derivative is zero. Outside of formulas, the operand is a tensor.
    The derive phase removes the op, except in the regions of `attn.attend_gradient`, whose derivatives are computed
    when code is generated.
  }];
  let arguments = (ins Attn_F32Like:$operand);
  let results = (outs Attn_F32Like:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Attn_VariableOp : Attn_Op<"variable", [NoMemoryEffect, SameOperandsAndResultType]> {
  let summary = "the identity, whose result is the variable of an attn.gradient";
  let description = [{
    `%v = attn.variable %x number 0 : tensor<?xf32>` is x. The number distinguishes the variables of a function, so that
    equal tensors stay different variables. The op is not moved out of loops: it stays in the block of its
    `attn.gradient`.
  }];
  let arguments = (ins TensorOf<[F32]>:$operand, I32Attr:$number);
  let results = (outs TensorOf<[F32]>:$result);
  let assemblyFormat = "$operand `number` $number attr-dict `:` type($operand)";
}

def Attn_GradientOp : Attn_Op<"gradient", [NoMemoryEffect, AllTypesMatch<["variable", "result"]>]> {
  let summary = "the gradient of a number with respect to a variable, as a constant for gradients";
  let description = [{
    `%g = attn.gradient %y of %v : tensor<f32>, tensor<?xf32>` is dy/dv, where v is the result of an `attn.variable` in
    the same block, and y is computed after it. Other tensors that y depends on are constants. The derive phase replaces
    the op.
  }];
  let arguments = (ins 0DTensorOf<[F32]>:$value, TensorOf<[F32]>:$variable);
  let results = (outs TensorOf<[F32]>:$result);
  let assemblyFormat = "$value `of` $variable attr-dict `:` type($value) `,` type($variable)";
  let hasVerifier = 1;
}

def Attn_UniformOp : Attn_Op<"uniform", [Pure, SameOperandsAndResultShape,
                                         AllTypesMatch<["seed", "step", "place", "row", "column"]>]> {
  let summary = "a random number in [0, 1), a function of its key";
  let description = [{
    `%u = attn.uniform %seed, %step, %place at [%row, %column] site 3 : i32 -> f32` in a formula is a function of its
    operands and the site alone: a second evaluation, anywhere and in any order, yields the same number. Philox4x32-10
    (Salmon et al., SC 2011) maps

      key      seed, site
      counter  column div 4, row, step, place

    to four words of 32 bits. With w the word number `column mod 4`, the result is floor(w / 2^8) / 2^24. These are the
    words of attn_random_words (attn/random.h) with the seed `seed + site 2^32`, the stream `step + place 2^32` and the
    index `column div 4 + row 2^32`. All operands are unsigned 32-bit numbers.

    `site` distinguishes the calls of `random` in a function. `place` is the number of the iteration of the loops around
    the call, or 0. `row` and `column` are the element that is drawn: `column` is its last index, `row` the number of
    its other indices in row-major order.
  }];
  let arguments = (ins Attn_I32Like:$seed, Attn_I32Like:$step, Attn_I32Like:$place, Attn_I32Like:$row,
                       Attn_I32Like:$column, I32Attr:$site);
  let results = (outs Attn_F32Like:$result);
  let assemblyFormat = [{
    $seed `,` $step `,` $place `at` `[` $row `,` $column `]` `site` $site attr-dict `:` type($seed) `->` type($result)
  }];
}

def Attn_YieldOp : Attn_Op<"yield", [Pure, Terminator, ReturnLike,
                                     ParentOneOf<["AttendOp", "AttendGradientOp", "ReduceOp"]>]> {
  let summary = "the value of a formula";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif

//===- AttnOps.td - what attention is -------------------------------------------------------------------------===//
//
// One construct, written as the formula in a paper is. For each outer index tuple o:
//
//   s_k  = score(o, k)                      for the keys k with mask(o, k)
//   p    = normaliser(s)                    over those keys
//   p'_k = weight(p_k, o, k)
//   result[o, v] = sum_k p'_k * value(o, k, v)
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

def Attn_Normaliser : I32EnumAttr<"Normaliser", "how the scores of a row become weights", [
    I32EnumAttrCase<"Softmax", 0, "softmax">,
    I32EnumAttrCase<"Ratio", 1, "ratio">,
  ]> {
  let cppNamespace = "::mlir::attn";
}

def Attn_Combine : I32EnumAttr<"Combine", "how the terms of a reduction are combined", [
    I32EnumAttrCase<"Add", 0, "add">,
    I32EnumAttrCase<"Mul", 1, "mul">,
    I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">,
  ]> {
  let cppNamespace = "::mlir::attn";
}

def Attn_Statistic : I32EnumAttr<"Statistic", "what attention yields besides the sum of values", [
    I32EnumAttrCase<"Value", 0, "value">,
    I32EnumAttrCase<"Weights", 1, "weights">,
    I32EnumAttrCase<"Lse", 2, "lse">,
  ]> {
  let cppNamespace = "::mlir::attn";
}

def Attn_AttendOp : Attn_Op<"attend", [Pure, AttrSizedOperandSegments]> {
  let summary = "normalised, masked, weighted sum over keys";
  let description = [{
    The one construct. `outer_sizes`, `key_sizes` and `value_sizes` give the iteration space as `index` values. The
    regions are formulas on scalars: their arguments are indices, they may capture any tensor from above through
    `tensor.extract`, and hold `arith`, `math`, `tensor.extract`, `tensor.dim`, `affine.apply` and `attn.reduce` only.

      score (outer..., keys...)            -> f32
      mask  (outer..., keys...)            -> i1       empty region: every key is kept
      weight(p, outer..., keys...)         -> f32      empty region: p itself
      value (outer..., keys..., values...) -> f32      empty region: only other statistics are yielded

    `yields` names the results in order: `value` has shape [outer..., values...], permuted by `value_layout` when that
    is present (result dimension d of the value is iteration dimension value_layout[d] of outer ++ values); `weights`
    has shape [outer..., keys...] and holds p', with zeros where a key is masked; `lse` (log of the sum of
    exponentials, natural logarithm; -inf for an empty row) has shape [outer...].

    A row whose mask keeps nothing yields zeros; a score of -inf is as masked; a kept NaN or +inf makes its row NaN.
    `ratio` divides scores by their sum; a zero sum gives zeros. `lse` belongs to `softmax` alone.
  }];
  let arguments = (ins Variadic<Index>:$outer_sizes, Variadic<Index>:$key_sizes, Variadic<Index>:$value_sizes,
                       Attn_Normaliser:$normaliser,
                       ArrayAttr:$yields,
                       OptionalAttr<DenseI64ArrayAttr>:$value_layout);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$score, MaxSizedRegion<1>:$mask, MaxSizedRegion<1>:$weight,
                        MaxSizedRegion<1>:$value);
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    int64_t getNumOuter() { return getOuterSizes().size(); }
    int64_t getNumKeys() { return getKeySizes().size(); }
    int64_t getNumValues() { return getValueSizes().size(); }
    /// The statistic of each result, in order.
    ::llvm::SmallVector<Statistic> getStatistics();
    /// The result that holds `statistic`, or null.
    ::mlir::Value getResultFor(Statistic statistic);
  }];
}

def Attn_AttendGradientOp : Attn_Op<"attend_gradient", [Pure, AttrSizedOperandSegments]> {
  let summary = "gradients of attention";
  let description = [{
    The transpose of `attn.attend`: for what an attend of the same sizes, normaliser and regions yields, and for
    `cotangents` dY of each of its results, the gradient of sum(dY * Y) with respect to each tensor of `of`, which the
    regions capture. Result r has the type of `of[r]`.

      dp'_k = sum_v dY[o, v] value(o, k, v) + dW[o, k]
      dp_k  = dp'_k dweight/dp
      ds_k  = p_k (dp_k - sum_j p_j dp_j + dL[o])                         softmax
      ds_k  = (dp_k - sum_j p_j dp_j) / sum_j s_j                         ratio

    where dY, dW and dL are the cotangents of `value`, `weights` and `lse`; then every `tensor.extract` of a tensor of
    `of` in the score, weight and value regions adds its partial derivative to the element that it reads, in the order
    of keys, then rows: results are the same bits however the work is split. Rows that keep nothing give zeros, and so
    do masked keys. Where two terms of a maximum are equal the first one takes the gradient.

    `saved` are the value, where there is a value region, and, for softmax, lse of the forward op, if they are at hand:
    they change what is computed anew, never the result.
  }];
  let arguments = (ins Variadic<Index>:$outer_sizes, Variadic<Index>:$key_sizes, Variadic<Index>:$value_sizes,
                       Variadic<AnyRankedTensor>:$cotangents, Variadic<AnyRankedTensor>:$saved,
                       Variadic<AnyRankedTensor>:$of,
                       Attn_Normaliser:$normaliser, ArrayAttr:$yields, OptionalAttr<DenseI64ArrayAttr>:$value_layout);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$score, MaxSizedRegion<1>:$mask, MaxSizedRegion<1>:$weight,
                        MaxSizedRegion<1>:$value);
  let hasRegionVerifier = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    int64_t getNumOuter() { return getOuterSizes().size(); }
    int64_t getNumKeys() { return getKeySizes().size(); }
    int64_t getNumValues() { return getValueSizes().size(); }
    /// The statistic of each cotangent, in order.
    ::llvm::SmallVector<Statistic> getStatistics();
    /// The saved value or lse, or null.
    ::mlir::Value getSaved(Statistic statistic);
  }];
}

def Attn_ReduceOp : Attn_Op<"reduce", [Pure, SingleBlock]> {
  let summary = "a reduction over feature indices inside a score, mask or value";
  let description = [{
    `%s = attn.reduce add (%d) in (%D) { ... attn.yield %x : f32 } : f32` combines the yielded terms over the index
    space `sizes`. A dot product is the sum of the product of two `tensor.extract`s.
  }];
  let arguments = (ins Attn_Combine:$combine, Variadic<Index>:$sizes);
  let results = (outs AnyType:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasRegionVerifier = 1;
  let hasCustomAssemblyFormat = 1;
}

def Attn_ScatterAddOp : Attn_Op<"scatter_add", [Pure, SingleBlock]> {
  let summary = "sums terms into the elements that subscripts name";
  let description = [{
    `%y = attn.scatter_add (%t, %d) in (%T, %D) into(%x : tensor<?x8xf32>) { ... attn.term %g at [%row, %d] : f32 }` is
    x with each term added to its element, in the order of the index tuples, the last index fastest. It transposes loads
    by subscripts: `tensor.scatter` stores, and leaves open what happens where two tuples name one element.
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

def Attn_YieldOp : Attn_Op<"yield", [Pure, Terminator, ReturnLike,
                                     ParentOneOf<["AttendOp", "AttendGradientOp", "ReduceOp"]>]> {
  let summary = "the value of a formula";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif

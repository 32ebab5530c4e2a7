//===- ModelOps.td - what a network is besides tensors ------------------------------------------------------------===//
//
// Parameters are symbols of the module; a list of modules makes one symbol for all its members, with a count for each
// level of lists, so that a loop over the list can pick one by its index:
//
//   model.parameter @blocks.norm1.gain [6] : tensor<384xf32> checkpoint "blocks.{0}.norm1.gain" init <"ones", 0.0, 0.0>
//   %gain = model.get @blocks.norm1.gain[%l] : tensor<384xf32>          // 0 <= %l < 6
//
// Shapes of parameters are static. Entry points are functions with the attributes that dialects/Model/Model.h names.
// The verifier (ModelVerify.cpp) reports, at the op: a get of another type or with a constant index out of range, a
// checkpoint name without one of its list's indices, and a step of training by other than what Model_StepAttr says.
//
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef MODEL_OPS
#define MODEL_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Model_Dialect : Dialect {
  let name = "model";
  let cppNamespace = "::mlir::model";
  let summary = "Parameters, entry points and dimensions of a model";
  let description = [{
    Attributes on functions and arguments:
      model.entry                  unit, on a function: an entry point, exported under the function's name
      model.dimensions             array of #model.dimension, on an entry: its named dynamic dimensions, in ABI order
      model.shape                  array of strings, on an argument or result: the name (or number) of each dimension
      model.name                   string, on an argument or result
      model.state                  unit, on arguments and results of an entry: memory that lives from call to call. The
                                   last arguments have it, and as many of the last results, which are what they are
                                   afterwards and lie in the same memory
      model.key                    unit, on an argument of an entry: i32 of rank 0, of the key of its draws
      model.minimize               #model.minimize, on an entry: to be derived, as what follows says
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Model_Op<string mnemonic, list<Trait> traits = []> : Op<Model_Dialect, mnemonic, traits>;

def Model_DimensionAttr : AttrDef<Model_Dialect, "Dimension"> {
  let mnemonic = "dimension";
  let summary = "a named dynamic dimension of size `min` to `max`; `max` is -1 where it has no bound";
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$max, DefaultValuedParameter<"int64_t", "0">:$min);
  let assemblyFormat = "`<` $name `,` $max (`,` $min^)? `>`";
}

def Model_InitialiserAttr : AttrDef<Model_Dialect, "Initialiser"> {
  let mnemonic = "init";
  let summary = "how a parameter starts: kind in {zeros, ones, constant, normal, uniform}, with two numbers";
  let description = [{`constant(a)`, `normal(mean a, deviation b)`, `uniform(from a, to b)`.}];
  let parameters = (ins "::mlir::StringAttr":$kind, "::mlir::FloatAttr":$a, "::mlir::FloatAttr":$b);
  let assemblyFormat = "`<` $kind `,` $a `,` $b `>`";
}

def Model_StepAttr : AttrDef<Model_Dialect, "Step"> {
  let mnemonic = "step";
  let summary = "an optimizer's step for a parameter";
  let description = [{
    `function` is a private function (parameter, gradient, number of the step as f32, states...) -> (parameter,
    states...); of a list, for each of its elements.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$parameter, "::mlir::FlatSymbolRefAttr":$function,
                        OptionalArrayRefParameter<"::mlir::FlatSymbolRefAttr">:$states);
  let assemblyFormat = "`<` $parameter `by` $function (`with` $states^)? `>`";
}

def Model_MinimizeAttr : AttrDef<Model_Dialect, "Minimize"> {
  let mnemonic = "minimize";
  let summary = "one step of training";
  let description = [{
    Of an entry point whose only result is the loss: the gradients by the parameters of `steps`, scaled so that their
    norm is at most `clipNorm` where that is not 0, are given to the steps; `count`, an i32, is one more afterwards.
    With `batches` n the entry point takes n of each input, along a leading dimension, and the loss and the gradients
    are the means of those of each; an input with `model.key` is taken once.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$count, "::mlir::FloatAttr":$clipNorm,
                        DefaultValuedParameter<"int64_t", "1">:$batches,
                        ArrayRefParameter<"::mlir::model::StepAttr">:$steps);
  let assemblyFormat = "`<` `count` $count `clip` $clipNorm (`batches` $batches^)? `steps` $steps `>`";
}

def Model_ParameterOp : Model_Op<"parameter", [Symbol]> {
  let summary = "a parameter of the model, or a list of them";
  let description = [{
    `model.parameter @blocks.norm1.gain [6] : tensor<384xf32> checkpoint "h.{0}.ln_1.weight" init <"ones", 0.0, 0.0>`
    declares one parameter for each index of `counts` (none: a single one). `{0}`, `{1}` in `checkpoint` stand for
    those indices, and each occurs, so that no two parameters of a list share a name. A `frozen` one has no gradient.
    A `state` belongs to training: an optimizer's moments, or the number of steps; it is frozen, and may be i32.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<AnyRankedTensor>:$type,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$counts,
                       StrAttr:$checkpoint, Model_InitialiserAttr:$initialiser, UnitAttr:$frozen, UnitAttr:$state);
  let assemblyFormat = [{
    $sym_name `` custom<Counts>($counts) `:` $type `checkpoint` $checkpoint `init` $initialiser attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The checkpoint name of one element of the list: "blocks.{0}.gain" at [3] is "blocks.3.gain".
    std::string getCheckpointName(::llvm::ArrayRef<int64_t> indices);
  }];
}

def Model_GetOp : Model_Op<"get", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a parameter";
  let description = [{
    `model.get @blocks.norm1.gain[%l]` has the type of the parameter, and as many indices as it has counts. Out of range
    is undefined; loops over lists stay within.
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter, Variadic<Index>:$indices);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$parameter (`[` $indices^ `]`)? attr-dict `:` type($result)";
}

def Model_SetOp : Model_Op<"set", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "gives a parameter another value";
  let description = [{
    `model.set @blocks.norm1.gain[%l], %value : tensor<384xf32>`: the parameter has this value when the entry point has
    returned. Every `model.get` reads what it had before the call; so whatever reads a parameter stands in front of
    what sets it, and each is set once at most.
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter, Variadic<Index>:$indices, AnyRankedTensor:$value);
  let assemblyFormat = "$parameter (`[` $indices^ `]`)? `,` $value attr-dict `:` type($value)";
}

def Model_ElementOp : Model_Op<"element", [Pure]> {
  let summary = "one element of a list of tensors";
  let description = [{
    `model.element %list[%i] : tensor<12x?x64xf32>` is the tensor at place `i` of the leading dimension, in range. It
    costs nothing: the element is read where it lies, which is why it is no slice: slices are computed by kernels.
  }];
  let arguments = (ins AnyRankedTensor:$list, Index:$place);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$list `[` $place `]` attr-dict `:` type($list) `->` type($result)";
  let hasVerifier = 1;
}

def Model_WithElementOp : Model_Op<"with_element", [Pure, AllTypesMatch<["list", "result"]>]> {
  let summary = "a list of tensors with another element";
  let description = [{
    `model.with_element %x into %list[%i] : tensor<?x64xf32> into tensor<12x?x64xf32>` is `list` with `x` at place `i`,
    in range. The memory plan gives both lists one place, so `list` has no use behind this op.
  }];
  let arguments = (ins AnyRankedTensor:$element, AnyRankedTensor:$list, Index:$place);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$element `into` $list `[` $place `]` attr-dict `:` type($element) `into` type($list)";
  let hasVerifier = 1;
}

def Model_EndIfOp : Model_Op<"end_if"> {
  let summary = "the last turn of a loop";
  let description = [{
    `model.end_if %done : tensor<i32>` in an `scf.for`: where `done` is not 0, no turn follows this one, and the loop's
    results are what this turn yields.
  }];
  let arguments = (ins TensorOf<[I32]>:$done);
  let assemblyFormat = "$done attr-dict `:` type($done)";
  let hasVerifier = 1;
}

def Model_AppendOp : Model_Op<"append", [Pure, AttrSizedOperandSegments, AllTypesMatch<["cache", "result"]>]> {
  let summary = "a cache with rows appended behind the positions that it has";
  let description = [{
    `model.append %k to %cache[%l] at %length along 2 row 0 : tensor<?x4x?x64xf32> to tensor<12x?x4x?x64xf32> at
    tensor<?xi32>` is `cache` with the element of `k` at [b, h, i, d] at its place [l, b, h, length[b] + i, d]. `row`,
    in front of `along`, is the dimension of `k` that subscripts `length`; without it `length` has rank 0 and holds for
    all of `k`. `place` is there where the cache is a list, its leading dimension.

    With `ring` a position p lies at p mod the size of the cache along that dimension, over what was there: the cache
    never is full, and holds the last positions. `count %n` says how many positions of each row of `k` are appended, the
    first ones; without it all are.

    Rows behind the end are the caller's mistake, told as "the cache is full" before anything is written, as are lengths
    below 0 and counts that the call does not have. That is of caches that are arguments; who makes one inside of an
    entry point gives it room. The memory plan writes in place: `cache` has no use behind this op.
  }];
  let arguments = (ins AnyRankedTensor:$rows, AnyRankedTensor:$cache, AnyRankedTensor:$length, Optional<Index>:$place,
                       Optional<AnyRankedTensor>:$count, I64Attr:$along, OptionalAttr<I64Attr>:$row, UnitAttr:$ring);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $rows `to` $cache (`[` $place^ `]`)? `at` $length (`count` $count^ `:` type($count))? `along` $along (`row` $row^)?
    (`ring` $ring^)? attr-dict `:` type($rows) `to` type($cache) `at` type($length)
  }];
  let hasVerifier = 1;
}

#endif

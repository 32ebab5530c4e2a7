//===- ModelOps.td - parameters, entry points and states ----------------------------------------------------------===//
//
// Parameters are symbols of the module. A list of modules has one symbol for all its members, with a count for each
// level of lists, so that a loop over the list can select an element by its index:
//
//   model.parameter @blocks.norm1.gain [6] : tensor<384xf32> checkpoint "blocks.{0}.norm1.gain" init <"ones", 0.0, 0.0>
//   %gain = model.get @blocks.norm1.gain[%l] : tensor<384xf32>          // 0 <= %l < 6
//
// Shapes of parameters are static. Entry points are functions with the attributes of dialects/Model/Model.h. The
// verifier (ModelVerify.cpp) reports, at the op, violations of the descriptions below, such as a get with another type
// or with a constant index out of range, a checkpoint name that lacks an index of its list, and a training step with a
// function or states that violate Model_StepAttr.
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
      model.state                  unit, on the last n arguments and the last n results of an entry, for any n: memory
                                   that persists between calls. The results are the new values of the arguments, in the
                                   same order and in the same memory
      model.key                    unit, on an argument of an entry: i32 of rank 0, part of the key of random draws
      model.minimize               #model.minimize, on an entry: derive creates a training step
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Model_Op<string mnemonic, list<Trait> traits = []> : Op<Model_Dialect, mnemonic, traits>;

def Model_DimensionAttr : AttrDef<Model_Dialect, "Dimension"> {
  let mnemonic = "dimension";
  let summary = "a named dynamic dimension of size `min` to `max`; `max` is -1 if it has no bound";
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$max, DefaultValuedParameter<"int64_t", "0">:$min);
  let assemblyFormat = "`<` $name `,` $max (`,` $min^)? `>`";
}

def Model_InitialiserAttr : AttrDef<Model_Dialect, "Initialiser"> {
  let mnemonic = "init";
  let summary = "initial values of a parameter: kind in {zeros, ones, constant, normal, uniform}, with two numbers";
  let description = [{`constant(a)`, `normal(mean a, standard deviation b)`, `uniform(from a, to b)`.}];
  let parameters = (ins "::mlir::StringAttr":$kind, "::mlir::FloatAttr":$a, "::mlir::FloatAttr":$b);
  let assemblyFormat = "`<` $kind `,` $a `,` $b `>`";
}

def Model_StepAttr : AttrDef<Model_Dialect, "Step"> {
  let mnemonic = "step";
  let summary = "an optimizer's update of a parameter";
  let description = [{
    `function` is a function (parameter, gradient, number of the training step as tensor<f32>, states...) -> (parameter,
    states...) with one block. It returns the new values. For a list of parameters, derive applies it to each element;
    the states are then lists with the same counts.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$parameter, "::mlir::FlatSymbolRefAttr":$function,
                        OptionalArrayRefParameter<"::mlir::FlatSymbolRefAttr">:$states);
  let assemblyFormat = "`<` $parameter `by` $function (`with` $states^)? `>`";
}

def Model_MinimizeAttr : AttrDef<Model_Dialect, "Minimize"> {
  let mnemonic = "minimize";
  let summary = "one training step";
  let description = [{
    Marks an entry point whose only result is the loss, a tensor<f32>. The training step computes the gradients with
    respect to the parameters of `steps`. Unless `clipNorm` is 0, it scales all gradients together to a norm of at most
    `clipNorm`. It passes them to the functions of `steps`, which update the parameters. It adds 1 to the state `count`,
    an i32. With `batches` n above 1, each input of the training step has a leading dimension of n, except an input with
    `model.key`; loss and gradients are means over the n batches.
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
    declares one parameter for each index tuple below `counts` (a single one if empty; each count is at least 1). `{0}`,
    `{1}` in `checkpoint` stand for the indices, and `{0*6+1+#2}` for a sum (CheckpointName.h); all parameters of a list
    have different names. The elements are f32. A `frozen` parameter has no gradient. A `state` belongs to training: an
    optimizer's moments, or the number of training steps; it is frozen, and may be i32.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<AnyRankedTensor>:$type,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$counts,
                       StrAttr:$checkpoint, Model_InitialiserAttr:$initialiser, UnitAttr:$frozen, UnitAttr:$state);
  let assemblyFormat = [{
    $sym_name `` custom<Counts>($counts) `:` $type `checkpoint` $checkpoint `init` $initialiser attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns the checkpoint name of one element of the list: "blocks.{0}.gain" at [3] is "blocks.3.gain".
    std::string getCheckpointName(::llvm::ArrayRef<int64_t> indices);
  }];
}

def Model_GetOp : Model_Op<"get", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a parameter";
  let description = [{
    `model.get @blocks.norm1.gain[%l]` has the type of the parameter, and one index for each of its counts. After the
    narrow phase, the type may have bf16 or f16 elements instead of f32: a copy of the parameter, stored in 16 bits. An
    index out of range is undefined behaviour; loops over lists remain in range.
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter, Variadic<Index>:$indices);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$parameter (`[` $indices^ `]`)? attr-dict `:` type($result)";
}

def Model_SetOp : Model_Op<"set", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "sets the value of a parameter";
  let description = [{
    `model.set @blocks.norm1.gain[%l], %value : tensor<384xf32>`: the parameter has this value after the entry point
    returns. Every `model.get` of the entry point reads the value from before the call. All reads of a parameter
    therefore precede its set, and a parameter is set at most once.
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter, Variadic<Index>:$indices, AnyRankedTensor:$value);
  let assemblyFormat = "$parameter (`[` $indices^ `]`)? `,` $value attr-dict `:` type($value)";
}

def Model_ElementOp : Model_Op<"element", [Pure]> {
  let summary = "one element of a list of tensors";
  let description = [{
    `model.element %list[%i] : tensor<12x?x64xf32> -> tensor<?x64xf32>` is the tensor at index `i` of the leading
    dimension. The index is in range. The op is free, because the element is not copied; slices, in contrast, are
    computed by kernels.
  }];
  let arguments = (ins AnyRankedTensor:$list, Index:$place);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$list `[` $place `]` attr-dict `:` type($list) `->` type($result)";
  let hasVerifier = 1;
}

def Model_WithElementOp : Model_Op<"with_element", [Pure, AllTypesMatch<["list", "result"]>]> {
  let summary = "a list of tensors with one element replaced";
  let description = [{
    `model.with_element %x into %list[%i] : tensor<?x64xf32> into tensor<12x?x64xf32>` is `list` with `x` at index `i`,
    which is in range. The memory plan updates the list in place, so `list` has no use after this op.
  }];
  let arguments = (ins AnyRankedTensor:$element, AnyRankedTensor:$list, Index:$place);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$element `into` $list `[` $place `]` attr-dict `:` type($element) `into` type($list)";
  let hasVerifier = 1;
}

def Model_EndIfOp : Model_Op<"end_if"> {
  let summary = "early exit of a loop";
  let description = [{
    `model.end_if %done : tensor<i32>` in the body of an `scf.for`: if `done` is not 0, this iteration is the last one,
    and the results of the loop are the values that this iteration yields.
  }];
  let arguments = (ins TensorOf<[I32]>:$done);
  let assemblyFormat = "$done attr-dict `:` type($done)";
  let hasVerifier = 1;
}

def Model_CallOp : Model_Op<"call", [Pure]> {
  let summary = "a call of an entry point that is not derived yet";
  let description = [{
    `model.call @write(%prompt, %prompt_length) ["prompt", "prompt_length"]` calls the entry point that derive creates
    from the function `write`, which has `model.decode`. `names` are the names of the derived entry point's arguments,
    one for each operand. The first operand is the prompt, of rank 2. Each result has a row for each row of the prompt,
    and its other sizes are static. Derive replaces the op by the body of the entry point.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyRankedTensor>:$inputs, StrArrayAttr:$names);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = "$callee `(` $inputs `)` $names attr-dict `:` functional-type($inputs, $outputs)";
  let hasVerifier = 1;
}

def Model_AppendOp : Model_Op<"append", [Pure, AttrSizedOperandSegments, AllTypesMatch<["cache", "result"]>]> {
  let summary = "a cache with rows appended after its positions";
  let description = [{
    `model.append %k to %cache[%l] at %length along 2 row 0 : tensor<?x4x?x64xf32> to tensor<12x?x4x?x64xf32> at
    tensor<?xi32>` is `cache` with the element of `k` at [b, h, i, d] stored at [l, b, h, length[b] + i, d]. `along` is
    the dimension of the positions in `k`. `row`, a dimension of `k` before `along`, subscripts `length`, the i32 number
    of positions that each row holds; without `row`, `length` has rank 0 and applies to all of `k`. `place` is the index
    in the leading dimension if the cache is a list.

    With `ring` the cache is a ring buffer: position p is stored at p mod the size of the cache along the dimension of
    positions, and overwrites an earlier position. The cache is therefore never full and contains the last positions.
    `count %n` has a number c for each row: only the first c positions of the row are appended. Without it all are.

    With `step %t of %n` the op is one of n appends in a loop: `k` is time step t of a sequence of n positions, so it
    has size 1 along the dimension of positions. It is stored at [l, b, h, length[b] + t, d], if t is below the count of
    row b. A ring buffer may omit time steps that later ones would overwrite.

    With `through %table : tensor<?x?xi32>` the cache is paged: its dimension `row` counts blocks, and its dimension
    `along` the positions of a block. With n positions in a block, position p of row b is stored in block
    table[b, p / n] at position p mod n. The capacity of a row is n times the entries of the table for a row.

    If the cache is an argument, the entry point checks it before it writes anything. Positions beyond the capacity are
    reported to the caller as "the cache is full"; lengths below 0 and invalid counts are errors too. If the cache is
    paged, each of the entries of the table for the positions up to the last one of the call must be the number of a
    block. A cache that an entry point allocates must be large enough. The memory plan updates the cache in place, so
    `cache` has no use after this op.
  }];
  let arguments = (ins AnyRankedTensor:$rows, AnyRankedTensor:$cache, AnyRankedTensor:$length, Optional<Index>:$place,
                       Optional<AnyRankedTensor>:$count, Optional<AnyRankedTensor>:$table, Optional<Index>:$step,
                       Optional<Index>:$steps, I64Attr:$along, OptionalAttr<I64Attr>:$row, UnitAttr:$ring);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $rows `to` $cache (`[` $place^ `]`)? `at` $length (`count` $count^ `:` type($count))?
    (`through` $table^ `:` type($table))? (`step` $step^ `of` $steps)? `along` $along (`row` $row^)? (`ring` $ring^)?
    attr-dict `:` type($rows) `to` type($cache) `at` type($length)
  }];
  let hasVerifier = 1;
}

#endif

//===- Model.h - the dialect `model`: parameters and entry points -------------------------------------------------===//
//
// The dialect has ops for parameters, lists of tensors and caches (ModelOps.td), and the attributes below, which mark a
// function on tensors as an entry point, which C programs can call. Sizes in attributes are expressions over the names
// of dimensions, as in the source ("batch", "2*seq - 1", "256"):
//
//   func.func @logits(%tokens: tensor<?x?xi32> {model.name = "tokens", model.shape = ["batch", "seq"]})
//       -> (tensor<?x?x256xf32> {model.name = "logits", model.shape = ["batch", "seq", "256"]})
//       attributes {model.entry, model.dimensions = [#model.dimension<"batch", -1>, #model.dimension<"seq", 256>]}
//
// The verifier (ModelVerify.cpp) reports, at the op, an invalid model.entry, dimensions, minimize, decode, incremental,
// name, shape or state, such as one of the wrong type, or a shape whose rank or constant sizes differ from those of its
// tensor. It does not check the other attributes.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::model {

// Attributes of a function:
inline constexpr llvm::StringLiteral entryAttrName = "model.entry";           ///< unit: C programs can call it
inline constexpr llvm::StringLiteral dimensionsAttrName = "model.dimensions"; ///< array of #model.dimension, in order
inline constexpr llvm::StringLiteral docAttrName = "model.doc";               ///< string: its documentation
/// unit: the derive phase replaces the function, whose result is a loss, by one that also returns its gradients
inline constexpr llvm::StringLiteral gradientAttrName = "model.gradient";
/// unit: the derive phase replaces the results by attention weights (AttentionMaps.h)
inline constexpr llvm::StringLiteral attentionAttrName = "model.attention";
inline constexpr llvm::StringLiteral minimizeAttrName = "model.minimize"; ///< #model.minimize: derive: a training step
/// string: the dimension along which derive makes the function incremental
inline constexpr llvm::StringLiteral incrementalAttrName = "model.incremental";
/// i64: the number of positions that can be truncated from the states. Absent: 1 for an incremental function; any
/// number for an entry point that derive made from it
inline constexpr llvm::StringLiteral takeBackAttrName = "model.take_back";
/// i64, on an incremental function and on the entry points that derive makes from it: the caches are paged, with this
/// number of positions in a block
inline constexpr llvm::StringLiteral pagedAttrName = "model.paged";
/// dictionary, on a sampler: derive creates the decoding loop around the sampler. `of` is the name (a string) of the
/// incremental function that computes logits, `at_most` the largest number of tokens of a call, and `stop`, optional,
/// the token that ends a row. With `beams`, the number of beams of each row, the sampler chooses the parent beam and
/// the token of each new beam
inline constexpr llvm::StringLiteral decodeAttrName = "model.decode";
// Attributes of an argument or a result of an entry point:
inline constexpr llvm::StringLiteral nameAttrName = "model.name";   ///< string: its name in the source and in C
inline constexpr llvm::StringLiteral shapeAttrName = "model.shape"; ///< array of strings, one for each dimension
inline constexpr llvm::StringLiteral stateAttrName = "model.state"; ///< unit: persists between calls (ModelOps.td)
inline constexpr llvm::StringLiteral keyAttrName = "model.key"; ///< unit, on an i32: part of the key of random draws
// Attribute of a loop:
/// string, one of the two values: the iterations are the time steps of a recurrence, in order or in reverse
inline constexpr llvm::StringLiteral scanAttrName = "model.scan", scansForward = "forward", scansBackward = "backward";
// Attributes of the module:
/// dictionary: the name of each hyperparameter and its value as a string, such as dim = "64"
inline constexpr llvm::StringLiteral hyperparametersAttrName = "model.hyperparameters";

/// Returns the number n of states of an entry point: of arguments with model.state. They are the last n arguments; the
/// last n results are their new values, in the same order.
unsigned stateCount(FunctionOpInterface function);

} // namespace mlir::model

#include "dialects/Model/ModelDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Model/ModelAttributes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Model/ModelOps.h.inc"

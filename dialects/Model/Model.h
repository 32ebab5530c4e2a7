//===- Model.h - the dialect `model`: parameters and entry points -------------------------------------------------===//
//
// Parameters (`model.parameter`, a symbol, and `model.get`, its value; ModelOps.td), and the attributes that mark a
// function on tensors as an entry point, which C programs can call. Sizes in attributes are expressions over the names
// of dimensions, as in the source ("batch", "2*seq - 1", "256"):
//
//   func.func @logits(%tokens: tensor<?x?xi32> {model.name = "tokens", model.shape = ["batch", "seq"]})
//       -> (tensor<?x?x256xf32> {model.name = "logits", model.shape = ["batch", "seq", "256"]})
//       attributes {model.entry, model.dimensions = [#model.dimension<"batch", -1>, #model.dimension<"seq", 256>]}
//
// The verifier (ModelVerify.cpp) reports, with its source location, an attribute of the wrong type, an attribute on the
// wrong op, and a shape whose rank differs from its tensor's.
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
inline constexpr llvm::StringLiteral gradientAttrName = "model.gradient";     ///< unit: to be derived (compiler/Derive)
inline constexpr llvm::StringLiteral attentionAttrName = "model.attention";   ///< unit: to be derived (AttentionMaps.h)
inline constexpr llvm::StringLiteral minimizeAttrName = "model.minimize";     ///< #model.minimize: to be derived
/// string: the dimension along which derive makes the function incremental
inline constexpr llvm::StringLiteral incrementalAttrName = "model.incremental";
/// i64: the number of positions that can be truncated from the states of an incremental function; absent: any number
inline constexpr llvm::StringLiteral takeBackAttrName = "model.take_back";
/// dictionary of a sampler: `of`, the function to derive incrementally, `at_most` tokens, and optionally the token
/// `stop`. Derive creates the decoding loop. With `beams`, the beams of each row, the function chooses the source beam
/// and token of each new beam
inline constexpr llvm::StringLiteral decodeAttrName = "model.decode";
// Attributes of an argument or a result of an entry point:
inline constexpr llvm::StringLiteral nameAttrName = "model.name";   ///< string: its name in the source and in C
inline constexpr llvm::StringLiteral shapeAttrName = "model.shape"; ///< array of strings, one for each dimension
inline constexpr llvm::StringLiteral stateAttrName = "model.state"; ///< unit: persists between calls (ModelOps.td)
inline constexpr llvm::StringLiteral keyAttrName = "model.key";     ///< unit: part of the key of random draws, i32
// Attribute of a loop:
/// string: its iterations are the time steps of a recurrence, in order or in reverse
inline constexpr llvm::StringLiteral scanAttrName = "model.scan", scansForward = "forward", scansBackward = "backward";
// Attributes of the module:
inline constexpr llvm::StringLiteral hyperparametersAttrName = "model.hyperparameters"; ///< dictionary of numbers

/// Returns the number n of states of an entry point: its last n arguments, and its last n results, which are their new
/// values.
unsigned stateCount(FunctionOpInterface function);

} // namespace mlir::model

#include "dialects/Model/ModelDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Model/ModelAttributes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Model/ModelOps.h.inc"

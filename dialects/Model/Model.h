//===- Model.h - the dialect `model`: what a module needs to be a model -----------------------------------------===//
//
// Parameters (`model.parameter`, a symbol, and `model.get`, its value; ModelOps.td), and the attributes by which a
// function on tensors is an entry point that a C program can call. Sizes in them are texts over the dimensions' names,
// as the user wrote them ("batch", "2*seq - 1", "256"):
//
//   func.func @logits(%tokens: tensor<?x?xi32> {model.name = "tokens", model.shape = ["batch", "seq"]})
//       -> (tensor<?x?x256xf32> {model.name = "logits", model.shape = ["batch", "seq", "256"]})
//       attributes {model.entry, model.dimensions = [#model.dimension<"batch", -1>, #model.dimension<"seq", 256>]}
//
// The verifier (ModelVerify.cpp) reports, with the place, attributes of another kind, on another op, or a shape whose
// rank is not its tensor's.
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

// On a function:
inline constexpr llvm::StringLiteral entryAttrName = "model.entry";           ///< unit: C programs can call it
inline constexpr llvm::StringLiteral dimensionsAttrName = "model.dimensions"; ///< array of #model.dimension, in order
inline constexpr llvm::StringLiteral docAttrName = "model.doc";               ///< string: its documentation
inline constexpr llvm::StringLiteral gradientAttrName = "model.gradient";     ///< unit: to be derived (compiler/Derive)
inline constexpr llvm::StringLiteral attentionAttrName = "model.attention";   ///< unit: likewise, see AttentionMaps.h
inline constexpr llvm::StringLiteral minimizeAttrName = "model.minimize";     ///< #model.minimize: to be derived
/// string: a dimension along which to compute, likewise
inline constexpr llvm::StringLiteral incrementalAttrName = "model.incremental";
/// i64: so many positions can be taken back from the states of a function that is, or is made to be, incremental;
/// without it any number
inline constexpr llvm::StringLiteral takeBackAttrName = "model.take_back";
/// dictionary: `of`, a function that is made incremental, `at_most` tokens and, where there is one, the token `stop`.
/// The function chooses a token; the loop that it writes with is to be derived. With `beams`, so many for each row, it
/// chooses from which beam each goes on, and by what token
inline constexpr llvm::StringLiteral decodeAttrName = "model.decode";
// On an argument or a result of an entry point:
inline constexpr llvm::StringLiteral nameAttrName = "model.name";   ///< string
inline constexpr llvm::StringLiteral shapeAttrName = "model.shape"; ///< array of strings, one a dimension
inline constexpr llvm::StringLiteral stateAttrName = "model.state"; ///< unit: lives from call to call (ModelOps.td)
inline constexpr llvm::StringLiteral keyAttrName = "model.key";     ///< unit: of the key of draws, i32 of rank 0
// On an scf.for:
/// string: its turns are the steps of a recurrence, in order or
inline constexpr llvm::StringLiteral scanAttrName = "model.scan", scansForward = "forward", scansBackward = "backward";
// On the module:
inline constexpr llvm::StringLiteral hyperparametersAttrName = "model.hyperparameters"; ///< dictionary of numbers

/// How many tensors live from call to call: the last arguments of an entry point, and, as they are afterwards, its last
/// results.
unsigned stateCount(FunctionOpInterface function);

} // namespace mlir::model

#include "dialects/Model/ModelDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Model/ModelAttributes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Model/ModelOps.h.inc"

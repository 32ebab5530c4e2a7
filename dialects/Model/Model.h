#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Model/ModelDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Model/ModelAttributes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Model/ModelOps.h.inc"

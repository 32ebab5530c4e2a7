#include "compiler/Pipeline/CheckModule.h"
#include "compiler/ElementTypes/ElementType.h"
#include "compiler/Codegen/Formula/VectorMath.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Pipeline/Job.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace attnc {

template <typename Dialect> static bool isOf(Operation *op) { return isa_and_present<Dialect>(op->getDialect()); }

/// Ops that become parts of kernels.
static bool computesTensors(Operation *op) {
  return isa<linalg::LinalgOp>(op) || isOf<attn::AttnDialect>(op) || isOf<model::ModelDialect>(op);
}

/// Whether the op is inside a formula.
static bool isInFormula(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (computesTensors(parent))
      return true;
  return false;
}

/// Whether the op calls a kernel, as entry points do after `fuse`.
static bool isCallOfKernel(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  auto caller = op->getParentOfType<func::FuncOp>();
  if (!call || !caller || caller->hasAttr(kernelAttrName))
    return false;
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  return callee && callee->hasAttr(kernelAttrName) && !callee.isExternal();
}

/// Whether the op is a function, control flow or a terminator that is permitted at its position.
static bool isStructure(Operation *op) {
  return isInFormula(op)
             ? isa<scf::IfOp, scf::YieldOp, linalg::YieldOp>(op)
             : isa<ModuleOp, func::FuncOp, func::ReturnOp, scf::ForOp, scf::YieldOp>(op) || isCallOfKernel(op);
}

/// Ops that return a view, a concatenation or a size of tensors.
static bool isView(Operation *op) {
  return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ConcatOp, tensor::DimOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp>(op);
}

static bool isScalar(Operation *op) {
  if (isOf<math::MathDialect>(op))
    return isSupportedMath(op);
  return isOf<arith::ArithDialect>(op) || isa<linalg::IndexOp, affine::AffineApplyOp>(op) ||
         (isa<tensor::ExtractOp>(op) && isInFormula(op));
}

static bool isKnown(Operation *op) {
  return isScalar(op) || isStructure(op) || isView(op) || computesTensors(op) || isa<tensor::EmptyOp>(op);
}

//===--------------------------------------------- types --------------------------------------------------------===//

static std::string text(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::string faultOfTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !elementTypeOf(tensor.getElementType()) || tensor.getEncoding())
    return " has a value of type " + text(type) + "; expected a ranked tensor of f32, bf16, f16, i32 or i1";
  int64_t bytes = 4;
  for (int64_t size : tensor.getShape())
    if (!ShapedType::isDynamic(size) && llvm::MulOverflow(bytes, size, bytes))
      return " has a value of type " + text(type) + "; expected a tensor of less than 2^63 bytes";
  return "";
}

/// Names of an entry point must be C identifiers, as the generated header uses them.
static std::string faultOfNames(func::FuncOp entry) {
  auto faultOfName = [](StringRef name) {
    bool isIdentifier = !name.empty() && !llvm::isDigit(name.front()) &&
                        llvm::all_of(name, [](char each) { return llvm::isAlnum(each) || each == '_'; });
    return isIdentifier
               ? std::string()
               : " has the name '" + name.str() + "'; expected letters, digits and underscores, with no digit first";
  };
  SmallVector<StringRef> names = {entry.getName()};
  for (auto dimension : entry->getAttrOfType<ArrayAttr>(model::dimensionsAttrName).getAsRange<model::DimensionAttr>())
    names.push_back(dimension.getName().getValue());
  auto addName = [&](StringAttr name) {
    if (name)
      names.push_back(name.getValue());
  };
  for (unsigned number = 0; number < entry.getNumArguments(); ++number)
    addName(entry.getArgAttrOfType<StringAttr>(number, model::nameAttrName));
  for (unsigned number = 0; number < entry.getNumResults(); ++number)
    addName(entry.getResultAttrOfType<StringAttr>(number, model::nameAttrName));
  for (StringRef name : names)
    if (std::string fault = faultOfName(name); !fault.empty())
      return fault;
  return "";
}

static std::string faultOfFunction(func::FuncOp function) {
  if (function->hasAttr(model::entryAttrName))
    if (std::string fault = faultOfNames(function); !fault.empty())
      return fault;
  bool isKernel = function->hasAttr(kernelAttrName);
  SmallVector<Type> types(function.getResultTypes());
  for (Type type : function.getArgumentTypes())
    if (!isKernel || !type.isIndex())
      types.push_back(type);
  for (Type type : types)
    if (std::string fault = faultOfTensor(type); !fault.empty())
      return fault;
  return function.getBody().hasOneBlock() ? ""
                                          : " does not have one block; expected a function with a body of one block";
}

static std::string faultOfResults(Operation *op) {
  for (Type type : op->getResultTypes()) {
    if (isa<ShapedType>(type)) {
      if (std::string fault = faultOfTensor(type); !fault.empty())
        return fault;
    } else if (!type.isIndex() && !type.isF32() && !type.isInteger(32) && !type.isInteger(1)) {
      return " computes with " + text(type) + "; expected f32, i32, i1 or index";
    } else if (isa<scf::ForOp>(op)) {
      return " carries " + text(type) + "; expected tensors";
    }
  }
  return "";
}

//===------------------------------------------- values ---------------------------------------------------------===//

/// The error of a constant tensor, as the text after the op's name; empty if the constant is valid.
static std::string faultOfConstant(arith::ConstantOp constant) {
  if (!isa<SplatElementsAttr>(constant.getValue()))
    return " is a tensor of different numbers; expected one number for all its elements, or an argument of the "
           "function";
  for (Operation *user : constant->getUsers())
    if (!isa<linalg::LinalgOp>(user))
      return " is a whole tensor that " + user->getName().getStringRef().str() +
             " reads; expected a linalg op that reads it";
  return "";
}

/// An op that reads undefined elements of `value`; null if there is none.
static Operation *readerOf(Value value) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    // A kernel may read a cache, at positions that were written.
    if (isa<tensor::DimOp, model::WithElementOp, model::AppendOp>(user) || isCallOfKernel(user) || !isKnown(user))
      continue;
    if (auto linalg = dyn_cast<linalg::LinalgOp>(user);
        linalg && !linalg.payloadUsesValueFromOperand(&use))
      continue;
    Operation *reader = user;
    if (auto loop = dyn_cast<scf::ForOp>(user))
      reader = readerOf(loop.getTiedLoopRegionIterArg(&use));
    else if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp,
                 model::ElementOp>(user))
      reader = readerOf(user->getResult(0));
    if (reader)
      return reader;
  }
  return nullptr;
}

/// Whether rows are appended to the value. A cache is read only at positions that were written.
static bool isCache(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto append = dyn_cast<model::AppendOp>(user))
      return append.getCache() == use.get();
    if (auto cast = dyn_cast<tensor::CastOp>(user))
      return isCache(cast);
    auto loop = dyn_cast<scf::ForOp>(user);
    return loop && isCache(loop.getTiedLoopRegionIterArg(&use));
  });
}

/// A kernel that reads positions of an empty cache contains the cache as a tensor.empty, whose elements it reads as 0.
/// The values of positions that were not written have no effect.
static std::string faultOfEmpty(tensor::EmptyOp empty) {
  Operation *reader = isCache(empty) ? nullptr : readerOf(empty);
  auto function = empty->getParentOfType<func::FuncOp>();
  if (isa_and_present<tensor::ExtractOp>(reader) && function && function->hasAttr(kernelAttrName))
    return "";
  return reader ? " is a tensor of undefined elements, which " + reader->getName().getStringRef().str() +
                      " reads; expected it only in outs of an op that does not read it"
                : "";
}

/// The error of an integer op whose result is undefined in MLIR, and so in generated code.
static std::string faultOfInteger(Operation *op) {
  APInt second;
  if (op->getNumOperands() != 2 || !matchPattern(op->getOperand(1), m_ConstantInt(&second)))
    return "";
  bool divides = isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
                     arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
  if (divides && second.isZero())
    return " divides by 0; expected another divisor";
  bool shifts = isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op);
  if (shifts && second.uge(second.getBitWidth()))
    return " shifts by " + llvm::toString(second, 10, /*Signed=*/true) + " bits; expected 0 to " +
           std::to_string(second.getBitWidth() - 1);
  return "";
}

static std::string faultOfDim(tensor::DimOp dim) {
  auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
  std::optional<int64_t> dimension = dim.getConstantIndex();
  if (type && dimension && *dimension >= 0 && *dimension < type.getRank())
    return "";
  std::string asked = dimension ? "dimension " + std::to_string(*dimension) : "a dimension that is not constant";
  return " reads " + asked + " of " + text(dim.getSource().getType()) + "; expected a constant below its rank";
}

/// A model.get must precede a model.set of the same parameter, as it reads the value from before the call.
static std::string faultOfGet(model::GetOp get) {
  for (Operation *op = get->getPrevNode(); op; op = op->getPrevNode()) {
    auto set = dyn_cast<model::SetOp>(op);
    if (set && set.getParameter() == get.getParameter())
      return " reads @" + get.getParameter().str() + " after its model.set; expected it before";
  }
  return "";
}

/// The error of any op; empty if the op is valid.
static std::string faultOf(Operation *op) {
  bool hasTensors = llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
  if (isScalar(op) && hasTensors && !isa<arith::ConstantOp>(op))
    return " computes a whole tensor; expected linalg.generic with its op on elements";
  if (!isKnown(op))
    return std::string(" is not supported ") +
           (isInFormula(op) ? "in a formula; expected ops of arith and math on scalars, scf.if, tensor.extract, "
                              "tensor.dim, linalg.index or attn.reduce"
                            : "outside of formulas; expected ops of linalg, attn and model, of arith and math on "
                              "scalars, scf.for, or views of tensors");
  if (auto function = dyn_cast<func::FuncOp>(op))
    return faultOfFunction(function);
  if (isa_and_present<ModuleOp>(op->getParentOp()) && !isa<ModuleOp, model::ParameterOp>(op))
    return " is outside of all functions; expected func.func or model.parameter there";
  if (std::string fault = faultOfResults(op); !fault.empty())
    return fault;
  if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && hasTensors)
    return faultOfConstant(constant);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return faultOfEmpty(empty);
  if (auto get = dyn_cast<model::GetOp>(op))
    return faultOfGet(get);
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return faultOfDim(dim);
  return faultOfInteger(op);
}

std::optional<ModuleFault> firstFault(Operation *root, llvm::function_ref<std::string(Operation *)> faultOf) {
  std::optional<ModuleFault> found;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::string what = faultOf(op);
    if (what.empty())
      return WalkResult::advance();
    found = {op, what};
    return WalkResult::interrupt();
  });
  return found;
}

std::string faultOfModule(ModuleOp module, llvm::StringRef file) {
  std::optional<ModuleFault> fault = firstFault(module, faultOf);
  for (auto function : module.getOps<func::FuncOp>())
    if (!fault && function->hasAttr(model::entryAttrName))
      fault = faultOfSizes(function);
  if (!fault)
    return "";
  std::string place = placeOf(fault->op->getLoc());
  return (place.empty() ? file.str() : place) + ": error: " + fault->op->getName().getStringRef().str() + fault->what;
}

} // namespace attnc

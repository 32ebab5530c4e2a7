// What the verifiers of model say, and when.
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::model;

//===-------------------------------------------- parameter and get ---------------------------------------------===//

LogicalResult ParameterOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  bool isNumber = type.getElementType().isF32() || (getState() && type.getElementType().isInteger(32));
  if (!type.hasStaticShape() || !isNumber)
    return emitOpError() << "is " << type << ", expected a tensor of f32 with static sizes";
  for (auto [number, count] : llvm::enumerate(getCounts())) {
    if (count < 1)
      return emitOpError() << "is a list of " << count << " entries, expected at least one";
    std::string placeholder = "{" + std::to_string(number) + "}";
    if (count > 1 && !getCheckpoint().contains(placeholder))
      return emitOpError() << "is a list of " << count << ", but its checkpoint name \"" << getCheckpoint()
                           << "\" has no " << placeholder << " to tell them apart";
  }
  static constexpr StringLiteral kinds[] = {"zeros", "ones", "constant", "normal", "uniform"};
  if (!llvm::is_contained(kinds, getInitialiser().getKind().getValue()))
    return emitOpError() << "has unknown initialiser " << getInitialiser().getKind()
                         << ", expected zeros, ones, constant, normal or uniform";
  return success();
}

/// The parameter, or a copy of it in fewer bits.
static bool isStoredAs(Type parameter, Type value) {
  auto wide = cast<RankedTensorType>(parameter), stored = cast<RankedTensorType>(value);
  Type element = stored.getElementType();
  return wide.getElementType().isF32() && (element.isBF16() || element.isF16()) && wide.clone(element) == stored;
}

/// What `model.get` and `model.set` name: a parameter of the type of `value`, and one of its list.
template <typename Op> static LogicalResult verifyElement(Op op, Value value, SymbolTableCollection &symbols) {
  auto parameter = symbols.lookupNearestSymbolFrom<ParameterOp>(op, op.getParameterAttr());
  if (!parameter)
    return op.emitOpError("names no parameter of this module: ") << op.getParameter();
  bool isCopy = std::is_same_v<Op, GetOp> && isStoredAs(parameter.getType(), value.getType());
  if (parameter.getType() != value.getType() && !isCopy)
    return op.emitOpError("has type ") << value.getType() << ", but parameter " << op.getParameter() << " is "
                                       << parameter.getType();
  if (parameter.getCounts().size() != op.getIndices().size())
    return op.emitOpError("has ") << op.getIndices().size() << " indices, but parameter " << op.getParameter()
                                  << " has " << parameter.getCounts().size() << " list dimensions";
  for (auto [index, count] : llvm::zip_equal(op.getIndices(), parameter.getCounts()))
    if (std::optional<int64_t> constant = getConstantIntValue(index); constant && (*constant < 0 || *constant >= count))
      return op.emitOpError("names entry ")
             << *constant << " of parameter " << op.getParameter() << ", which has " << count;
  return success();
}

LogicalResult GetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyElement(*this, getResult(), symbols);
}

LogicalResult SetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyElement(*this, getValue(), symbols);
}

//===-------------------------------------------- entry points --------------------------------------------------===//

unsigned mlir::model::stateCount(FunctionOpInterface function) {
  unsigned count = 0;
  for (unsigned number = 0; number < function.getNumArguments(); ++number)
    count += function.getArgAttr(number, stateAttrName) != nullptr;
  return count;
}

static LogicalResult verifyStates(FunctionOpInterface function) {
  unsigned count = stateCount(function), arguments = function.getNumArguments(), results = function.getNumResults();
  unsigned marked = 0;
  for (unsigned number = 0; number < results; ++number)
    marked += function.getResultAttr(number, stateAttrName) != nullptr;
  bool pairs = count <= results && marked == count;
  for (unsigned number = 0; pairs && number < count; ++number)
    pairs =
        function.getArgAttr(arguments - count + number, stateAttrName) &&
        function.getResultAttr(results - count + number, stateAttrName) &&
        function.getArgumentTypes()[arguments - count + number] == function.getResultTypes()[results - count + number];
  return pairs ? success() : function->emitOpError("has model.state on other than its last arguments and results");
}

static LogicalResult verifyEntry(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || function.isExternal() || !function.isPublic())
    return op->emitOpError("has model.entry, which belongs on a public function with a body");
  if (!op->hasAttr(dimensionsAttrName))
    return op->emitOpError("has model.entry but no model.dimensions");
  return verifyStates(function);
}

static LogicalResult verifyDimensions(Operation *op, Attribute value) {
  auto dimensions = dyn_cast<ArrayAttr>(value);
  if (!dimensions || !llvm::all_of(dimensions, llvm::IsaPred<DimensionAttr>))
    return op->emitOpError("model.dimensions is ") << value << ", expected an array of #model.dimension";
  llvm::StringSet<> names;
  for (auto dimension : dimensions.getAsRange<DimensionAttr>()) {
    if (!names.insert(dimension.getName().getValue()).second)
      return op->emitOpError("has two dimensions called ") << dimension.getName();
    if (dimension.getMax() < 1 && dimension.getMax() != -1)
      return op->emitOpError("dimension ")
             << dimension.getName() << " has bound " << dimension.getMax() << ", expected at least 1, or -1 for none";
    if (dimension.getMin() < 0 || (dimension.getMax() >= 0 && dimension.getMin() > dimension.getMax()))
      return op->emitOpError("dimension ") << dimension.getName() << " has least size " << dimension.getMin()
                                           << ", expected at least 0 and no more than its bound";
  }
  return success();
}

LogicalResult ModelDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == entryAttrName)
    return verifyEntry(op);
  if (attribute.getName() == dimensionsAttrName)
    return verifyDimensions(op, attribute.getValue());
  return success();
}

/// `model.shape` says one name or number a dimension, and the number that the type says.
static LogicalResult verifyShape(Operation *op, Type type, Attribute value, const Twine &what) {
  auto shape = dyn_cast<ArrayAttr>(value);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!shape || !tensor || !llvm::all_of(shape, llvm::IsaPred<StringAttr>) ||
      static_cast<int64_t>(shape.size()) != tensor.getRank())
    return op->emitOpError() << what << " is " << type << ", but its model.shape is " << value
                             << ", expected one string a dimension";
  for (auto [name, size] : llvm::zip_equal(shape.getAsRange<StringAttr>(), tensor.getShape())) {
    int64_t number;
    if (!name.getValue().getAsInteger(10, number) && number != size)
      return op->emitOpError() << what << " is " << type << ", but its model.shape is " << value;
  }
  return success();
}

static LogicalResult verifyPort(Operation *op, Type type, NamedAttribute attribute, const Twine &what) {
  if (attribute.getName() == shapeAttrName)
    return verifyShape(op, type, attribute.getValue(), what);
  if (attribute.getName() == nameAttrName && !isa<StringAttr>(attribute.getValue()))
    return op->emitOpError() << what << " has model.name " << attribute.getValue() << ", expected a string";
  return success();
}

LogicalResult ModelDialect::verifyRegionArgAttribute(Operation *op, unsigned region, unsigned argument,
                                                     NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  return function ? verifyPort(op, function.getArgumentTypes()[argument], attribute, "argument " + Twine(argument))
                  : success();
}

LogicalResult ModelDialect::verifyRegionResultAttribute(Operation *op, unsigned region, unsigned result,
                                                        NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  return function ? verifyPort(op, function.getResultTypes()[result], attribute, "result " + Twine(result)) : success();
}

/// `element` is what `list` holds behind its leading dimension.
static LogicalResult verifyElement(Operation *op, RankedTensorType list, RankedTensorType element) {
  if (list.getRank() == 0 || list.getElementType() != element.getElementType() ||
      list.getShape().drop_front() != element.getShape())
    return op->emitOpError() << "has an element " << element << " of a list " << list;
  return success();
}

LogicalResult ElementOp::verify() {
  return verifyElement(*this, cast<RankedTensorType>(getList().getType()), cast<RankedTensorType>(getType()));
}

LogicalResult WithElementOp::verify() {
  return verifyElement(*this, cast<RankedTensorType>(getList().getType()),
                       cast<RankedTensorType>(getElement().getType()));
}

LogicalResult EndIfOp::verify() {
  if (cast<RankedTensorType>(getDone().getType()).getRank() != 0)
    return emitOpError("asks ") << getDone().getType() << ", expected tensor<i32>";
  if ((*this)->getParentOp()->getName().getStringRef() != "scf.for")
    return emitOpError("is in no loop");
  return success();
}

LogicalResult AppendOp::verify() {
  auto rows = cast<RankedTensorType>(getRows().getType()), length = cast<RankedTensorType>(getLength().getType());
  SmallVector<int64_t> cache(cast<RankedTensorType>(getCache().getType()).getShape());
  if (getPlace() && !cache.empty())
    cache.erase(cache.begin());
  auto isDimension = [&](int64_t dimension) { return dimension >= 0 && dimension < rows.getRank(); };
  int64_t along = getAlong(), row = getRow().value_or(-1);
  if (!isDimension(along) || (getRow() && (!isDimension(row) || row >= along)))
    return emitOpError("goes along dimension ") << along << " of " << rows;
  if (!length.getElementType().isInteger(32) || length.getRank() != (getRow() ? 1 : 0))
    return emitOpError("has lengths ") << length << ", expected i32, one a row";
  if (getCount() && getCount().getType() != length)
    return emitOpError("has counts ") << getCount().getType() << ", expected " << length;
  bool same = static_cast<int64_t>(cache.size()) == rows.getRank();
  for (int64_t dimension = 0; same && dimension < rows.getRank(); ++dimension)
    same = dimension == along || cache[dimension] == rows.getDimSize(dimension);
  if (!same || rows.getElementType() != cast<RankedTensorType>(getCache().getType()).getElementType())
    return emitOpError("has rows ") << rows << " of a cache " << getCache().getType();
  return success();
}

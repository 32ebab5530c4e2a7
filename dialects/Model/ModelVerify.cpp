// Verifiers of the model dialect.
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
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
    SmallVector<int64_t> first(getCounts().size(), 0), second = first;
    second[number] = 1;
    if (count > 1 && getCheckpointName(first) == getCheckpointName(second))
      return emitOpError() << "is a list of " << count << ", but its checkpoint name \"" << getCheckpoint()
                           << "\" has no {" << number << "} to distinguish them";
  }
  static constexpr StringLiteral kinds[] = {"zeros", "ones", "constant", "normal", "uniform"};
  if (!llvm::is_contained(kinds, getInitialiser().getKind().getValue()))
    return emitOpError() << "has unknown initialiser " << getInitialiser().getKind()
                         << ", expected zeros, ones, constant, normal or uniform";
  return success();
}

/// True if `value` is a copy of the f32 parameter in bf16 or f16.
static bool isStoredAs(Type parameter, Type value) {
  auto wide = cast<RankedTensorType>(parameter), stored = cast<RankedTensorType>(value);
  Type element = stored.getElementType();
  return wide.getElementType().isF32() && (element.isBF16() || element.isF16()) && wide.clone(element) == stored;
}

/// Verifies that `model.get` or `model.set` names a parameter of the type of `value`, and an element in its list.
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
             << *constant << " of parameter " << op.getParameter() << ", which has " << count << " entries";
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
  return pairs ? success() : function->emitOpError("has model.state elsewhere than on its last arguments and results");
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
      return op->emitOpError("has two dimensions named ") << dimension.getName();
    if (dimension.getMax() < 1 && dimension.getMax() != -1)
      return op->emitOpError("dimension ")
             << dimension.getName() << " has bound " << dimension.getMax() << ", expected at least 1, or -1 for none";
    if (dimension.getMin() < 0 || (dimension.getMax() >= 0 && dimension.getMin() > dimension.getMax()))
      return op->emitOpError("dimension ") << dimension.getName() << " has minimum size " << dimension.getMin()
                                           << ", expected at least 0 and at most its bound";
  }
  return success();
}

//===-------------------------------------------- training ------------------------------------------------------===//

/// Verifies that the parameter and the states exist, and that the function has the type of Model_StepAttr.
static LogicalResult verifyStep(Operation *op, StepAttr step) {
  auto parameter = SymbolTable::lookupNearestSymbolFrom<ParameterOp>(op, step.getParameter());
  if (!parameter || parameter.getFrozen())
    return op->emitOpError("has a step of ") << step.getParameter() << ", expected a parameter that is not frozen";
  Type scalar = RankedTensorType::get({}, Float32Type::get(op->getContext()));
  SmallVector<Type> inputs = {parameter.getType(), parameter.getType(), scalar}, results = {parameter.getType()};
  for (FlatSymbolRefAttr name : step.getStates()) {
    auto state = SymbolTable::lookupNearestSymbolFrom<ParameterOp>(op, name);
    if (!state || !state.getState() || state.getCounts() != parameter.getCounts())
      return op->emitOpError("has a step of ")
             << step.getParameter() << " with state " << name << ", expected a state with the same list dimensions";
    inputs.push_back(state.getType());
    results.push_back(state.getType());
  }
  auto function = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op, step.getFunction());
  if (!function || !function.getFunctionBody().hasOneBlock() || !llvm::equal(function.getArgumentTypes(), inputs) ||
      !llvm::equal(function.getResultTypes(), results))
    return op->emitOpError("has a step of ")
           << step.getParameter() << " by " << step.getFunction() << ", expected a function with one block of type "
           << FunctionType::get(op->getContext(), inputs, results);
  return success();
}

/// Verifies accumulation over batches: loss and gradients are means over slices of each input, so its shape is
/// required.
static LogicalResult verifyBatches(FunctionOpInterface function, int64_t batches) {
  if (batches < 1)
    return function->emitOpError("minimizes over ") << batches << " batches, expected at least one";
  for (unsigned number = 0; batches > 1 && number < function.getNumArguments(); ++number)
    if (!function.getArgAttr(number, keyAttrName) && !function.getArgAttr(number, shapeAttrName))
      return function->emitOpError("minimizes over ")
             << batches << " batches, but argument " << number << " has no model.shape";
  return success();
}

static LogicalResult verifyMinimize(Operation *op, Attribute value) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto minimize = dyn_cast<MinimizeAttr>(value);
  if (!function || !minimize)
    return op->emitOpError("has model.minimize = ") << value << ", expected #model.minimize on a function";
  auto isScalar = [](Type type) { return isa<RankedTensorType>(type) && cast<RankedTensorType>(type).getRank() == 0; };
  auto isNumber = [&](Type type) { return isScalar(type) && getElementTypeOrSelf(type).isF32(); };
  if (function.getNumResults() == 0 || !llvm::all_of(function.getResultTypes(), isNumber))
    return op->emitOpError("has model.minimize, which belongs on a function whose results are tensor<f32>");
  auto count = SymbolTable::lookupNearestSymbolFrom<ParameterOp>(op, minimize.getCount());
  if (!count || !count.getState() || !isScalar(count.getType()) || !getElementTypeOrSelf(count.getType()).isInteger(32))
    return op->emitOpError("has step count ") << minimize.getCount() << ", expected a state of type tensor<i32>";
  if (!(minimize.getClipNorm().getValueAsDouble() >= 0))
    return op->emitOpError("clips gradients to ") << minimize.getClipNorm() << ", expected at least 0";
  llvm::StringSet<> targets = {minimize.getCount().getValue()};
  for (StepAttr step : minimize.getSteps()) {
    if (failed(verifyStep(op, step)))
      return failure();
    SmallVector<FlatSymbolRefAttr> names = {step.getParameter()};
    llvm::append_range(names, step.getStates());
    for (FlatSymbolRefAttr name : names)
      if (!targets.insert(name.getValue()).second)
        return op->emitOpError("sets ") << name << " twice in a training step";
  }
  return verifyBatches(function, minimize.getBatches());
}

//===-------------------------------------------- position by position ------------------------------------------===//

static LogicalResult verifyDecode(Operation *op, Attribute value) {
  auto decode = dyn_cast<DictionaryAttr>(value);
  auto isNumber = [&](StringRef name, int64_t least, bool isNeeded) {
    Attribute number = decode.get(name);
    return number ? isa<IntegerAttr>(number) && cast<IntegerAttr>(number).getInt() >= least : !isNeeded;
  };
  if (!decode || !decode.getAs<StringAttr>("of") || !isNumber("at_most", 1, true) || !isNumber("stop", 0, false) ||
      !isNumber("beams", 1, false))
    return op->emitOpError("has model.decode = ")
           << value << ", expected {of = \"f\", at_most = 1}, with at least 1 token, and optionally `stop` and `beams`";
  return success();
}

static LogicalResult verifyIncremental(Operation *op, Attribute along) {
  if (!isa<StringAttr>(along))
    return op->emitOpError("has model.incremental = ") << along << ", expected the name of a dimension";
  return success();
}

LogicalResult ModelDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == entryAttrName)
    return verifyEntry(op);
  if (attribute.getName() == dimensionsAttrName)
    return verifyDimensions(op, attribute.getValue());
  if (attribute.getName() == minimizeAttrName)
    return verifyMinimize(op, attribute.getValue());
  if (attribute.getName() == decodeAttrName)
    return verifyDecode(op, attribute.getValue());
  if (attribute.getName() == incrementalAttrName)
    return verifyIncremental(op, attribute.getValue());
  return success();
}

/// Verifies that `model.shape` has one name or number for each dimension, and numbers equal to the static sizes.
static LogicalResult verifyShape(Operation *op, Type type, Attribute value, const Twine &what) {
  auto shape = dyn_cast<ArrayAttr>(value);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!shape || !tensor || !llvm::all_of(shape, llvm::IsaPred<StringAttr>) ||
      static_cast<int64_t>(shape.size()) != tensor.getRank())
    return op->emitOpError() << what << " is " << type << ", but its model.shape is " << value
                             << ", expected one string for each dimension";
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

/// Verifies that `element` has the type of an element of `list`, whose leading dimension is dropped.
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

LogicalResult CallOp::verify() {
  if (getNames().size() != getInputs().size())
    return emitOpError("has ") << getNames().size() << " names for " << getInputs().size() << " operands";
  auto prompt = getInputs().empty() ? RankedTensorType() : cast<RankedTensorType>(getInputs().front().getType());
  if (!prompt || prompt.getRank() != 2)
    return emitOpError() << "has no prompt of rank 2 as first operand";
  for (Type type : getOutputs().getTypes())
    for (auto [dimension, size] : llvm::enumerate(cast<RankedTensorType>(type).getShape()))
      if (dimension > 0 && ShapedType::isDynamic(size))
        return emitOpError() << "has the result " << type << ", expected one dynamic size, that of the prompt's rows";
  return success();
}

LogicalResult EndIfOp::verify() {
  if (cast<RankedTensorType>(getDone().getType()).getRank() != 0)
    return emitOpError("has condition ") << getDone().getType() << ", expected tensor<i32>";
  if ((*this)->getParentOp()->getName().getStringRef() != "scf.for")
    return emitOpError("is not in an scf.for");
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
    return emitOpError("appends along dimension ") << along << " of " << rows;
  if (!length.getElementType().isInteger(32) || length.getRank() != (getRow() ? 1 : 0))
    return emitOpError("has lengths ") << length << ", expected i32, one for each row";
  if (getCount() && getCount().getType() != length)
    return emitOpError("has counts ") << getCount().getType() << ", expected " << length;
  if (bool(getStep()) != bool(getSteps()) || (getStep() && rows.getDimSize(along) != 1))
    return emitOpError("appends a time step of ") << rows << ", expected size 1 along dimension " << along;
  auto table = getTable() ? cast<RankedTensorType>(getTable().getType()) : RankedTensorType();
  if (table && (!table.getElementType().isInteger(32) || table.getRank() != 2 || !getRow() || getRing() || getStep()))
    return emitOpError("has the table ") << table
                                         << ", expected i32, a list of blocks for each row, without ring or step";
  bool same = static_cast<int64_t>(cache.size()) == rows.getRank();
  for (int64_t dimension = 0; same && dimension < rows.getRank(); ++dimension)
    same = dimension == along || (table && dimension == row) || cache[dimension] == rows.getDimSize(dimension);
  if (!same || rows.getElementType() != cast<RankedTensorType>(getCache().getType()).getElementType())
    return emitOpError("has rows ") << rows << " of a cache " << getCache().getType();
  return success();
}

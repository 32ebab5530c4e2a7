#include "compiler/Codegen/Host/ModelTable.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace attnc {

namespace {

/// ATTN_ABI_VERSION, and the numbers of attn_dtype and attn_init.
constexpr int64_t abiVersion = 1;
enum ElementNumber { elementF32, elementI32, elementBool };
enum InitNumber { initConstant, initNormal, initUniform };

int64_t elementNumber(Type type) { return type.isF32() ? elementF32 : type.isInteger(1) ? elementBool : elementI32; }

/// Makes constants of the records of attn/model.h. Each record is a struct of its fields in order.
class TableWriter {
public:
  TableWriter(const Program &program, const EmbeddedWeights &embedded, llvm::Module &module)
      : program(program), embedded(embedded), module(module), context(module.getContext()) {}

  void write();

private:
  const Program &program;
  const EmbeddedWeights &embedded;
  llvm::Module &module;
  llvm::LLVMContext &context;
  using Fields = SmallVector<llvm::Constant *, 16>;

  llvm::Constant *i64(int64_t value) { return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value, true); }
  llvm::Constant *i32(int64_t value) { return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value, true); }
  llvm::Constant *f64(double value) { return llvm::ConstantFP::get(llvm::Type::getDoubleTy(context), value); }
  llvm::Constant *null() { return llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0)); }
  llvm::Constant *function(StringRef symbol) { return module.getFunction(symbol); }
  llvm::Constant *record(ArrayRef<llvm::Constant *> fields) { return llvm::ConstantStruct::getAnon(context, fields); }

  /// A private constant; null for no bytes.
  llvm::Constant *constant(llvm::Constant *value) {
    auto *variable = new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                              llvm::GlobalValue::PrivateLinkage, value, program.prefix + ".table");
    return variable;
  }
  llvm::Constant *array(ArrayRef<llvm::Constant *> elements) {
    if (elements.empty())
      return null();
    return constant(llvm::ConstantArray::get(llvm::ArrayType::get(elements[0]->getType(), elements.size()), elements));
  }
  llvm::Constant *text(StringRef value) {
    llvm::Constant *&known = texts[value];
    if (!known) {
      known = constant(llvm::ConstantDataArray::getString(context, value));
      cast<llvm::GlobalVariable>(known)->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    }
    return known;
  }
  llvm::Constant *numbers(ArrayRef<int64_t> values) {
    SmallVector<llvm::Constant *> elements;
    for (int64_t value : values)
      elements.push_back(i64(value));
    return array(elements);
  }
  llvm::StringMap<llvm::Constant *> texts;

  llvm::Constant *size(const SizeExpr &size);
  llvm::Constant *tensor(EntryPlan &plan, RankedTensorType type, DictionaryAttr attributes, StringRef fallbackName);
  llvm::Constant *entry(EntryPlan plan);
  llvm::Constant *parameter(const LoadedParameter &parameter);
  llvm::Constant *embeddedValues(const LoadedParameter &parameter);
  llvm::Constant *kernel(CompiledKernel kernel);
};

llvm::Constant *TableWriter::size(const SizeExpr &size) {
  Fields terms;
  std::vector<SizeExpr::Product> products = *size.products();
  for (const SizeExpr::Product &product : products) {
    Fields factors;
    for (unsigned symbol : product.symbols)
      factors.push_back(i32(symbol));
    terms.push_back(record({i64(product.coefficient), array(factors), i64(factors.size())}));
  }
  return record({array(terms), i64(terms.size())});
}

llvm::Constant *TableWriter::tensor(EntryPlan &plan, RankedTensorType type, DictionaryAttr attributes,
                                    StringRef fallbackName) {
  auto name = attributes ? attributes.getAs<StringAttr>(model::nameAttrName) : StringAttr();
  auto shape = attributes ? attributes.getAs<ArrayAttr>(model::shapeAttrName) : ArrayAttr();
  Fields sizes;
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension) {
    SizeExpr size = type.isDynamicDim(dimension) ? *declaredSize(shape, dimension, plan.symbols)
                                                 : SizeExpr(type.getDimSize(dimension));
    sizes.push_back(this->size(size));
  }
  return record({text(name ? name.getValue() : fallbackName), array(sizes), i32(elementNumber(type.getElementType())),
                 i32(type.getRank())});
}

llvm::Constant *TableWriter::entry(EntryPlan plan) {
  func::FuncOp function = plan.entry;
  Fields dimensions, tensors;
  auto bounds = function->getAttrOfType<ArrayAttr>(model::dimensionsAttrName);
  for (Attribute attribute : bounds ? bounds.getValue() : ArrayRef<Attribute>()) {
    auto dimension = cast<model::DimensionAttr>(attribute);
    dimensions.push_back(
        record({text(dimension.getName().getValue()), i64(dimension.getMax()), i64(dimension.getMin())}));
  }
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
    tensors.push_back(tensor(plan, cast<RankedTensorType>(type), function.getArgAttrDict(number), "input"));
  for (auto [number, type] : llvm::enumerate(function.getResultTypes()))
    tensors.push_back(tensor(plan, cast<RankedTensorType>(type), function.getResultAttrDict(number), "result"));
  return record({text(function.getName()), this->function(program.runSymbol(plan)),
                 this->function(program.arenaSymbol(plan)), array(dimensions), array(tensors), i32(dimensions.size()),
                 i32(function.getNumArguments()), i32(function.getNumResults()), i32(0)});
}

llvm::Constant *TableWriter::embeddedValues(const LoadedParameter &parameter) {
  if (embedded.empty())
    return null();
  std::string bytes;
  for (int64_t place = parameter.first; place < parameter.first + parameter.count; ++place)
    bytes += embedded[place];
  llvm::Constant *values = constant(llvm::ConstantDataArray::getString(context, bytes, /*AddNull=*/false));
  cast<llvm::GlobalVariable>(values)->setAlignment(llvm::Align(arenaAlignment));
  return values;
}

llvm::Constant *TableWriter::parameter(const LoadedParameter &parameter) {
  model::ParameterOp op = parameter.op;
  auto type = cast<RankedTensorType>(op.getType());
  model::InitialiserAttr init = op.getInitialiser();
  StringRef kind = init.getKind().getValue();
  double a = kind == "ones" ? 1.0 : kind == "zeros" ? 0.0 : init.getA().getValueAsDouble();
  int64_t number = kind == "normal" ? initNormal : kind == "uniform" ? initUniform : initConstant;
  return record({text(op.getSymName()), text(op.getCheckpoint()), numbers(type.getShape()), numbers(op.getCounts()),
                 embeddedValues(parameter), f64(a), f64(init.getB().getValueAsDouble()), i32(number),
                 i32(elementNumber(type.getElementType())), i32(type.getRank()), i32(op.getCounts().size()),
                 i64(parameter.first)});
}

llvm::Constant *TableWriter::kernel(CompiledKernel kernel) {
  Fields phases;
  for (const KernelPhase &phase : kernel.code.phases)
    phases.push_back(function(phase.symbol));
  auto kind = kernel.function->getAttrOfType<StringAttr>(kernelAttrName);
  return record({text(kernel.function.getName()), text(kind.getValue()), array(phases), i64(phases.size())});
}

void TableWriter::write() {
  Fields entries, parameters, kernels;
  for (const EntryPlan &plan : program.entries)
    entries.push_back(entry(plan));
  for (const LoadedParameter &each : program.parameters.loaded)
    parameters.push_back(parameter(each));
  for (const CompiledKernel &each : program.kernels)
    kernels.push_back(kernel(each));
  SmallVector<int64_t> packedBytes;
  for (const PackedParameter &packed : program.parameters.packed)
    packedBytes.append(packed.count, packed.bytes);
  bool prepares = !packedBytes.empty();
  llvm::Constant *table = record(
      {i32(abiVersion), i32(program.cpuLevel), text(program.prefix), text(program.targetName), array(entries),
       array(parameters), array(kernels), numbers(packedBytes), prepares ? function(program.prepareSymbol()) : null(),
       prepares ? function(program.prepareArenaSymbol()) : null(), i64(entries.size()), i64(parameters.size()),
       i64(kernels.size()), i64(program.parameters.loadedCount), i64(program.parameters.packedCount)});
  new llvm::GlobalVariable(module, table->getType(), /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage, table,
                           program.tableSymbol());
}

} // namespace

void addModelTable(const Program &program, const EmbeddedWeights &embedded, llvm::Module &module) {
  TableWriter(program, embedded, module).write();
  llvm::StringSet<llvm::MallocAllocator> exported = {program.prepareSymbol(), program.prepareArenaSymbol()};
  for (const EntryPlan &plan : program.entries) {
    exported.insert(program.runSymbol(plan));
    exported.insert(program.arenaSymbol(plan));
  }
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !exported.contains(function.getName()))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
}

} // namespace attnc

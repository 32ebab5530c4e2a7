#include "compiler/Codegen/Host/ModelTable.h"
#include "compiler/Analysis/SourceLocations.h"
#include "compiler/Codegen/Host/Moves.h"
#include "compiler/Codegen/Target/Abi.h"
#include "compiler/Codegen/Target/ProcessorFeatures.h"
#include "compiler/Sizes/SizeAnalysis.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace attnc {

namespace {

int32_t elementNumber(Type type) {
  std::optional<attn_dtype> dtype = elementTypeOf(type);
  assert(dtype && "checkInterfaces has accepted the entry point");
  return *dtype;
}

/// A field of a record at its offset.
struct Field {
  size_t offset;
  llvm::Constant *value;
};

/// Builds constants of the records of attn/model.h.
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
  using Constants = SmallVector<llvm::Constant *, 16>;

  llvm::Constant *i64(int64_t value) { return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value, true); }
  llvm::Constant *i32(int64_t value) { return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value, true); }
  llvm::Constant *f64(double value) { return llvm::ConstantFP::get(llvm::Type::getDoubleTy(context), value); }
  llvm::Constant *null() { return llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0)); }
  llvm::Constant *function(StringRef symbol) { return module.getFunction(symbol); }
  llvm::Constant *record(size_t size, SmallVector<Field> fields);

  /// Creates a private constant.
  llvm::Constant *constant(llvm::Constant *value) {
    auto *variable = new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                              llvm::GlobalValue::PrivateLinkage, value, program.prefix + ".table");
    return variable;
  }
  /// Returns the address of an array of the elements; null if it is empty.
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
  llvm::Constant *packedWeight(const PackedParameter &packed, int64_t number);
  llvm::Constant *kernelTensor(RankedTensorType type, bool isPacked);
  llvm::Constant *kernel(CompiledKernel kernel);
  llvm::Constant *deviceImage(const DeviceImage &image);
  llvm::Constant *devicePhase(const KernelPhase &phase, int64_t buffers, int64_t sizes);
  llvm::Constant *device();
};

/// Creates a record. Fails if LLVM lays out the fields differently from the runtime's header.
llvm::Constant *TableWriter::record(size_t size, SmallVector<Field> fields) {
  llvm::sort(fields, [](const Field &a, const Field &b) { return a.offset < b.offset; });
  Constants values;
  for (const Field &field : fields)
    values.push_back(field.value);
  llvm::Constant *structure = llvm::ConstantStruct::getAnon(context, values);
  const llvm::StructLayout *layout =
      module.getDataLayout().getStructLayout(cast<llvm::StructType>(structure->getType()));
  bool same = layout->getSizeInBytes() == size;
  for (auto [number, field] : llvm::enumerate(fields))
    same &= layout->getElementOffset(number) == field.offset;
  if (!same)
    llvm::report_fatal_error("a record of the model's table does not have the layout of attn/model.h");
  return structure;
}

llvm::Constant *TableWriter::size(const SizeExpr &size) {
  Constants terms;
  std::vector<SizeExpr::Product> products = *size.products(/*quotients=*/true);
  for (const SizeExpr::Product &product : products) {
    Constants factors, quotients;
    for (unsigned symbol : product.symbols)
      factors.push_back(i32(symbol));
    for (const auto &[dividend, divisor] : product.quotients)
      quotients.push_back(
          record(sizeof(attn_size_quotient), {{offsetof(attn_size_quotient, dividend), this->size(dividend)},
                                              {offsetof(attn_size_quotient, divisor), i64(divisor)}}));
    terms.push_back(
        record(sizeof(attn_size_term), {{offsetof(attn_size_term, coefficient), i64(product.coefficient)},
                                        {offsetof(attn_size_term, factors), array(factors)},
                                        {offsetof(attn_size_term, factor_count), i32(factors.size())},
                                        {offsetof(attn_size_term, quotients), array(quotients)},
                                        {offsetof(attn_size_term, quotient_count), i32(quotients.size())}}));
  }
  return record(sizeof(attn_size_info), {{offsetof(attn_size_info, terms), array(terms)},
                                         {offsetof(attn_size_info, term_count), i64(terms.size())}});
}

llvm::Constant *TableWriter::tensor(EntryPlan &plan, RankedTensorType type, DictionaryAttr attributes,
                                    StringRef fallbackName) {
  auto name = attributes ? attributes.getAs<StringAttr>(model::nameAttrName) : StringAttr();
  auto shape = attributes ? attributes.getAs<ArrayAttr>(model::shapeAttrName) : ArrayAttr();
  Constants sizes;
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension) {
    SizeExpr size = type.isDynamicDim(dimension) ? *declaredSize(shape, dimension, plan.symbols)
                                                 : SizeExpr(type.getDimSize(dimension));
    sizes.push_back(this->size(size));
  }
  return record(sizeof(attn_tensor_info),
                {{offsetof(attn_tensor_info, name), text(name ? name.getValue() : fallbackName)},
                 {offsetof(attn_tensor_info, shape), array(sizes)},
                 {offsetof(attn_tensor_info, dtype), i32(elementNumber(type.getElementType()))},
                 {offsetof(attn_tensor_info, rank), i32(type.getRank())}});
}

llvm::Constant *TableWriter::entry(EntryPlan plan) {
  func::FuncOp function = plan.entry;
  Constants dimensions, tensors;
  unsigned states = model::stateCount(function);
  auto takeBack = function->getAttrOfType<IntegerAttr>(model::takeBackAttrName);
  auto bounds = function->getAttrOfType<ArrayAttr>(model::dimensionsAttrName);
  for (Attribute attribute : bounds ? bounds.getValue() : ArrayRef<Attribute>()) {
    auto dimension = cast<model::DimensionAttr>(attribute);
    dimensions.push_back(record(sizeof(attn_dimension_info),
                                {{offsetof(attn_dimension_info, name), text(dimension.getName().getValue())},
                                 {offsetof(attn_dimension_info, max), i64(dimension.getMax())},
                                 {offsetof(attn_dimension_info, min), i64(dimension.getMin())}}));
  }
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
    tensors.push_back(tensor(plan, cast<RankedTensorType>(type), function.getArgAttrDict(number), "input"));
  for (auto [number, type] : llvm::enumerate(function.getResultTypes().drop_back(states)))
    tensors.push_back(tensor(plan, cast<RankedTensorType>(type), function.getResultAttrDict(number), "result"));
  return record(sizeof(attn_entry_info),
                {{offsetof(attn_entry_info, name), text(function.getName())},
                 {offsetof(attn_entry_info, run), this->function(program.runSymbol(plan))},
                 {offsetof(attn_entry_info, arena_bytes), this->function(program.arenaSymbol(plan))},
                 {offsetof(attn_entry_info, dimensions), array(dimensions)},
                 {offsetof(attn_entry_info, tensors), array(tensors)},
                 {offsetof(attn_entry_info, dimension_count), i32(dimensions.size())},
                 {offsetof(attn_entry_info, input_count), i32(function.getNumArguments())},
                 {offsetof(attn_entry_info, result_count), i32(function.getNumResults() - states)},
                 {offsetof(attn_entry_info, updates), i32(!plan.updates.empty())},
                 {offsetof(attn_entry_info, state_count), i32(states)},
                 {offsetof(attn_entry_info, take_back), i32(takeBack ? takeBack.getInt() : 0)},
                 {offsetof(attn_entry_info, flops), this->function(program.flopsSymbol(plan))}});
}

llvm::Constant *TableWriter::embeddedValues(const LoadedParameter &parameter) {
  if (embedded.empty() || model::ParameterOp(parameter.op).getState())
    return null();
  std::string bytes;
  for (int64_t position = parameter.first; position < parameter.first + parameter.count; ++position)
    bytes += embedded[position];
  llvm::Constant *values = constant(llvm::ConstantDataArray::getString(context, bytes, /*AddNull=*/false));
  cast<llvm::GlobalVariable>(values)->setAlignment(llvm::Align(arenaAlignment));
  cast<llvm::GlobalVariable>(values)->setSection(weightsSection);
  return values;
}

llvm::Constant *TableWriter::parameter(const LoadedParameter &parameter) {
  model::ParameterOp op = parameter.op;
  auto type = cast<RankedTensorType>(op.getType());
  model::InitialiserAttr init = op.getInitialiser();
  StringRef kind = init.getKind().getValue();
  double a = kind == "ones" ? 1.0 : kind == "zeros" ? 0.0 : init.getA().getValueAsDouble();
  int32_t number = kind == "normal" ? ATTN_INIT_NORMAL : kind == "uniform" ? ATTN_INIT_UNIFORM : ATTN_INIT_CONSTANT;
  return record(sizeof(attn_parameter_info),
                {{offsetof(attn_parameter_info, name), text(op.getSymName())},
                 {offsetof(attn_parameter_info, checkpoint), text(op.getCheckpoint())},
                 {offsetof(attn_parameter_info, shape), numbers(type.getShape())},
                 {offsetof(attn_parameter_info, counts), numbers(op.getCounts())},
                 {offsetof(attn_parameter_info, embedded), embeddedValues(parameter)},
                 {offsetof(attn_parameter_info, init_a), f64(a)},
                 {offsetof(attn_parameter_info, init_b), f64(init.getB().getValueAsDouble())},
                 {offsetof(attn_parameter_info, init), i32(number)},
                 {offsetof(attn_parameter_info, dtype), i32(elementNumber(type.getElementType()))},
                 {offsetof(attn_parameter_info, rank), i32(type.getRank())},
                 {offsetof(attn_parameter_info, list_rank), i32(op.getCounts().size())},
                 {offsetof(attn_parameter_info, first), i64(parameter.first)},
                 {offsetof(attn_parameter_info, state), i32(op.getState())},
                 {offsetof(attn_parameter_info, unread), i32(!parameter.isRead)}});
}

llvm::Constant *TableWriter::kernelTensor(RankedTensorType type, bool isPacked) {
  SmallVector<int64_t> shape;
  for (int64_t size : type.getShape())
    shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
  int32_t element = isPacked ? ATTN_PACKED_WEIGHT : elementNumber(type.getElementType());
  return record(sizeof(attn_kernel_tensor), {{offsetof(attn_kernel_tensor, shape), numbers(shape)},
                                             {offsetof(attn_kernel_tensor, dtype), i32(element)},
                                             {offsetof(attn_kernel_tensor, rank), i32(type.getRank())}});
}

/// Returns the source locations of the ops of a kernel, without directories, so that an object does not depend on the
/// model's folder.
static std::string sourceLocations(func::FuncOp kernel) {
  SmallVector<std::string> sources;
  auto add = [&](Location location) {
    for (const std::string &path : placesOf(location))
      if (std::string source = llvm::sys::path::filename(path).str(); !llvm::is_contained(sources, source))
        sources.push_back(source);
  };
  kernel.walk([&](Operation *op) {
    if (isa<linalg::LinalgOp>(op) || op->getDialect()->getNamespace() == attn::AttnDialect::getDialectNamespace())
      add(op->getLoc());
  });
  if (sources.empty())
    add(kernel.getLoc());
  return llvm::join(sources, ", ");
}

llvm::Constant *TableWriter::kernel(CompiledKernel kernel) {
  func::FuncOp function = kernel.function;
  Constants phases, tensors;
  for (const KernelPhase &phase : kernel.code.phases)
    phases.push_back(this->function(phase.symbol));
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      tensors.push_back(kernelTensor(tensor, bool(function.getArgAttr(number, packedAttrName))));
  size_t operands = tensors.size();
  for (Type type : function.getResultTypes())
    tensors.push_back(kernelTensor(cast<RankedTensorType>(type), /*isPacked=*/false));
  auto kind = function->getAttrOfType<StringAttr>(kernelAttrName);
  return record(sizeof(attn_kernel_info), {{offsetof(attn_kernel_info, name), text(function.getName())},
                                           {offsetof(attn_kernel_info, kind), text(kind.getValue())},
                                           {offsetof(attn_kernel_info, places), text(sourceLocations(function))},
                                           {offsetof(attn_kernel_info, phases), array(phases)},
                                           {offsetof(attn_kernel_info, tensors), array(tensors)},
                                           {offsetof(attn_kernel_info, phase_count), i64(phases.size())},
                                           {offsetof(attn_kernel_info, operand_count), i32(operands)},
                                           {offsetof(attn_kernel_info, result_count), i32(tensors.size() - operands)}});
}

llvm::Constant *TableWriter::deviceImage(const DeviceImage &image) {
  return record(sizeof(attn_device_image), {{offsetof(attn_device_image, target), text(image.architecture)},
                                            {offsetof(attn_device_image, ptx), text(image.ptx)}});
}

llvm::Constant *TableWriter::devicePhase(const KernelPhase &phase, int64_t buffers, int64_t sizes) {
  uint64_t images = 0;
  for (auto [number, image] : llvm::enumerate(program.images))
    images |= uint64_t(hasForm(image.architecture, phase.form)) << number;
  return record(sizeof(attn_device_phase), {{offsetof(attn_device_phase, phase), function(phase.symbol)},
                                            {offsetof(attn_device_phase, name), text(phase.symbol)},
                                            {offsetof(attn_device_phase, threads), i32(phase.threads)},
                                            {offsetof(attn_device_phase, buffer_count), i32(buffers)},
                                            {offsetof(attn_device_phase, size_count), i32(sizes)},
                                            {offsetof(attn_device_phase, block_bytes), i32(phase.blockBytes)},
                                            {offsetof(attn_device_phase, images), i64(images)}});
}

llvm::Constant *TableWriter::device() {
  if (program.images.empty())
    return null();
  Constants images, phases;
  for (const DeviceImage &image : program.images)
    images.push_back(deviceImage(image));
  for (const CompiledKernel &kernel : program.kernels) {
    func::FuncOp function = kernel.function;
    int64_t buffers = 0, sizes = 0;
    auto count = [&](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      buffers += tensor ? 1 : 0;
      sizes += tensor ? tensor.getNumDynamicDims() : 1;
    };
    llvm::for_each(function.getArgumentTypes(), count);
    llvm::for_each(function.getResultTypes(), count);
    for (const KernelPhase &phase : kernel.code.phases)
      phases.push_back(devicePhase(phase, buffers, sizes));
  }
  for (const MovePhase &move : program.moves)
    phases.push_back(devicePhase(move.phase, move.buffers, move.sizes));
  return constant(record(sizeof(attn_device_code), {{offsetof(attn_device_code, images), array(images)},
                                                    {offsetof(attn_device_code, image_count), i64(images.size())},
                                                    {offsetof(attn_device_code, phases), array(phases)},
                                                    {offsetof(attn_device_code, phase_count), i64(phases.size())},
                                                    {offsetof(attn_device_code, fetch), function(fetchSymbol)}}));
}

/// Returns the record of a packed copy of element `number` of a list of parameters.
llvm::Constant *TableWriter::packedWeight(const PackedParameter &packed, int64_t number) {
  return record(sizeof(attn_packed_info),
                {{offsetof(attn_packed_info, bytes), i64(packed.bytes)},
                 {offsetof(attn_packed_info, source), i64(program.parameters.loaded[packed.parameter].first + number)},
                 {offsetof(attn_packed_info, layout), text(packed.layout())}});
}

/// Returns a hash of the code: the module before the table is added, and the device images.
static std::string identityOf(const llvm::Module &module, ArrayRef<DeviceImage> images) {
  SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  for (const DeviceImage &image : images)
    stream << image.ptx;
  ArrayRef bytes(reinterpret_cast<const uint8_t *>(bitcode.data()), bitcode.size());
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(bytes);
  return llvm::utohexstr(hash.high64, /*LowerCase=*/true, 16) + llvm::utohexstr(hash.low64, /*LowerCase=*/true, 16);
}

void TableWriter::write() {
  std::string identity = identityOf(module, program.images);
  Constants entries, parameters, kernels, packed;
  for (const EntryPlan &plan : program.entries)
    entries.push_back(entry(plan));
  for (const LoadedParameter &each : program.parameters.loaded)
    parameters.push_back(parameter(each));
  for (const CompiledKernel &each : program.kernels)
    kernels.push_back(kernel(each));
  for (const PackedParameter &each : program.parameters.packed)
    for (int64_t number = 0; number < each.count; ++number)
      packed.push_back(packedWeight(each, number));
  bool prepares = !packed.empty();
  llvm::Constant *table =
      record(sizeof(attn_model),
             {{offsetof(attn_model, abi_version), i32(ATTN_ABI_VERSION)},
              {offsetof(attn_model, name), text(program.prefix)},
              {offsetof(attn_model, target), text(program.targetName)},
              {offsetof(attn_model, identity), text(identity)},
              {offsetof(attn_model, entries), array(entries)},
              {offsetof(attn_model, parameters), array(parameters)},
              {offsetof(attn_model, kernels), array(kernels)},
              {offsetof(attn_model, packed), array(packed)},
              {offsetof(attn_model, prepare), prepares ? function(program.prepareSymbol()) : null()},
              {offsetof(attn_model, prepare_arena_bytes), prepares ? function(program.prepareArenaSymbol()) : null()},
              {offsetof(attn_model, entry_count), i64(entries.size())},
              {offsetof(attn_model, parameter_count), i64(parameters.size())},
              {offsetof(attn_model, kernel_count), i64(kernels.size())},
              {offsetof(attn_model, loaded_count), i64(program.parameters.loadedCount)},
              {offsetof(attn_model, packed_count), i64(program.parameters.packedCount)},
              {offsetof(attn_model, device), device()},
              {offsetof(attn_model, features), i64(static_cast<int64_t>(program.features))}});
  new llvm::GlobalVariable(module, table->getType(), /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage, table,
                           program.tableSymbol());
}

} // namespace

llvm::Expected<EmbeddedWeights> embeddedWeights(const ParameterTable &parameters, StringRef section) {
  if (section.empty())
    return EmbeddedWeights();
  EmbeddedWeights weights(parameters.loadedCount);
  uint64_t end = 0;
  for (const LoadedParameter &parameter : parameters.loaded) {
    model::ParameterOp op = parameter.op;
    if (op.getState())
      continue;
    auto type = cast<RankedTensorType>(op.getType());
    uint64_t bytes = type.getNumElements() * elementBytes(type.getElementType());
    end = llvm::alignTo(end, arenaAlignment);
    for (int64_t position = 0; position < parameter.count; ++position, end += bytes) {
      if (end > section.size() || bytes > section.size() - end)
        return llvm::createStringError("has " + Twine(section.size()) + " bytes, which end within parameter '" +
                                       op.getSymName() + "'");
      weights[parameter.first + position] = section.substr(end, bytes);
    }
  }
  if (end != section.size())
    return llvm::createStringError("has " + Twine(section.size()) + " bytes, and the parameters take " + Twine(end));
  return weights;
}

void addModelTable(const Program &program, const EmbeddedWeights &embedded, const Target &host, llvm::Module &module) {
  TableWriter(program, embedded, module).write();
  llvm::StringSet<llvm::MallocAllocator> exported = {program.prepareSymbol(), program.prepareArenaSymbol()};
  for (const EntryPlan &plan : program.entries) {
    exported.insert(program.runSymbol(plan));
    exported.insert(program.arenaSymbol(plan));
  }
  // Programs may call these functions before the runtime has checked the processor's features.
  llvm::SmallVector<std::string> sizes = {program.prepareArenaSymbol()};
  for (const EntryPlan &plan : program.entries)
    sizes.append({program.arenaSymbol(plan), program.flopsSymbol(plan)});
  std::string withoutFeatures = disabledFeatures(host);
  for (const std::string &symbol : sizes)
    if (llvm::Function *function = module.getFunction(symbol)) {
      function->addFnAttr("target-cpu", host.architecture().baseline);
      function->addFnAttr("target-features", withoutFeatures);
    }
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !exported.contains(function.getName()))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
}

} // namespace attnc

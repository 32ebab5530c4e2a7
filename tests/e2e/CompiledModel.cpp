#include "tests/e2e/CompiledModel.h"
#include "compiler/ElementTypes/ElementTable.h"
#include "compiler/Emit/Record.h"
#include "compiler/Pipeline/DeviceImages.h"
#include "tests/e2e/Subject.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc::e2e {

//===-------------------------------------------- compilation ---------------------------------------------------===//

bool CompiledModel::compileTo(std::optional<Phase> phase, std::unique_ptr<Compilation> &made,
                              std::vector<Override> overrides) const {
  made = std::make_unique<Compilation>();
  CompileOptions toPhase = options;
  toPhase.dump = phase;
  if (phase) // the overrides of the options concern kernels
    toPhase.overrides = std::move(overrides);
  llvm::raw_string_ostream messages(message_);
  outcome = compile(toPhase, *made, messages);
  if (outcome != Outcome::Done)
    return false;
  message_.clear(); // removes warnings
  return true;
}

static CompileOptions optionsOf(const std::string &path,
                                const std::vector<std::pair<std::string, std::string>> &settings,
                                const std::string &target, const std::string &emitter,
                                const std::vector<std::string> &entries) {
  CompileOptions options;
  options.input = path;
  options.entries = entries;
  options.target = target;
  options.emitter = emitterPreferenceNamed(emitter).value();
  options.settings = settings;
  options.reproducerDirectory = "";
  return options;
}

CompiledModel::CompiledModel(const std::string &path, const std::vector<std::pair<std::string, std::string>> &settings,
                             const std::string &target, const std::string &emitter,
                             const std::vector<std::string> &entries)
    : CompiledModel(optionsOf(path, settings, target, emitter, entries)) {}

CompiledModel::CompiledModel(CompileOptions given) : options(std::move(given)) {
  if (compileTo(Phase::Derive, import) && compileTo(std::nullopt, whole) && load(whole->program.prefix) && loadDevice())
    drawParameters();
}

mlir::ModuleOp CompiledModel::fused() const {
  if (!fusion)
    fusion = llvm::cantFail(readModule(whole->record, whole->context)).module;
  return *fusion;
}

mlir::ModuleOp CompiledModel::unfused() const {
  if (!refusal)
    compileTo(Phase::Fuse, refusal, {{"model", "fusion", "none"}});
  return *refusal->module;
}

CompiledModel::~CompiledModel() { attn_weights_free(weights); }

const CompiledModel &compiledModel(const std::string &file,
                                   const std::vector<std::pair<std::string, std::string>> &settings,
                                   const std::string &target, const std::string &emitter,
                                   const std::vector<std::string> &entries) {
  using Key = std::tuple<std::string, std::vector<std::pair<std::string, std::string>>, std::string, std::string,
                         std::vector<std::string>>;
  static std::map<Key, std::unique_ptr<CompiledModel>> models;
  std::unique_ptr<CompiledModel> &model = models[{file, settings, target, emitter, entries}];
  if (!model)
    model = std::make_unique<CompiledModel>(ATTNC_ROOT + (file.starts_with("/") ? file : "/tests/e2e/models/" + file),
                                            settings, target, emitter, entries);
  return *model;
}

/// Loads the images of the device, and runs their phases here.
bool CompiledModel::loadDevice() {
  if (!model->device)
    return true;
  Target image = llvm::cantFail(Target::resolve(options.target)).image(model->device->images[0].target);
  mlir::FailureOr<LlvmCode> code = optimisedForImage(image, *whole);
  if (failed(code))
    return message_ = "the first image can't be made again", false;
  device = std::make_unique<DeviceExecutor>(std::move(code->context), std::move(code->module));
  message_ = device->message();
  return bool(*device);
}

bool CompiledModel::load(const std::string &prefix) {
  auto fail = [&](llvm::Error error) { return message_ = llvm::toString(std::move(error)), false; };
  auto made = llvm::orc::LLJITBuilder().create();
  if (!made)
    return fail(made.takeError());
  jit = std::move(*made);
  llvm::StringRef bytes(whole->object.data(), whole->object.size());
  if (auto error = jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(bytes, prefix)))
    return fail(std::move(error));
  auto address = jit->lookup(prefix + "_model");
  if (!address)
    return fail(address.takeError());
  model = address->toPtr<const attn_model *>();
  return true;
}

const attn_entry_info *CompiledModel::entry(const std::string &name) const {
  for (int64_t number = 0; number < model->entry_count; ++number)
    if (name == model->entries[number].name)
      return &model->entries[number];
  return nullptr;
}

//===-------------------------------------------- parameters ----------------------------------------------------===//

static float drawFor(const attn_parameter_info &parameter, Random &random) {
  double noise = random.uniform(-1, 1);
  if (parameter.state) // a state: counts and means of squares are nonnegative
    return static_cast<float>(parameter.dtype == ATTN_I32 ? 3 : parameter.init_a + 0.25 + 0.125 * noise);
  switch (parameter.init) {
  case ATTN_INIT_CONSTANT:
    return static_cast<float>(parameter.init_a + 0.25 * noise);
  case ATTN_INIT_NORMAL: // wider than most initial values, so that every weight affects the result
    return static_cast<float>(parameter.init_a + 4 * parameter.init_b * noise);
  default:
    return static_cast<float>(parameter.init_a + (parameter.init_b - parameter.init_a) * (noise + 1) / 2);
  }
}

void CompiledModel::drawParameters() {
  std::vector<const void *> table(model->loaded_count);
  for (int64_t number = 0; number < model->parameter_count; ++number) {
    const attn_parameter_info &parameter = model->parameters[number];
    llvm::ArrayRef<int64_t> shape(parameter.shape, parameter.rank);
    int64_t entries = reference::elementsOf({parameter.counts, static_cast<size_t>(parameter.list_rank)});
    for (int64_t entry = 0; entry < entries; ++entry) {
      std::string name(attn_parameter_name(&parameter, entry, nullptr, 0), '\0');
      attn_parameter_name(&parameter, entry, name.data(), name.size() + 1);
      Random random(name);
      std::vector<double> drawn(reference::elementsOf(shape));
      for (double &value : drawn)
        value = drawFor(parameter, random);
      names.emplace_back(name, parameter.dtype);
      Placement placement = everyPlacement[storage.size() % std::size(everyPlacement)];
      int64_t alignment = device ? ATTN_DEVICE_ALIGNMENT : 4;
      table[parameter.first + entry] = storage.emplace_back(drawn.size() * 4, placement, alignment).data();
      bool isReal = parameter.dtype == ATTN_F32;
      values[name] = reference::Array(isReal ? reference::Element::F32 : reference::Element::I32, shape, drawn);
    }
  }
  writeParameters();
  attn_status status = {};
  if (attn_weights_from_table(model, table.data(), attn_serial_executor(), &weights, &status) != ATTN_OK)
    message_ = status.message;
}

//===-------------------------------------------- calls ---------------------------------------------------------===//

std::vector<int64_t> shapeOf(const attn_tensor_info &tensor, const std::vector<int64_t> &dimensions) {
  std::vector<int64_t> shape;
  for (int32_t number = 0; number < tensor.rank; ++number)
    shape.push_back(attn_size(&tensor.shape[number], dimensions.data()));
  return shape;
}

const attn_tensor_info &resultInfo(const attn_entry_info &entry, size_t number) {
  bool isState = number >= size_t(entry.result_count);
  return entry.tensors[isState ? entry.input_count - entry.state_count + number - entry.result_count
                               : entry.input_count + number];
}

template <typename T> static T load(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

double elementAt(const std::vector<char> &bytes, int32_t dtype, size_t place) {
  const char *from = bytes.data() + attn_element_bytes(dtype) * static_cast<int64_t>(place);
  switch (dtype) {
  case ATTN_F32:
    return load<float>(from);
  case ATTN_BF16:
    return std::bit_cast<float>(uint32_t(load<uint16_t>(from)) << 16);
  case ATTN_F16:
    return static_cast<double>(load<_Float16>(from));
  case ATTN_BOOL:
    return *from;
  default:
    return load<int32_t>(from);
  }
}

template <typename T> static void store(char *to, T value) { std::memcpy(to, &value, sizeof value); }

static void write(const reference::Array &array, int32_t dtype, char *to) {
  for (double value : array.values) {
    switch (dtype) {
    case ATTN_F32:
      store(to, static_cast<float>(value));
      break;
    case ATTN_BF16:
    case ATTN_F16:
      store(to, static_cast<uint16_t>(narrowBits(*narrowFormat(attn_dtype(dtype)), value)));
      break;
    case ATTN_BOOL:
      store(to, static_cast<char>(value));
      break;
    default:
      store(to, static_cast<int32_t>(value));
    }
    to += attn_element_bytes(dtype);
  }
}

void CompiledModel::writeParameters() const {
  for (auto [bytes, name] : llvm::zip_equal(storage, names))
    write(values.at(name.first), name.second, bytes.data());
}

namespace {

/// A pool that records the largest number of chunks per phase and gives each worker scratch of its own.
struct CountingPool {
  CountingPool(int64_t workers, Placement placement) : placement(placement) {
    attn_pool_create(workers, &pool, nullptr);
    executor = {runAndCount, this, attn_pool_executor(pool)->workers};
  }
  ~CountingPool() { attn_pool_destroy(pool); }

  static void runAndCount(void *self, attn_kernel_fn phase, const attn_kernel_args *args, int64_t chunks, char *,
                          int64_t bytes) {
    auto *counting = static_cast<CountingPool *>(self);
    int64_t &most = counting->most[phase];
    most = std::max(most, chunks);
    const attn_executor *inner = attn_pool_executor(counting->pool);
    GuardedBuffer &scratch = counting->scratch[bytes];
    if (!scratch.data())
      scratch = GuardedBuffer(bytes, counting->placement, ATTN_ALIGNMENT, inner->workers);
    inner->parallel_for(inner->self, phase, args, chunks, scratch.data(), scratch.stride());
  }

  attn_pool *pool = nullptr;
  attn_executor executor;
  Placement placement;
  std::map<int64_t, GuardedBuffer> scratch; ///< scratch of all workers, keyed by bytes per worker
  std::map<attn_kernel_fn, int64_t> most;
};

/// Runs the phases of a device in host memory.
struct DeviceLauncher {
  DeviceLauncher(const attn_device_code *code, DeviceExecutor *device, int64_t workers)
      : code(code), device(device), order(static_cast<Order>(workers - 1)), executor{launch, this, 1} {}

  static void launch(void *self, attn_kernel_fn function, const attn_kernel_args *args, int64_t chunks, char *,
                     int64_t) {
    auto *launcher = static_cast<DeviceLauncher *>(self);
    if (function == launcher->code->fetch) {
      std::memcpy(args->shared, args->buffers[0], sizeof(int32_t));
      *args->status = launcher->answer();
      return;
    }
    auto *phase = launcher->code->phases;
    while (phase->phase != function)
      ++phase;
    if (!(phase->images & 1))
      return;
    auto word = [](const void *pointer) { return reinterpret_cast<uint64_t>(pointer); };
    std::vector<uint64_t> parameters;
    for (int32_t number = 0; number < phase->buffer_count; ++number)
      parameters.push_back(word(args->buffers[number]));
    parameters.insert(parameters.end(), args->sizes, args->sizes + phase->size_count);
    parameters.insert(parameters.end(), {word(args->shared), word(launcher->status)});
    launcher->fault +=
        launcher->device->run({phase->name, chunks, phase->threads, parameters, phase->block_bytes}, launcher->order);
  }

  int32_t answer() const { return status[1] ? status[1] : status[0]; }

  const attn_device_code *code;
  DeviceExecutor *device;
  Order order;
  int32_t status[2] = {};
  attn_executor executor;
  std::string fault;
};

} // namespace

CallResults CompiledModel::call(const attn_entry_info &entry, const std::vector<reference::Array> &inputs,
                                const std::vector<int64_t> &dimensions, const CallOptions &options) const {
  std::vector<GuardedBuffer> buffers;
  std::vector<void *> pointers;
  std::vector<int64_t> sizes;
  for (int32_t number = 0; number < entry.input_count + entry.result_count; ++number) {
    const attn_tensor_info &tensor = entry.tensors[number];
    sizes.push_back(reference::elementsOf(shapeOf(tensor, dimensions)) * attn_element_bytes(tensor.dtype));
    buffers.emplace_back(sizes.back(), options.placement,
                         device ? ATTN_DEVICE_ALIGNMENT : attn_element_bytes(tensor.dtype));
    pointers.push_back(buffers.back().data());
    if (number < entry.input_count)
      write(inputs[number], tensor.dtype, buffers.back().data());
  }
  CountingPool pool(options.workers, options.placement);
  DeviceLauncher launcher(model->device, device.get(), options.workers);
  const attn_executor &executor = device ? launcher.executor : pool.executor;
  GuardedBuffer arena(std::max<int64_t>(entry.arena_bytes(dimensions.data(), executor.workers), 0), options.placement,
                      ATTN_ALIGNMENT);
  attn_frame frame = {pointers.data(), dimensions.data(), attn_weights_table(weights),
                      options.arena ? options.arena : arena.data(), &executor};
  CallResults results{entry.run(&frame), {}};
  if (results.status == ATTN_OK)
    results.status = launcher.answer();
  message_ = launcher.fault;
  if (entry.updates) {
    for (const GuardedBuffer &parameter : storage)
      results.parameters.emplace_back(parameter.data(), parameter.data() + parameter.size());
    writeParameters();
  }
  for (int64_t kernel = 0; options.chunks && kernel < model->kernel_count; ++kernel)
    for (int64_t phase = 0; phase < model->kernels[kernel].phase_count; ++phase)
      if (auto found = pool.most.find(model->kernels[kernel].phases[phase]); found != pool.most.end()) {
        int64_t &most = (*options.chunks)[model->kernels[kernel].name];
        most = std::max(most, found->second);
      }
  for (int32_t number = entry.input_count; number < entry.input_count + entry.result_count; ++number) {
    auto *start = static_cast<const char *>(pointers[number]);
    results.bytes.emplace_back(start, start + sizes[number]);
  }
  for (int32_t number = entry.input_count - entry.state_count; number < entry.input_count; ++number) {
    auto *start = static_cast<const char *>(pointers[number]);
    results.bytes.emplace_back(start, start + sizes[number]);
  }
  return results;
}

} // namespace attnc::e2e

#include "compiler/Emit/Header.h"
#include "compiler/Derive/Incremental/ResumedNames.h"
#include "compiler/Emit/Signature.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <fmt/format.h>

using namespace mlir;

namespace attnc {

namespace {

bool isReserved(llvm::StringRef name) {
  static const llvm::StringSet<llvm::MallocAllocator> words = {
      "alignas",     "alignof",       "and",         "and_eq",     "asm",          "auto",
      "bitand",      "bitor",         "bool",        "break",      "case",         "catch",
      "char",        "char16_t",      "char32_t",    "char8_t",    "class",        "compl",
      "concept",     "const",         "consteval",   "constexpr",  "constinit",    "continue",
      "decltype",    "default",       "delete",      "do",         "double",       "else",
      "enum",        "explicit",      "export",      "extern",     "false",        "float",
      "for",         "friend",        "goto",        "if",         "inline",       "int",
      "long",        "mutable",       "namespace",   "new",        "noexcept",     "not",
      "not_eq",      "nullptr",       "operator",    "or",         "or_eq",        "private",
      "protected",   "public",        "register",    "requires",   "restrict",     "return",
      "short",       "signed",        "sizeof",      "static",     "struct",       "switch",
      "template",    "this",          "throw",       "true",       "try",          "typedef",
      "typeid",      "typename",      "typeof",      "union",      "unsigned",     "using",
      "virtual",     "void",          "volatile",    "wchar_t",    "while",        "xor",
      "xor_eq",      "float_t",       "double_t",    "linux",      "unix",         "NULL",
      "co_await",    "co_return",     "co_yield",    "const_cast", "dynamic_cast", "reinterpret_cast",
      "static_cast", "static_assert", "thread_local"};
  return words.contains(name);
}

/// Whether included headers use the name for a type, a function or a macro.
bool isUsedByHeaders(llvm::StringRef name, llvm::StringRef prefix) {
  return name.starts_with_insensitive("attn_") || name.starts_with("_") || name.ends_with("_t") ||
         name.ends_with("_MAX") || name.ends_with("_MIN") || (name.consume_front(prefix) && name.starts_with("_"));
}

/// Makes the names of one function unique.
class Names {
public:
  explicit Names(llvm::StringRef prefix) : prefix(prefix) {}
  std::string claim(llvm::StringRef proposed) {
    // No other name ends in an underscore.
    std::string name = proposed.str() + (isReserved(proposed) || isUsedByHeaders(proposed, prefix) ? "_" : "");
    while (!used.insert(name).second)
      name += "_";
    return name;
  }

private:
  llvm::StringRef prefix;
  llvm::StringSet<llvm::MallocAllocator> used = {"context", "cuda", "status", "workers", "tensors", "dimensions"};
};

std::string rangeText(const SignatureDimension &dimension) {
  return dimension.max < 0 ? fmt::format("{} or more", dimension.min)
                           : fmt::format("{} to {}", dimension.min, dimension.max);
}

/// Argument of functions that compute on a device.
constexpr const char *deviceArgument = "attn_cuda *cuda";

/// Arguments separated by commas, broken before column 120.
std::string argumentList(const std::string &head, const std::vector<std::string> &arguments) {
  std::string text = head, line = head;
  for (const auto &[position, argument] : llvm::enumerate(arguments)) {
    std::string piece = argument + (position + 1 < arguments.size() ? "," : ")");
    if (line.size() + piece.size() + 1 > 118) {
      text += "\n" + std::string(head.size(), ' ');
      line = std::string(head.size(), ' ');
    } else if (position) {
      text += " ";
      line += " ";
    }
    text += piece;
    line += piece;
  }
  return text;
}

/// The model's comment as the start of a C comment; text that would end or nest it is replaced.
std::string docText(llvm::StringRef doc) {
  std::string lines, text;
  if (doc = doc.trim(); !doc.empty())
    for (llvm::StringRef line : llvm::split(doc, '\n'))
      lines += (line.trim() + "\n * ").str();
  for (char each : lines) {
    bool isMark = !text.empty() && ((text.back() == '*' && each == '/') || (text.back() == '/' && each == '*'));
    if (isMark)
      text += ' ';
    text += each;
  }
  return text;
}

class HeaderWriter {
public:
  HeaderWriter(const Program &program) : program(program) {}
  std::string write(llvm::StringRef source);

private:
  const Program &program;
  std::string text;

  template <typename... Arguments> void line(fmt::format_string<Arguments...> format, Arguments &&...arguments) {
    text += fmt::format(format, std::forward<Arguments>(arguments)...) + "\n";
  }
  bool hasDevice() const { return !program.images.empty(); }
  void writeEntry(const EntryPlan &plan, size_t number);
  void writeStates(const Signature &signature, size_t number);
  void writeTruncate(const Signature &signature, size_t number);
  void writeReorder(const Signature &signature, size_t number);
  void writeTensor(size_t position, const std::string &name, const SignatureTensor &tensor,
                   const std::vector<std::string> &dimensions);
  void writeArenaBytes(const EntryPlan &plan, const Signature &signature, size_t number,
                       const std::vector<std::string> &dimensions);
  void writeComment(const Signature &signature, const std::vector<std::string> &dimensions,
                    const std::vector<std::string> &tensors);
};

void HeaderWriter::writeArenaBytes(const EntryPlan &plan, const Signature &signature, size_t number,
                                   const std::vector<std::string> &dimensions) {
  line("/* Bytes of arena that {}_{} needs with `workers` threads, or -1 if a dimension is out of range:",
       program.prefix, signature.name);
  line(" *   {} */", plan.arenaBytes.text(plan.symbols));
  std::vector<std::string> arguments;
  for (const std::string &name : dimensions)
    arguments.push_back("int64_t " + name);
  arguments.push_back("int64_t workers");
  line("{} {{", argumentList(fmt::format("static inline int64_t {}_{}_arena_bytes(", program.prefix, signature.name),
                             arguments));
  line("  const int64_t dimensions[{}] = {{{}}};", std::max<size_t>(1, dimensions.size()),
       dimensions.empty() ? "0" : llvm::join(dimensions, ", "));
  line("  return {}_model.entries[{}].arena_bytes(dimensions, workers);", program.prefix, number);
  line("}}\n");
}

void HeaderWriter::writeComment(const Signature &signature, const std::vector<std::string> &dimensions,
                                const std::vector<std::string> &tensors) {
  size_t width = 8;
  for (const std::string &name : tensors)
    width = std::max(width, name.size());
  line("/* {}Runs entry point `{}`. Tensors are dense, row-major, and do not overlap.", docText(signature.doc),
       signature.name);
  for (const auto &[name, dimension] : llvm::zip(dimensions, signature.dimensions))
    line(" *   {:<{}}  {}", name, width, rangeText(dimension));
  for (const auto &[name, tensor] : llvm::zip(tensors, signature.tensors))
    line(" *   {:<{}}  {}, {}", name, width, tensor.text(),
         tensor.isResult  ? "written"
         : tensor.isState ? "stored between calls: read and updated"
                          : "read");
  line(" * Returns ATTN_OK, or an error code and, in `status` if it is not null, a message. */");
}

void HeaderWriter::writeEntry(const EntryPlan &plan, size_t number) {
  Signature signature = signatureOf(plan);
  Names names(program.prefix);
  std::vector<std::string> dimensions, tensors,
      arguments = {hasDevice() ? deviceArgument : "const attn_context *context"};
  for (const SignatureDimension &dimension : signature.dimensions)
    arguments.push_back("int64_t " + dimensions.emplace_back(names.claim(dimension.name)));
  for (const SignatureTensor &tensor : signature.tensors)
    arguments.push_back(fmt::format("{}{} *{}", tensor.isResult || tensor.isState ? "" : "const ",
                                    elementTypeInC(tensor.element), tensors.emplace_back(names.claim(tensor.name))));
  arguments.push_back("attn_status *status");

  if (!hasDevice()) // a device manages the arena itself
    writeArenaBytes(plan, signature, number, dimensions);
  writeComment(signature, dimensions, tensors);
  line("{} {{", argumentList(fmt::format("static inline attn_code {}_{}(", program.prefix, signature.name), arguments));
  line("  attn_tensor tensors[{}];", tensors.size());
  for (const auto &[position, name, tensor] : llvm::enumerate(tensors, signature.tensors))
    writeTensor(position, name, tensor, dimensions);
  if (hasDevice())
    line("  return attn_cuda_run(cuda, {}, tensors, {}, status);", number, tensors.size());
  else
    line("  return attn_run(&{}_model, {}, context, tensors, {}, status);", program.prefix, number, tensors.size());
  line("}}\n");
  writeStates(signature, number);
}

void HeaderWriter::writeTensor(size_t position, const std::string &name, const SignatureTensor &tensor,
                               const std::vector<std::string> &dimensions) {
  line("  tensors[{}].data = (void *){};", position, name);
  line("  tensors[{}].dtype = {};", position, elementTypeEnumerator(tensor.element));
  line("  tensors[{}].rank = {};", position, tensor.shape.size());
  for (const auto &[axis, size] : llvm::enumerate(tensor.shape))
    line("  tensors[{}].shape[{}] = {};", position, axis, size.text(dimensions));
}

void HeaderWriter::writeTruncate(const Signature &signature, size_t number) {
  std::vector<std::string> arguments = {"int32_t *length", "const int32_t *to", "attn_status *status"};
  std::string rows = "1", row = "The row keeps its first *to";
  if (signature.rows) {
    Names names(program.prefix);
    names.claim("length");
    names.claim("to");
    rows = names.claim(signature.dimensions[*signature.rows].name);
    row = "Row b keeps its first to[b]";
    arguments.insert(arguments.begin(), "int64_t " + rows);
  }
  line("/* {} positions in the states of {}_{}: `length` becomes `to`.", row, program.prefix, signature.name);
  line(" * {} can be removed (attn/states.h). */",
       signature.takeBack ? fmt::format("{} at most, or all,", *signature.takeBack) : std::string("Any number"));
  line("{} {{",
       argumentList(fmt::format("static inline attn_code {}_{}_truncate(", program.prefix, signature.name), arguments));
  line("  return attn_states_truncate(&{}_model, {}, {}, length, to, status);", program.prefix, number, rows);
  line("}}\n");
}

void HeaderWriter::writeReorder(const Signature &signature, size_t number) {
  Names names(program.prefix);
  names.claim("from");
  std::vector<std::string> dimensions, arguments;
  std::vector<std::pair<std::string, const SignatureTensor *>> states;
  for (const auto &[symbol, dimension] : llvm::enumerate(signature.dimensions)) {
    dimensions.push_back(names.claim(dimension.name));
    bool isStateDimension = llvm::any_of(signature.tensors, [&](const SignatureTensor &tensor) {
      return tensor.isState && llvm::any_of(tensor.shape, [&](const SizeExpr &size) { return size.mentions(symbol); });
    });
    if (isStateDimension)
      arguments.push_back("int64_t " + dimensions.back());
  }
  for (const SignatureTensor &tensor : signature.tensors)
    if (tensor.isState) {
      states.emplace_back(names.claim(tensor.name), &tensor);
      arguments.push_back(fmt::format("{} *{}", elementTypeInC(tensor.element), states.back().first));
    }
  arguments.insert(arguments.end(), {"const int32_t *from", "attn_status *status"});
  if (hasDevice())
    arguments.insert(arguments.begin(), deviceArgument);
  line("/* Copies {0} from[b] to {0} b of the states of {1}_{2}, for all b at once (attn/{3}.h). */",
       signature.blocks ? "block" : "row", program.prefix, signature.name, hasDevice() ? "cuda" : "states");
  line("{} {{",
       argumentList(fmt::format("static inline attn_code {}_{}_reorder(", program.prefix, signature.name), arguments));
  line("  attn_tensor tensors[{}];", states.size());
  for (const auto &[position, state] : llvm::enumerate(states))
    writeTensor(position, state.first, *state.second, dimensions);
  std::string function =
      hasDevice() ? "attn_cuda_states_reorder(cuda, " : fmt::format("attn_states_reorder(&{}_model, ", program.prefix);
  line("  return {}{}, \"{}\", tensors, from, status);", function, number,
       signature.dimensions[signature.blocks.value_or(*signature.rows)].name);
  line("}}\n");
}

/// Functions that a prefill shares with its single-position entry point are written once.
void HeaderWriter::writeStates(const Signature &signature, size_t number) {
  bool isSinglePosition = llvm::any_of(program.entries, [&](const EntryPlan &other) {
    return signature.name == (func::FuncOp(other.entry).getName() + "_prefill").str();
  });
  if (!signature.isAppendedTo || isSinglePosition)
    return;
  writeTruncate(signature, number);
  if (signature.rows)
    writeReorder(signature, number);
}

std::string HeaderWriter::write(llvm::StringRef source) {
  std::string guard = llvm::StringRef(program.prefix).upper() + "_H";
  line("/* Generated by attnc from {}. A call computes {}. */", source,
       hasDevice() ? "on a device that was opened for " + program.tableSymbol() +
                         " (attn/cuda.h), on tensors in\n * memory of the host or from attn_cuda_allocate"
                   : "with one context (attn/run.h): weights, threads and an arena");
  line("#ifndef {}\n#define {}\n", guard, guard);
  line("#include \"attn/attn.h\"{}\n", hasDevice() ? "\n#include \"attn/cuda.h\"" : "");
  line("#ifdef __cplusplus\nextern \"C\" {{\n#endif\n");
  line("/* Entry points, parameters and kernels, for attn_weights_load, attn_run and inspection. */");
  line("extern const attn_model {};\n", program.tableSymbol());
  for (const EntryPlan &plan : program.entries)
    if (!ResumedNames::isEntry(func::FuncOp(plan.entry).getName()))
      line("int32_t {}(const attn_frame *frame); /* the entry point itself; checks nothing */",
           program.runSymbol(plan));
  if (!program.parameters.packed.empty())
    line("int32_t {}(const attn_frame *frame); /* packs the weights; attn/weights.h and attn/files.h call it */",
         program.prepareSymbol());
  text += "\n";
  for (const auto &[number, plan] : llvm::enumerate(program.entries))
    if (!ResumedNames::isEntry(func::FuncOp(plan.entry).getName()))
      writeEntry(plan, number);
  line("#ifdef __cplusplus\n}}\n#endif\n#endif");
  return text;
}

} // namespace

std::string headerText(const Program &program, llvm::StringRef source) { return HeaderWriter(program).write(source); }

} // namespace attnc

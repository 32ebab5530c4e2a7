//===- RowsKernels.h - norms and losses as rows kernels -----------------------------------------------------------===//
#pragma once

#include <fmt/format.h>
#include <string>
#include <vector>

namespace attnc {

/// Writes a rows kernel as MLIR text: linalg.generics over the rows of tensor<?x?x?xf32>, along its last dimension. The
/// kernel has an argument %x of this type. A read is "%x/row" (a whole row), "%x/scalar" (one element a row, from
/// tensor<?x?xf32>) or "%x/last" (the same tensor<?xf32> for all rows). A body computes %y from the elements %a0, %a1,
/// ... of the reads; bodies may use the constants of text(), such as %count, the row length as f32.
class RowsText {
public:
  /// `arguments` and `results` are the parameters and the result types of the function.
  RowsText(std::string arguments, std::string results) : arguments(std::move(arguments)), results(std::move(results)) {}

  /// Adds an op over the elements of each row, whose result is called `name`; with `scalar`, over one element a row.
  RowsText &map(const std::string &name, std::vector<std::string> reads, const std::string &body, bool scalar = false) {
    return add(name, std::move(reads), body, scalar ? "pp" : "ppp", scalar ? "%scalarInit" : "%rowInit", scalar);
  }
  /// Adds a reduction of each row to one element, called `name`. The body combines the elements with %o, the result so
  /// far, which starts as 0 or, with `largest`, as -infinity.
  RowsText &reduce(const std::string &name, std::vector<std::string> reads, const std::string &body,
                   bool largest = false) {
    return add(name, std::move(reads), body, "ppr", largest ? "%lowInit" : "%zeroInit", true);
  }
  /// The kernel function, which returns the values `returned`: "%a, %b".
  std::string text(const std::string &returned) const {
    return fmt::format(R"(func.func private @k({}) -> ({}) attributes {{attn.kernel = "rows"}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %m = tensor.dim %x, %c0 : tensor<?x?x?xf32>
      %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
      %p = tensor.dim %x, %c2 : tensor<?x?x?xf32>
      %count32 = arith.index_cast %p : index to i32
      %count = arith.sitofp %count32 : i32 to f32
      %zero = arith.constant 0.0 : f32
      %low = arith.constant 0xFF800000 : f32
      %epsilon = arith.constant 1.0e-5 : f32
      %rowInit = tensor.empty(%m, %n, %p) : tensor<?x?x?xf32>
      %scalarInit = tensor.empty(%m, %n) : tensor<?x?xf32>
      %zeroInit = linalg.fill ins(%zero : f32) outs(%scalarInit : tensor<?x?xf32>) -> tensor<?x?xf32>
      %lowInit = linalg.fill ins(%low : f32) outs(%scalarInit : tensor<?x?xf32>) -> tensor<?x?xf32>
{}
      return {} : {}
    }})",
                       arguments, results, body, returned, results);
  }

private:
  RowsText &add(const std::string &name, std::vector<std::string> reads, const std::string &code,
                const std::string &iterators, const std::string &init, bool scalarResult) {
    std::string dims = iterators.size() == 2 ? "(a, b)" : "(a, b, c)", maps, operands, types, blockArguments, kinds;
    unsigned number = 0;
    for (const std::string &read : reads) {
      std::string operand = read.substr(0, read.find('/')), kind = read.substr(read.find('/') + 1);
      maps += fmt::format("affine_map<{} -> {}>, ", dims,
                          kind == "row"      ? "(a, b, c)"
                          : kind == "scalar" ? "(a, b)"
                                             : "(c)");
      operands += (number ? ", " : "") + operand;
      types += (number ? ", " : "") + std::string(kind == "row"      ? "tensor<?x?x?xf32>"
                                                  : kind == "scalar" ? "tensor<?x?xf32>"
                                                                     : "tensor<?xf32>");
      blockArguments += fmt::format("%a{}: f32, ", number++);
    }
    maps += fmt::format("affine_map<{} -> {}>", dims, scalarResult ? "(a, b)" : "(a, b, c)");
    for (char each : iterators)
      kinds += fmt::format("{}\"{}\"", kinds.empty() ? "" : ", ", each == 'p' ? "parallel" : "reduction");
    std::string type = scalarResult ? "tensor<?x?xf32>" : "tensor<?x?x?xf32>";
    body +=
        fmt::format("      {} = linalg.generic {{indexing_maps = [{}], iterator_types = [{}]}} {} outs({} : {}) {{\n"
                    "      ^bb0({}%o: f32):\n        {}\n        linalg.yield %y : f32\n      }} -> {}\n",
                    name, maps, kinds, reads.empty() ? "" : fmt::format("ins({} : {})", operands, types), init, type,
                    blockArguments, code, type);
    return *this;
  }

  std::string arguments, results, body;
};

/// Layer normalisation of %x with %gain and %bias of the row length.
inline std::string layerNorm() {
  return RowsText("%x: tensor<?x?x?xf32>, %gain: tensor<?xf32>, %bias: tensor<?xf32>", "tensor<?x?x?xf32>")
      .reduce("%sum", {"%x/row"}, "%y = arith.addf %o, %a0 : f32")
      .map("%mean", {"%sum/scalar"}, "%y = arith.divf %a0, %count : f32", true)
      .map("%centred", {"%x/row", "%mean/scalar"}, "%y = arith.subf %a0, %a1 : f32")
      .reduce("%squares", {"%centred/row"}, "%s = arith.mulf %a0, %a0 : f32 %y = arith.addf %o, %s : f32")
      .map("%inverse", {"%squares/scalar"},
           "%v = arith.divf %a0, %count : f32 %e = arith.addf %v, %epsilon : f32 %y = math.rsqrt %e : f32", true)
      .map("%result", {"%centred/row", "%inverse/scalar", "%gain/last", "%bias/last"},
           "%s = arith.mulf %a0, %a1 : f32 %t = arith.mulf %s, %a2 : f32 %y = arith.addf %t, %a3 : f32")
      .text("%result");
}

/// The softmax of each row of %x.
inline std::string softmax() {
  return RowsText("%x: tensor<?x?x?xf32>", "tensor<?x?x?xf32>")
      .reduce("%largest", {"%x/row"}, "%y = arith.maximumf %o, %a0 : f32", true)
      .map("%powers", {"%x/row", "%largest/scalar"}, "%d = arith.subf %a0, %a1 : f32 %y = math.exp %d : f32")
      .reduce("%sum", {"%powers/row"}, "%y = arith.addf %o, %a0 : f32")
      .map("%result", {"%powers/row", "%sum/scalar"}, "%y = arith.divf %a0, %a1 : f32")
      .text("%result");
}

/// Cross entropy: -log softmax at the label of each row (%labels: i32), and the softmax. With `overLogits`, the softmax
/// is result 0 and overwrites the logits %x in place; otherwise it is result 1.
inline std::string crossEntropy(bool overLogits = false) {
  std::string inPlace = overLogits ? " {attn.in_place = 0 : i64}" : "";
  return RowsText("%x: tensor<?x?x?xf32>" + inPlace + ", %labels: tensor<?x?xi32>",
                  overLogits ? "tensor<?x?x?xf32>, tensor<?x?xf32>" : "tensor<?x?xf32>, tensor<?x?x?xf32>")
      .reduce("%largest", {"%x/row"}, "%y = arith.maximumf %o, %a0 : f32", true)
      .map("%powers", {"%x/row", "%largest/scalar"}, "%d = arith.subf %a0, %a1 : f32 %y = math.exp %d : f32")
      .reduce("%sum", {"%powers/row"}, "%y = arith.addf %o, %a0 : f32")
      .map("%probabilities", {"%powers/row", "%sum/scalar"}, "%y = arith.divf %a0, %a1 : f32")
      .map("%loss", {"%sum/scalar", "%largest/scalar"},
           R"(%i = linalg.index 0 : index
              %j = linalg.index 1 : index
              %label = tensor.extract %labels[%i, %j] : tensor<?x?xi32>
              %k = arith.index_cast %label : i32 to index
              %picked = tensor.extract %x[%i, %j, %k] : tensor<?x?x?xf32>
              %l = math.log %a0 : f32
              %s = arith.addf %l, %a1 : f32
              %y = arith.subf %s, %picked : f32)",
           true)
      .text(overLogits ? "%probabilities, %loss" : "%loss, %probabilities");
}

} // namespace attnc

//===- NarrowText.h - kernel texts with 16-bit storage of operands and results ------------------------------------===//
#pragma once

#include "compiler/Reference/Array.h"
#include "tests/support/KernelRunner.h"
#include <optional>

namespace attnc {

/// The tensors of a kernel that are not stored as f32.
struct NarrowPorts {
  std::vector<unsigned> operands = {}, results = {}; ///< numbers of the narrow operands and results
  ElementKind element = ElementKind::BF16;           ///< their storage type: BF16 or F16
  std::optional<unsigned> unaligned = {};            ///< number of an operand that is marked as possibly unaligned
};
/// Returns the text of `kernel`, an f32 kernel as text, with these tensors stored as `ports.element`.
std::string narrowText(const std::string &kernel, const NarrowPorts &ports);

/// Rounds f32 elements to tf32 as a device does: to nearest, halves away from zero.
HostArray roundedToTf32(HostArray wide);

/// Returns the f32 `operands` with those of `ports` rounded to their storage type.
std::vector<HostArray> stored(std::vector<HostArray> operands, const NarrowPorts &ports);
/// Returns `operands` with 16-bit arrays converted to f32.
std::vector<HostArray> widened(std::vector<HostArray> operands);
/// The unit roundoff: 2^-8 for BF16, 2^-11 otherwise.
double unitOf(ElementKind narrow);

} // namespace attnc

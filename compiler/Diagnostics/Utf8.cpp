#include "compiler/Diagnostics/Utf8.h"

namespace attnc {

size_t characterLength(std::string_view bytes) {
  auto at = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  unsigned char lead = at(0);
  size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (length > bytes.size())
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((at(i) & 0xC0) != 0x80)
      return 0;
  // The second byte identifies overlong forms, surrogates and characters above U+10FFFF.
  bool isOverlong = (lead == 0xE0 && at(1) < 0xA0) || (lead == 0xF0 && at(1) < 0x90);
  bool isBeyond = (lead == 0xED && at(1) >= 0xA0) || (lead == 0xF4 && at(1) >= 0x90);
  return isOverlong || isBeyond ? 0 : length;
}

size_t findNonText(std::string_view bytes) {
  for (size_t i = 0; i < bytes.size();) {
    size_t length = bytes[i] == '\0' ? 0 : characterLength(bytes.substr(i));
    if (length == 0)
      return i;
    i += length;
  }
  return std::string_view::npos;
}

} // namespace attnc

//===- Emitters.h - the emitters of the compiler ------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Codegen/Interface/EmitterPreference.h"

namespace attnc {

/// All emitters, in order of preference.
Emitters createEmitters(EmitterPreference preference = EmitterPreference::Auto);

} // namespace attnc

// Sanitizer options of every program in a sanitized build (cmake/AttncToolchain.cmake). For AddressSanitizer:
//
//   allow_user_poisoning=0       Debian's libMLIR is not sanitized. Its inlined copies of LLVM's allocators would
//                                write to memory that ours have poisoned.
//   use_sigaltstack=0            Crashes are handled on a separate signal stack (compiler/Diagnostics/CrashNote.h).
//   allocator_may_return_null=1  A failed allocation returns null, as without the sanitizer, and is reported.
//
// For ThreadSanitizer, allocator_may_return_null and:
//
//   ignore_noninstrumented_modules=1  It does not see how threads of libMLIR, libLLVM and libHalide synchronise by
//                                     atomic operations, and would report races between functions that they call.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:use_sigaltstack=0:allocator_may_return_null=1";
}

extern "C" const char *__tsan_default_options() {
  return "allocator_may_return_null=1:ignore_noninstrumented_modules=1";
}

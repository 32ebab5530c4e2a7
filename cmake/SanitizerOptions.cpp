// How AddressSanitizer behaves in every program of a sanitized build (cmake/AttncToolchain.cmake):
//
//   allow_user_poisoning=0       Debian's libMLIR is not sanitized. Its copies of LLVM's allocators, which are inline,
//                                would write to memory that ours have poisoned.
//   use_sigaltstack=0            Crashes are handled on a signal stack of our own (compiler/Diagnostics/CrashNote.h).
//   allocator_may_return_null=1  Memory that cannot be had is an error that is reported, as without the sanitizer.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:use_sigaltstack=0:allocator_may_return_null=1";
}

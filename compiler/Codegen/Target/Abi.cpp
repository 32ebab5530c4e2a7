// The layout of version 8 of the ABI. If an assertion fails, the change needs a new version: raise ATTN_ABI_VERSION,
// correct the assertion, and state in CHANGELOG.md that models must be compiled again.
#include "compiler/Codegen/Target/Abi.h"

static_assert(ATTN_ABI_VERSION == 9);
static_assert(ATTN_ALIGNMENT == 64 && ATTN_DEVICE_ALIGNMENT == 16);
static_assert(ATTN_MAX_RANK == 8);
static_assert(sizeof(void *) == 8 && sizeof(void (*)()) == 8);

// Numbers in generated code and tables.
static_assert(ATTN_OK == 0 && ATTN_BAD_ARGUMENT == 1 && ATTN_BAD_ARENA == 2 && ATTN_OUT_OF_RANGE == 5);
static_assert(ATTN_UNSUPPORTED == 7);
static_assert(ATTN_FULL == 8);
static_assert(ATTN_F32 == 0 && ATTN_I32 == 1 && ATTN_BOOL == 2 && ATTN_PACKED_WEIGHT == 3);
static_assert(ATTN_INIT_CONSTANT == 0 && ATTN_INIT_NORMAL == 1 && ATTN_INIT_UNIFORM == 2);

static_assert(offsetof(attn_kernel_args, buffers) == 0);
static_assert(offsetof(attn_kernel_args, sizes) == 8);
static_assert(offsetof(attn_kernel_args, shared) == 16);
static_assert(offsetof(attn_kernel_args, status) == 24);
static_assert(sizeof(attn_kernel_args) == 32);

static_assert(offsetof(attn_executor, parallel_for) == 0);
static_assert(offsetof(attn_executor, self) == 8);
static_assert(offsetof(attn_executor, workers) == 16);
static_assert(sizeof(attn_executor) == 24);

static_assert(offsetof(attn_frame, tensors) == 0);
static_assert(offsetof(attn_frame, dimensions) == 8);
static_assert(offsetof(attn_frame, parameters) == 16);
static_assert(offsetof(attn_frame, arena) == 24);
static_assert(offsetof(attn_frame, executor) == 32);
static_assert(sizeof(attn_frame) == 40);

static_assert(offsetof(attn_size_term, coefficient) == 0);
static_assert(offsetof(attn_size_term, factors) == 8);
static_assert(offsetof(attn_size_term, factor_count) == 16);
static_assert(offsetof(attn_size_term, quotient_count) == 20);
static_assert(offsetof(attn_size_term, quotients) == 24);
static_assert(sizeof(attn_size_term) == 32);

static_assert(offsetof(attn_size_info, terms) == 0);
static_assert(offsetof(attn_size_info, term_count) == 8);
static_assert(sizeof(attn_size_info) == 16);

static_assert(offsetof(attn_size_quotient, dividend) == 0);
static_assert(offsetof(attn_size_quotient, divisor) == 16);
static_assert(sizeof(attn_size_quotient) == 24);

static_assert(offsetof(attn_tensor_info, name) == 0);
static_assert(offsetof(attn_tensor_info, shape) == 8);
static_assert(offsetof(attn_tensor_info, dtype) == 16);
static_assert(offsetof(attn_tensor_info, rank) == 20);
static_assert(sizeof(attn_tensor_info) == 24);

static_assert(offsetof(attn_dimension_info, name) == 0);
static_assert(offsetof(attn_dimension_info, max) == 8);
static_assert(offsetof(attn_dimension_info, min) == 16);
static_assert(sizeof(attn_dimension_info) == 24);

static_assert(offsetof(attn_entry_info, name) == 0);
static_assert(offsetof(attn_entry_info, run) == 8);
static_assert(offsetof(attn_entry_info, arena_bytes) == 16);
static_assert(offsetof(attn_entry_info, dimensions) == 24);
static_assert(offsetof(attn_entry_info, tensors) == 32);
static_assert(offsetof(attn_entry_info, dimension_count) == 40);
static_assert(offsetof(attn_entry_info, input_count) == 44);
static_assert(offsetof(attn_entry_info, result_count) == 48);
static_assert(offsetof(attn_entry_info, updates) == 52);
static_assert(offsetof(attn_entry_info, state_count) == 56);
static_assert(offsetof(attn_entry_info, take_back) == 60);
static_assert(offsetof(attn_entry_info, flops) == 64);
static_assert(sizeof(attn_entry_info) == 72);

static_assert(offsetof(attn_parameter_info, name) == 0);
static_assert(offsetof(attn_parameter_info, checkpoint) == 8);
static_assert(offsetof(attn_parameter_info, shape) == 16);
static_assert(offsetof(attn_parameter_info, counts) == 24);
static_assert(offsetof(attn_parameter_info, embedded) == 32);
static_assert(offsetof(attn_parameter_info, init_a) == 40);
static_assert(offsetof(attn_parameter_info, init_b) == 48);
static_assert(offsetof(attn_parameter_info, init) == 56);
static_assert(offsetof(attn_parameter_info, dtype) == 60);
static_assert(offsetof(attn_parameter_info, rank) == 64);
static_assert(offsetof(attn_parameter_info, list_rank) == 68);
static_assert(offsetof(attn_parameter_info, first) == 72);
static_assert(offsetof(attn_parameter_info, state) == 80);
static_assert(sizeof(attn_parameter_info) == 88);

static_assert(offsetof(attn_kernel_info, name) == 0);
static_assert(offsetof(attn_kernel_info, kind) == 8);
static_assert(offsetof(attn_kernel_info, places) == 16);
static_assert(offsetof(attn_kernel_info, phases) == 24);
static_assert(offsetof(attn_kernel_info, tensors) == 32);
static_assert(offsetof(attn_kernel_info, phase_count) == 40);
static_assert(offsetof(attn_kernel_info, operand_count) == 48);
static_assert(offsetof(attn_kernel_info, result_count) == 52);
static_assert(sizeof(attn_kernel_info) == 56);

static_assert(offsetof(attn_kernel_tensor, shape) == 0);
static_assert(offsetof(attn_kernel_tensor, dtype) == 8);
static_assert(offsetof(attn_kernel_tensor, rank) == 12);
static_assert(sizeof(attn_kernel_tensor) == 16);

static_assert(offsetof(attn_packed_info, bytes) == 0);
static_assert(offsetof(attn_packed_info, source) == 8);
static_assert(offsetof(attn_packed_info, layout) == 16);
static_assert(sizeof(attn_packed_info) == 24);

static_assert(offsetof(attn_device_phase, phase) == 0);
static_assert(offsetof(attn_device_phase, name) == 8);
static_assert(offsetof(attn_device_phase, threads) == 16);
static_assert(offsetof(attn_device_phase, buffer_count) == 20);
static_assert(offsetof(attn_device_phase, size_count) == 24);
static_assert(offsetof(attn_device_phase, block_bytes) == 28);
static_assert(offsetof(attn_device_phase, images) == 32);
static_assert(sizeof(attn_device_phase) == 40);

static_assert(offsetof(attn_device_image, target) == 0);
static_assert(offsetof(attn_device_image, ptx) == 8);
static_assert(sizeof(attn_device_image) == 16);

static_assert(offsetof(attn_device_code, images) == 0);
static_assert(offsetof(attn_device_code, image_count) == 8);
static_assert(offsetof(attn_device_code, phases) == 16);
static_assert(offsetof(attn_device_code, phase_count) == 24);
static_assert(offsetof(attn_device_code, fetch) == 32);
static_assert(sizeof(attn_device_code) == 40);

static_assert(offsetof(attn_model, abi_version) == 0);
static_assert(offsetof(attn_model, name) == 8);
static_assert(offsetof(attn_model, target) == 16);
static_assert(offsetof(attn_model, identity) == 24);
static_assert(offsetof(attn_model, entries) == 32);
static_assert(offsetof(attn_model, parameters) == 40);
static_assert(offsetof(attn_model, kernels) == 48);
static_assert(offsetof(attn_model, packed) == 56);
static_assert(offsetof(attn_model, prepare) == 64);
static_assert(offsetof(attn_model, prepare_arena_bytes) == 72);
static_assert(offsetof(attn_model, entry_count) == 80);
static_assert(offsetof(attn_model, parameter_count) == 88);
static_assert(offsetof(attn_model, kernel_count) == 96);
static_assert(offsetof(attn_model, loaded_count) == 104);
static_assert(offsetof(attn_model, packed_count) == 112);
static_assert(offsetof(attn_model, device) == 120);
static_assert(offsetof(attn_model, features) == 128);
static_assert(sizeof(attn_model) == 136);

// Expects one match and finds no op.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %kernel = transform.structured.match ops{["func.func"]} attributes {sym_name = "pool_attend_0"} in %module
      : (!transform.any_op) -> !transform.any_op
    %none = transform.structured.match ops{["linalg.pack"]} in %module
      : (!transform.any_op) -> !transform.any_op
    %said = transform.param.constant {tile_kv = 32 : i64} -> !transform.any_param
    %one, %rest = transform.split_handle %none {pass_through_empty_handle = false} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.annotate %one "attn.schedule" = %said : !transform.any_op, !transform.any_param
    transform.yield
  }
}

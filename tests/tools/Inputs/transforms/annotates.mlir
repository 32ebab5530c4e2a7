// Blocks of 32 keys.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %kernel = transform.structured.match ops{["func.func"]} attributes {sym_name = "pool_attend_0"} in %module
      : (!transform.any_op) -> !transform.any_op
    %said = transform.param.constant {form = "prefill", tile_kv = 32 : i64} -> !transform.any_param
    transform.annotate %kernel "attn.schedule" = %said : !transform.any_op, !transform.any_param
    transform.yield
  }
}

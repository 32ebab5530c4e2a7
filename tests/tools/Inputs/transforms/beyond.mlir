// Blocks of 17 keys, which no schedule has.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %kernel = transform.structured.match ops{["func.func"]} attributes {sym_name = "pool_attend_0"} in %module
      : (!transform.any_op) -> !transform.any_op
    %said = transform.param.constant {tile_kv = 17 : i64} -> !transform.any_param
    transform.annotate %kernel "attn.schedule" = %said : !transform.any_op, !transform.any_param
    transform.yield
  }
}

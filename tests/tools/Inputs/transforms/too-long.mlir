// A schedule with a number of 127 bits.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %kernel = transform.structured.match ops{["func.func"]} attributes {sym_name = "pool_attend_0"} in %module
      : (!transform.any_op) -> !transform.any_op
    %said = transform.param.constant {tile_kv = 170141183460469231731687303715884105727 : i128} -> !transform.any_param
    transform.annotate %kernel "attn.schedule" = %said : !transform.any_op, !transform.any_param
    transform.yield
  }
}

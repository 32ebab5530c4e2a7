// An unknown emitter.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %kernel = transform.structured.match ops{["func.func"]} attributes {sym_name = "pool_attend_0"} in %module
      : (!transform.any_op) -> !transform.any_op
    %said = transform.param.constant "halid" -> !transform.any_param
    transform.annotate %kernel "attn.emitter" = %said : !transform.any_op, !transform.any_param
    transform.yield
  }
}

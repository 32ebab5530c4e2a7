// Changes the kind of a kernel, which only fusion may set.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %kernel = transform.structured.match ops{["func.func"]} attributes {sym_name = "pool_attend_0"} in %module
      : (!transform.any_op) -> !transform.any_op
    %said = transform.param.constant "rows" -> !transform.any_param
    transform.annotate %kernel "attn.kernel" = %said : !transform.any_op, !transform.any_param
    transform.yield
  }
}

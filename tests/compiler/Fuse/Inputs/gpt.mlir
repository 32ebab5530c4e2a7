// A small GPT: two layers of [norm, qkv, attend, out, norm, mlp] in a loop, a tied table, logits of all positions and
// of the last one. Views are in index notation.
#bs = affine_map<(b, s) -> (b, s)>
#bsd = affine_map<(b, s, d) -> (b, s, d)>
#bs_ = affine_map<(b, s, d) -> (b, s)>
#sd = affine_map<(b, s, d) -> (s, d)>
#d = affine_map<(b, s, d) -> (d)>
#x = affine_map<(b, s, n, k) -> (b, s, k)>
#w = affine_map<(b, s, n, k) -> (k, n)>
#y = affine_map<(b, s, n, k) -> (b, s, n)>
#lx = affine_map<(b, n, k) -> (b, k)>
#lw = affine_map<(b, n, k) -> (k, n)>
#ly = affine_map<(b, n, k) -> (b, n)>
#bhid = affine_map<(b, h, i, d) -> (b, h, i, d)>
module @gpt {
  model.parameter @token : tensor<32x16xf32> checkpoint "wte" init <"normal", 0.0, 0.5>
  model.parameter @position : tensor<8x16xf32> checkpoint "wpe" init <"normal", 0.0, 0.5>
  model.parameter @gain1 [2] : tensor<16xf32> checkpoint "h.{0}.ln_1.weight" init <"normal", 1.0, 0.1>
  model.parameter @bias1 [2] : tensor<16xf32> checkpoint "h.{0}.ln_1.bias" init <"normal", 0.0, 0.1>
  model.parameter @qkv [2] : tensor<16x48xf32> checkpoint "h.{0}.attn.weight" init <"normal", 0.0, 0.3>
  model.parameter @qkvbias [2] : tensor<48xf32> checkpoint "h.{0}.attn.bias" init <"normal", 0.0, 0.3>
  model.parameter @out [2] : tensor<16x16xf32> checkpoint "h.{0}.out.weight" init <"normal", 0.0, 0.3>
  model.parameter @outbias [2] : tensor<16xf32> checkpoint "h.{0}.out.bias" init <"normal", 0.0, 0.3>
  model.parameter @gain2 [2] : tensor<16xf32> checkpoint "h.{0}.ln_2.weight" init <"normal", 1.0, 0.1>
  model.parameter @bias2 [2] : tensor<16xf32> checkpoint "h.{0}.ln_2.bias" init <"normal", 0.0, 0.1>
  model.parameter @up [2] : tensor<16x64xf32> checkpoint "h.{0}.up.weight" init <"normal", 0.0, 0.3>
  model.parameter @upbias [2] : tensor<64xf32> checkpoint "h.{0}.up.bias" init <"normal", 0.0, 0.3>
  model.parameter @down [2] : tensor<64x16xf32> checkpoint "h.{0}.down.weight" init <"normal", 0.0, 0.3>
  model.parameter @downbias [2] : tensor<16xf32> checkpoint "h.{0}.down.bias" init <"normal", 0.0, 0.3>
  model.parameter @gain : tensor<16xf32> checkpoint "ln_f.weight" init <"normal", 1.0, 0.1>
  model.parameter @bias : tensor<16xf32> checkpoint "ln_f.bias" init <"normal", 0.0, 0.1>

  func.func @logits(%tokens: tensor<?x?xi32> {model.name = "tokens", model.shape = ["batch", "seq"]})
      -> (tensor<?x?x32xf32> {model.name = "logits", model.shape = ["batch", "seq", "32"]})
      attributes {model.entry, model.dimensions = [#model.dimension<"batch", -1>, #model.dimension<"seq", 8>]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %width = arith.constant 16.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %batch = tensor.dim %tokens, %c0 : tensor<?x?xi32>
    %seq = tensor.dim %tokens, %c1 : tensor<?x?xi32>
    %table = model.get @token : tensor<32x16xf32>
    %places = model.get @position : tensor<8x16xf32>
    %e0 = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
    %rows = linalg.generic {indexing_maps = [#bs_, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%tokens : tensor<?x?xi32>) outs(%e0 : tensor<?x?x16xf32>) {
    ^bb0(%token: i32, %o: f32):
      %row = arith.index_cast %token : i32 to index
      %k = linalg.index 2 : index
      %element = tensor.extract %table[%row, %k] : tensor<32x16xf32>
      linalg.yield %element : f32
    } -> tensor<?x?x16xf32>
    %first = tensor.extract_slice %places[0, 0] [%seq, 16] [1, 1] : tensor<8x16xf32> to tensor<?x16xf32>
    %x0 = linalg.generic {indexing_maps = [#bsd, #sd, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%rows, %first : tensor<?x?x16xf32>, tensor<?x16xf32>) outs(%e0 : tensor<?x?x16xf32>) {
    ^bb0(%a: f32, %p: f32, %o: f32):
      %sum = arith.addf %a, %p : f32
      linalg.yield %sum : f32
    } -> tensor<?x?x16xf32>
    %hidden = scf.for %l = %c0 to %c2 step %c1 iter_args(%x = %x0) -> (tensor<?x?x16xf32>) {
      %n1gain = model.get @gain1[%l] : tensor<16xf32>
      %n1bias = model.get @bias1[%l] : tensor<16xf32>
      %n1re = tensor.empty(%batch, %seq) : tensor<?x?xf32>
      %n1rf = linalg.fill ins(%zero : f32) outs(%n1re : tensor<?x?xf32>) -> tensor<?x?xf32>
      %n1total = linalg.generic {indexing_maps = [#bsd, #bs_], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x : tensor<?x?x16xf32>) outs(%n1rf : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.addf %o, %a : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %n1mean = linalg.generic {indexing_maps = [#bs, #bs], iterator_types = ["parallel", "parallel"]}
          ins(%n1total : tensor<?x?xf32>) outs(%n1re : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.divf %a, %width : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %n1de = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
      %n1centred = linalg.generic {indexing_maps = [#bsd, #bs_, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%x, %n1mean : tensor<?x?x16xf32>, tensor<?x?xf32>) outs(%n1de : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %m: f32, %o: f32):
        %r = arith.subf %a, %m : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %n1squares = linalg.generic {indexing_maps = [#bsd, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%n1centred : tensor<?x?x16xf32>) outs(%n1de : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.mulf %a, %a : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %n1power = linalg.generic {indexing_maps = [#bsd, #bs_], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%n1squares : tensor<?x?x16xf32>) outs(%n1rf : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.addf %o, %a : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %n1scale = linalg.generic {indexing_maps = [#bs, #bs], iterator_types = ["parallel", "parallel"]}
          ins(%n1power : tensor<?x?xf32>) outs(%n1re : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %vv = arith.divf %a, %width : f32
        %e = arith.addf %vv, %epsilon : f32
        %r = math.rsqrt %e : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %n1unit = linalg.generic {indexing_maps = [#bsd, #bs_, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%n1centred, %n1scale : tensor<?x?x16xf32>, tensor<?x?xf32>) outs(%n1de : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %m: f32, %o: f32):
        %r = arith.mulf %a, %m : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %n1 = linalg.generic {indexing_maps = [#bsd, #d, #d, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%n1unit, %n1gain, %n1bias : tensor<?x?x16xf32>, tensor<16xf32>, tensor<16xf32>) outs(%n1de : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %g: f32, %c: f32, %o: f32):
        %m = arith.mulf %a, %g : f32
        %r = arith.addf %m, %c : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %qkvw = model.get @qkv[%l] : tensor<16x48xf32>
      %qkvb = model.get @qkvbias[%l] : tensor<48xf32>
      %qkve = tensor.empty(%batch, %seq) : tensor<?x?x48xf32>
      %qkvf = linalg.fill ins(%zero : f32) outs(%qkve : tensor<?x?x48xf32>) -> tensor<?x?x48xf32>
      %qkvp = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%n1, %qkvw : tensor<?x?x16xf32>, tensor<16x48xf32>) outs(%qkvf : tensor<?x?x48xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %m = arith.mulf %a, %c : f32
        %r = arith.addf %o, %m : f32
        linalg.yield %r : f32
      } -> tensor<?x?x48xf32>
      %qkv = linalg.generic {indexing_maps = [#bsd, #d, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%qkvp, %qkvb : tensor<?x?x48xf32>, tensor<48xf32>) outs(%qkve : tensor<?x?x48xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %r = arith.addf %a, %c : f32
        linalg.yield %r : f32
      } -> tensor<?x?x48xf32>
      %qe = tensor.empty(%batch, %seq) : tensor<?x4x?x4xf32>
      %q = linalg.generic {indexing_maps = [#bhid], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
          outs(%qe : tensor<?x4x?x4xf32>) {
      ^bb0(%o: f32):
        %b = linalg.index 0 : index
        %h = linalg.index 1 : index
        %t = linalg.index 2 : index
        %d = linalg.index 3 : index
        %hd = arith.muli %h, %c4 : index
        %f = arith.addi %hd, %d : index
        %off = arith.constant 0 : index
        %g = arith.addi %off, %f : index
        %r = tensor.extract %qkv[%b, %t, %g] : tensor<?x?x48xf32>
        linalg.yield %r : f32
      } -> tensor<?x4x?x4xf32>
      %ke = tensor.empty(%batch, %seq) : tensor<?x4x?x4xf32>
      %k = linalg.generic {indexing_maps = [#bhid], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
          outs(%ke : tensor<?x4x?x4xf32>) {
      ^bb0(%o: f32):
        %b = linalg.index 0 : index
        %h = linalg.index 1 : index
        %t = linalg.index 2 : index
        %d = linalg.index 3 : index
        %hd = arith.muli %h, %c4 : index
        %f = arith.addi %hd, %d : index
        %off = arith.constant 16 : index
        %g = arith.addi %off, %f : index
        %r = tensor.extract %qkv[%b, %t, %g] : tensor<?x?x48xf32>
        linalg.yield %r : f32
      } -> tensor<?x4x?x4xf32>
      %ve = tensor.empty(%batch, %seq) : tensor<?x4x?x4xf32>
      %v = linalg.generic {indexing_maps = [#bhid], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
          outs(%ve : tensor<?x4x?x4xf32>) {
      ^bb0(%o: f32):
        %b = linalg.index 0 : index
        %h = linalg.index 1 : index
        %t = linalg.index 2 : index
        %d = linalg.index 3 : index
        %hd = arith.muli %h, %c4 : index
        %f = arith.addi %hd, %d : index
        %off = arith.constant 32 : index
        %g = arith.addi %off, %f : index
        %r = tensor.extract %qkv[%b, %t, %g] : tensor<?x?x48xf32>
        linalg.yield %r : f32
      } -> tensor<?x4x?x4xf32>
      %heads = attn.attend softmax outer(%batch, %c4, %seq) keys(%seq) values(%c4) yields [value]
        score(%b, %h, %t, %u) {
          %s = attn.reduce add (%d) in (%c4) {
            %qx = tensor.extract %q[%b, %h, %t, %d] : tensor<?x4x?x4xf32>
            %kx = tensor.extract %k[%b, %h, %u, %d] : tensor<?x4x?x4xf32>
            %m = arith.mulf %qx, %kx : f32
            attn.yield %m : f32
          } : f32
          %r = arith.mulf %s, %half : f32
          attn.yield %r : f32
        }
        mask(%b, %h, %t, %u) {
          %keep = arith.cmpi sle, %u, %t : index
          attn.yield %keep : i1
        }
        value(%b, %h, %t, %u, %d) {
          %r = tensor.extract %v[%b, %h, %u, %d] : tensor<?x4x?x4xf32>
          attn.yield %r : f32
        } : tensor<?x4x?x4xf32>
      %me = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
      %merged = linalg.generic {indexing_maps = [#bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          outs(%me : tensor<?x?x16xf32>) {
      ^bb0(%o: f32):
        %b = linalg.index 0 : index
        %t = linalg.index 1 : index
        %f = linalg.index 2 : index
        %h = arith.floordivsi %f, %c4 : index
        %d = arith.remsi %f, %c4 : index
        %r = tensor.extract %heads[%b, %h, %t, %d] : tensor<?x4x?x4xf32>
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %mixw = model.get @out[%l] : tensor<16x16xf32>
      %mixb = model.get @outbias[%l] : tensor<16xf32>
      %mixe = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
      %mixf = linalg.fill ins(%zero : f32) outs(%mixe : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      %mixp = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%merged, %mixw : tensor<?x?x16xf32>, tensor<16x16xf32>) outs(%mixf : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %m = arith.mulf %a, %c : f32
        %r = arith.addf %o, %m : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %mix = linalg.generic {indexing_maps = [#bsd, #d, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%mixp, %mixb : tensor<?x?x16xf32>, tensor<16xf32>) outs(%mixe : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %r = arith.addf %a, %c : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %y1e = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
      %y1 = linalg.generic {indexing_maps = [#bsd, #bsd, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%x, %mix : tensor<?x?x16xf32>, tensor<?x?x16xf32>) outs(%y1e : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %r = arith.addf %a, %c : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %n2gain = model.get @gain2[%l] : tensor<16xf32>
      %n2bias = model.get @bias2[%l] : tensor<16xf32>
      %n2re = tensor.empty(%batch, %seq) : tensor<?x?xf32>
      %n2rf = linalg.fill ins(%zero : f32) outs(%n2re : tensor<?x?xf32>) -> tensor<?x?xf32>
      %n2total = linalg.generic {indexing_maps = [#bsd, #bs_], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%y1 : tensor<?x?x16xf32>) outs(%n2rf : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.addf %o, %a : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %n2mean = linalg.generic {indexing_maps = [#bs, #bs], iterator_types = ["parallel", "parallel"]}
          ins(%n2total : tensor<?x?xf32>) outs(%n2re : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.divf %a, %width : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %n2de = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
      %n2centred = linalg.generic {indexing_maps = [#bsd, #bs_, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%y1, %n2mean : tensor<?x?x16xf32>, tensor<?x?xf32>) outs(%n2de : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %m: f32, %o: f32):
        %r = arith.subf %a, %m : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %n2squares = linalg.generic {indexing_maps = [#bsd, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%n2centred : tensor<?x?x16xf32>) outs(%n2de : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.mulf %a, %a : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %n2power = linalg.generic {indexing_maps = [#bsd, #bs_], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%n2squares : tensor<?x?x16xf32>) outs(%n2rf : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.addf %o, %a : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %n2scale = linalg.generic {indexing_maps = [#bs, #bs], iterator_types = ["parallel", "parallel"]}
          ins(%n2power : tensor<?x?xf32>) outs(%n2re : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %vv = arith.divf %a, %width : f32
        %e = arith.addf %vv, %epsilon : f32
        %r = math.rsqrt %e : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %n2unit = linalg.generic {indexing_maps = [#bsd, #bs_, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%n2centred, %n2scale : tensor<?x?x16xf32>, tensor<?x?xf32>) outs(%n2de : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %m: f32, %o: f32):
        %r = arith.mulf %a, %m : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %n2 = linalg.generic {indexing_maps = [#bsd, #d, #d, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%n2unit, %n2gain, %n2bias : tensor<?x?x16xf32>, tensor<16xf32>, tensor<16xf32>) outs(%n2de : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %g: f32, %c: f32, %o: f32):
        %m = arith.mulf %a, %g : f32
        %r = arith.addf %m, %c : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %upw = model.get @up[%l] : tensor<16x64xf32>
      %upb = model.get @upbias[%l] : tensor<64xf32>
      %upe = tensor.empty(%batch, %seq) : tensor<?x?x64xf32>
      %upf = linalg.fill ins(%zero : f32) outs(%upe : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
      %upp = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%n2, %upw : tensor<?x?x16xf32>, tensor<16x64xf32>) outs(%upf : tensor<?x?x64xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %m = arith.mulf %a, %c : f32
        %r = arith.addf %o, %m : f32
        linalg.yield %r : f32
      } -> tensor<?x?x64xf32>
      %up = linalg.generic {indexing_maps = [#bsd, #d, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%upp, %upb : tensor<?x?x64xf32>, tensor<64xf32>) outs(%upe : tensor<?x?x64xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %r = arith.addf %a, %c : f32
        linalg.yield %r : f32
      } -> tensor<?x?x64xf32>
      %ge = tensor.empty(%batch, %seq) : tensor<?x?x64xf32>
      %gelu = linalg.generic {indexing_maps = [#bsd, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%up : tensor<?x?x64xf32>) outs(%ge : tensor<?x?x64xf32>) {
      ^bb0(%a: f32, %o: f32):
        %t = math.tanh %a : f32
        %t1 = arith.addf %t, %one : f32
        %h = arith.mulf %a, %half : f32
        %r = arith.mulf %h, %t1 : f32
        linalg.yield %r : f32
      } -> tensor<?x?x64xf32>
      %downw = model.get @down[%l] : tensor<64x16xf32>
      %downb = model.get @downbias[%l] : tensor<16xf32>
      %downe = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
      %downf = linalg.fill ins(%zero : f32) outs(%downe : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      %downp = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%gelu, %downw : tensor<?x?x64xf32>, tensor<64x16xf32>) outs(%downf : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %m = arith.mulf %a, %c : f32
        %r = arith.addf %o, %m : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %down = linalg.generic {indexing_maps = [#bsd, #d, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%downp, %downb : tensor<?x?x16xf32>, tensor<16xf32>) outs(%downe : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %r = arith.addf %a, %c : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %y2e = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
      %y2 = linalg.generic {indexing_maps = [#bsd, #bsd, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%y1, %down : tensor<?x?x16xf32>, tensor<?x?x16xf32>) outs(%y2e : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %r = arith.addf %a, %c : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      scf.yield %y2 : tensor<?x?x16xf32>
    }
    %fgain = model.get @gain : tensor<16xf32>
    %fbias = model.get @bias : tensor<16xf32>
    %fre = tensor.empty(%batch, %seq) : tensor<?x?xf32>
    %frf = linalg.fill ins(%zero : f32) outs(%fre : tensor<?x?xf32>) -> tensor<?x?xf32>
    %ftotal = linalg.generic {indexing_maps = [#bsd, #bs_], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%hidden : tensor<?x?x16xf32>) outs(%frf : tensor<?x?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
    } -> tensor<?x?xf32>
    %fmean = linalg.generic {indexing_maps = [#bs, #bs], iterator_types = ["parallel", "parallel"]}
        ins(%ftotal : tensor<?x?xf32>) outs(%fre : tensor<?x?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.divf %a, %width : f32
      linalg.yield %r : f32
    } -> tensor<?x?xf32>
    %fde = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
    %fcentred = linalg.generic {indexing_maps = [#bsd, #bs_, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%hidden, %fmean : tensor<?x?x16xf32>, tensor<?x?xf32>) outs(%fde : tensor<?x?x16xf32>) {
    ^bb0(%a: f32, %m: f32, %o: f32):
      %r = arith.subf %a, %m : f32
      linalg.yield %r : f32
    } -> tensor<?x?x16xf32>
    %fsquares = linalg.generic {indexing_maps = [#bsd, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%fcentred : tensor<?x?x16xf32>) outs(%fde : tensor<?x?x16xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.mulf %a, %a : f32
      linalg.yield %r : f32
    } -> tensor<?x?x16xf32>
    %fpower = linalg.generic {indexing_maps = [#bsd, #bs_], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%fsquares : tensor<?x?x16xf32>) outs(%frf : tensor<?x?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
    } -> tensor<?x?xf32>
    %fscale = linalg.generic {indexing_maps = [#bs, #bs], iterator_types = ["parallel", "parallel"]}
        ins(%fpower : tensor<?x?xf32>) outs(%fre : tensor<?x?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %vv = arith.divf %a, %width : f32
      %e = arith.addf %vv, %epsilon : f32
      %r = math.rsqrt %e : f32
      linalg.yield %r : f32
    } -> tensor<?x?xf32>
    %funit = linalg.generic {indexing_maps = [#bsd, #bs_, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%fcentred, %fscale : tensor<?x?x16xf32>, tensor<?x?xf32>) outs(%fde : tensor<?x?x16xf32>) {
    ^bb0(%a: f32, %m: f32, %o: f32):
      %r = arith.mulf %a, %m : f32
      linalg.yield %r : f32
    } -> tensor<?x?x16xf32>
    %f = linalg.generic {indexing_maps = [#bsd, #d, #d, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%funit, %fgain, %fbias : tensor<?x?x16xf32>, tensor<16xf32>, tensor<16xf32>) outs(%fde : tensor<?x?x16xf32>) {
    ^bb0(%a: f32, %g: f32, %c: f32, %o: f32):
      %m = arith.mulf %a, %g : f32
      %r = arith.addf %m, %c : f32
      linalg.yield %r : f32
    } -> tensor<?x?x16xf32>
    %tte = tensor.empty() : tensor<16x32xf32>
    %tt = linalg.transpose ins(%table : tensor<32x16xf32>) outs(%tte : tensor<16x32xf32>) permutation = [1, 0]
    %le = tensor.empty(%batch, %seq) : tensor<?x?x32xf32>
    %lf = linalg.fill ins(%zero : f32) outs(%le : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
    %logits = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%f, %tt : tensor<?x?x16xf32>, tensor<16x32xf32>) outs(%lf : tensor<?x?x32xf32>) {
    ^bb0(%a: f32, %c: f32, %o: f32):
      %m = arith.mulf %a, %c : f32
      %r = arith.addf %o, %m : f32
      linalg.yield %r : f32
    } -> tensor<?x?x32xf32>
    return %logits : tensor<?x?x32xf32>
  }

  func.func @last(%tokens: tensor<?x?xi32> {model.name = "tokens", model.shape = ["batch", "seq"]})
      -> (tensor<?x32xf32> {model.name = "logits", model.shape = ["batch", "32"]})
      attributes {model.entry, model.dimensions = [#model.dimension<"batch", -1>, #model.dimension<"seq", 8>]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %width = arith.constant 16.0 : f32
    %epsilon = arith.constant 1.0e-5 : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %batch = tensor.dim %tokens, %c0 : tensor<?x?xi32>
    %seq = tensor.dim %tokens, %c1 : tensor<?x?xi32>
    %table = model.get @token : tensor<32x16xf32>
    %places = model.get @position : tensor<8x16xf32>
    %e0 = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
    %rows = linalg.generic {indexing_maps = [#bs_, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%tokens : tensor<?x?xi32>) outs(%e0 : tensor<?x?x16xf32>) {
    ^bb0(%token: i32, %o: f32):
      %row = arith.index_cast %token : i32 to index
      %k = linalg.index 2 : index
      %element = tensor.extract %table[%row, %k] : tensor<32x16xf32>
      linalg.yield %element : f32
    } -> tensor<?x?x16xf32>
    %first = tensor.extract_slice %places[0, 0] [%seq, 16] [1, 1] : tensor<8x16xf32> to tensor<?x16xf32>
    %x0 = linalg.generic {indexing_maps = [#bsd, #sd, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%rows, %first : tensor<?x?x16xf32>, tensor<?x16xf32>) outs(%e0 : tensor<?x?x16xf32>) {
    ^bb0(%a: f32, %p: f32, %o: f32):
      %sum = arith.addf %a, %p : f32
      linalg.yield %sum : f32
    } -> tensor<?x?x16xf32>
    %hidden = scf.for %l = %c0 to %c2 step %c1 iter_args(%x = %x0) -> (tensor<?x?x16xf32>) {
      %n1gain = model.get @gain1[%l] : tensor<16xf32>
      %n1bias = model.get @bias1[%l] : tensor<16xf32>
      %n1re = tensor.empty(%batch, %seq) : tensor<?x?xf32>
      %n1rf = linalg.fill ins(%zero : f32) outs(%n1re : tensor<?x?xf32>) -> tensor<?x?xf32>
      %n1total = linalg.generic {indexing_maps = [#bsd, #bs_], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x : tensor<?x?x16xf32>) outs(%n1rf : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.addf %o, %a : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %n1mean = linalg.generic {indexing_maps = [#bs, #bs], iterator_types = ["parallel", "parallel"]}
          ins(%n1total : tensor<?x?xf32>) outs(%n1re : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.divf %a, %width : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %n1de = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
      %n1centred = linalg.generic {indexing_maps = [#bsd, #bs_, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%x, %n1mean : tensor<?x?x16xf32>, tensor<?x?xf32>) outs(%n1de : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %m: f32, %o: f32):
        %r = arith.subf %a, %m : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %n1squares = linalg.generic {indexing_maps = [#bsd, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%n1centred : tensor<?x?x16xf32>) outs(%n1de : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.mulf %a, %a : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %n1power = linalg.generic {indexing_maps = [#bsd, #bs_], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%n1squares : tensor<?x?x16xf32>) outs(%n1rf : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.addf %o, %a : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %n1scale = linalg.generic {indexing_maps = [#bs, #bs], iterator_types = ["parallel", "parallel"]}
          ins(%n1power : tensor<?x?xf32>) outs(%n1re : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %vv = arith.divf %a, %width : f32
        %e = arith.addf %vv, %epsilon : f32
        %r = math.rsqrt %e : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %n1unit = linalg.generic {indexing_maps = [#bsd, #bs_, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%n1centred, %n1scale : tensor<?x?x16xf32>, tensor<?x?xf32>) outs(%n1de : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %m: f32, %o: f32):
        %r = arith.mulf %a, %m : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %n1 = linalg.generic {indexing_maps = [#bsd, #d, #d, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%n1unit, %n1gain, %n1bias : tensor<?x?x16xf32>, tensor<16xf32>, tensor<16xf32>) outs(%n1de : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %g: f32, %c: f32, %o: f32):
        %m = arith.mulf %a, %g : f32
        %r = arith.addf %m, %c : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %qkvw = model.get @qkv[%l] : tensor<16x48xf32>
      %qkvb = model.get @qkvbias[%l] : tensor<48xf32>
      %qkve = tensor.empty(%batch, %seq) : tensor<?x?x48xf32>
      %qkvf = linalg.fill ins(%zero : f32) outs(%qkve : tensor<?x?x48xf32>) -> tensor<?x?x48xf32>
      %qkvp = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%n1, %qkvw : tensor<?x?x16xf32>, tensor<16x48xf32>) outs(%qkvf : tensor<?x?x48xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %m = arith.mulf %a, %c : f32
        %r = arith.addf %o, %m : f32
        linalg.yield %r : f32
      } -> tensor<?x?x48xf32>
      %qkv = linalg.generic {indexing_maps = [#bsd, #d, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%qkvp, %qkvb : tensor<?x?x48xf32>, tensor<48xf32>) outs(%qkve : tensor<?x?x48xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %r = arith.addf %a, %c : f32
        linalg.yield %r : f32
      } -> tensor<?x?x48xf32>
      %qe = tensor.empty(%batch, %seq) : tensor<?x4x?x4xf32>
      %q = linalg.generic {indexing_maps = [#bhid], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
          outs(%qe : tensor<?x4x?x4xf32>) {
      ^bb0(%o: f32):
        %b = linalg.index 0 : index
        %h = linalg.index 1 : index
        %t = linalg.index 2 : index
        %d = linalg.index 3 : index
        %hd = arith.muli %h, %c4 : index
        %f = arith.addi %hd, %d : index
        %off = arith.constant 0 : index
        %g = arith.addi %off, %f : index
        %r = tensor.extract %qkv[%b, %t, %g] : tensor<?x?x48xf32>
        linalg.yield %r : f32
      } -> tensor<?x4x?x4xf32>
      %ke = tensor.empty(%batch, %seq) : tensor<?x4x?x4xf32>
      %k = linalg.generic {indexing_maps = [#bhid], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
          outs(%ke : tensor<?x4x?x4xf32>) {
      ^bb0(%o: f32):
        %b = linalg.index 0 : index
        %h = linalg.index 1 : index
        %t = linalg.index 2 : index
        %d = linalg.index 3 : index
        %hd = arith.muli %h, %c4 : index
        %f = arith.addi %hd, %d : index
        %off = arith.constant 16 : index
        %g = arith.addi %off, %f : index
        %r = tensor.extract %qkv[%b, %t, %g] : tensor<?x?x48xf32>
        linalg.yield %r : f32
      } -> tensor<?x4x?x4xf32>
      %ve = tensor.empty(%batch, %seq) : tensor<?x4x?x4xf32>
      %v = linalg.generic {indexing_maps = [#bhid], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
          outs(%ve : tensor<?x4x?x4xf32>) {
      ^bb0(%o: f32):
        %b = linalg.index 0 : index
        %h = linalg.index 1 : index
        %t = linalg.index 2 : index
        %d = linalg.index 3 : index
        %hd = arith.muli %h, %c4 : index
        %f = arith.addi %hd, %d : index
        %off = arith.constant 32 : index
        %g = arith.addi %off, %f : index
        %r = tensor.extract %qkv[%b, %t, %g] : tensor<?x?x48xf32>
        linalg.yield %r : f32
      } -> tensor<?x4x?x4xf32>
      %heads = attn.attend softmax outer(%batch, %c4, %seq) keys(%seq) values(%c4) yields [value]
        score(%b, %h, %t, %u) {
          %s = attn.reduce add (%d) in (%c4) {
            %qx = tensor.extract %q[%b, %h, %t, %d] : tensor<?x4x?x4xf32>
            %kx = tensor.extract %k[%b, %h, %u, %d] : tensor<?x4x?x4xf32>
            %m = arith.mulf %qx, %kx : f32
            attn.yield %m : f32
          } : f32
          %r = arith.mulf %s, %half : f32
          attn.yield %r : f32
        }
        mask(%b, %h, %t, %u) {
          %keep = arith.cmpi sle, %u, %t : index
          attn.yield %keep : i1
        }
        value(%b, %h, %t, %u, %d) {
          %r = tensor.extract %v[%b, %h, %u, %d] : tensor<?x4x?x4xf32>
          attn.yield %r : f32
        } : tensor<?x4x?x4xf32>
      %me = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
      %merged = linalg.generic {indexing_maps = [#bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          outs(%me : tensor<?x?x16xf32>) {
      ^bb0(%o: f32):
        %b = linalg.index 0 : index
        %t = linalg.index 1 : index
        %f = linalg.index 2 : index
        %h = arith.floordivsi %f, %c4 : index
        %d = arith.remsi %f, %c4 : index
        %r = tensor.extract %heads[%b, %h, %t, %d] : tensor<?x4x?x4xf32>
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %mixw = model.get @out[%l] : tensor<16x16xf32>
      %mixb = model.get @outbias[%l] : tensor<16xf32>
      %mixe = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
      %mixf = linalg.fill ins(%zero : f32) outs(%mixe : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      %mixp = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%merged, %mixw : tensor<?x?x16xf32>, tensor<16x16xf32>) outs(%mixf : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %m = arith.mulf %a, %c : f32
        %r = arith.addf %o, %m : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %mix = linalg.generic {indexing_maps = [#bsd, #d, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%mixp, %mixb : tensor<?x?x16xf32>, tensor<16xf32>) outs(%mixe : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %r = arith.addf %a, %c : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %y1e = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
      %y1 = linalg.generic {indexing_maps = [#bsd, #bsd, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%x, %mix : tensor<?x?x16xf32>, tensor<?x?x16xf32>) outs(%y1e : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %r = arith.addf %a, %c : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %n2gain = model.get @gain2[%l] : tensor<16xf32>
      %n2bias = model.get @bias2[%l] : tensor<16xf32>
      %n2re = tensor.empty(%batch, %seq) : tensor<?x?xf32>
      %n2rf = linalg.fill ins(%zero : f32) outs(%n2re : tensor<?x?xf32>) -> tensor<?x?xf32>
      %n2total = linalg.generic {indexing_maps = [#bsd, #bs_], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%y1 : tensor<?x?x16xf32>) outs(%n2rf : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.addf %o, %a : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %n2mean = linalg.generic {indexing_maps = [#bs, #bs], iterator_types = ["parallel", "parallel"]}
          ins(%n2total : tensor<?x?xf32>) outs(%n2re : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.divf %a, %width : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %n2de = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
      %n2centred = linalg.generic {indexing_maps = [#bsd, #bs_, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%y1, %n2mean : tensor<?x?x16xf32>, tensor<?x?xf32>) outs(%n2de : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %m: f32, %o: f32):
        %r = arith.subf %a, %m : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %n2squares = linalg.generic {indexing_maps = [#bsd, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%n2centred : tensor<?x?x16xf32>) outs(%n2de : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.mulf %a, %a : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %n2power = linalg.generic {indexing_maps = [#bsd, #bs_], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%n2squares : tensor<?x?x16xf32>) outs(%n2rf : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.addf %o, %a : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %n2scale = linalg.generic {indexing_maps = [#bs, #bs], iterator_types = ["parallel", "parallel"]}
          ins(%n2power : tensor<?x?xf32>) outs(%n2re : tensor<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %vv = arith.divf %a, %width : f32
        %e = arith.addf %vv, %epsilon : f32
        %r = math.rsqrt %e : f32
        linalg.yield %r : f32
      } -> tensor<?x?xf32>
      %n2unit = linalg.generic {indexing_maps = [#bsd, #bs_, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%n2centred, %n2scale : tensor<?x?x16xf32>, tensor<?x?xf32>) outs(%n2de : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %m: f32, %o: f32):
        %r = arith.mulf %a, %m : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %n2 = linalg.generic {indexing_maps = [#bsd, #d, #d, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%n2unit, %n2gain, %n2bias : tensor<?x?x16xf32>, tensor<16xf32>, tensor<16xf32>) outs(%n2de : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %g: f32, %c: f32, %o: f32):
        %m = arith.mulf %a, %g : f32
        %r = arith.addf %m, %c : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %upw = model.get @up[%l] : tensor<16x64xf32>
      %upb = model.get @upbias[%l] : tensor<64xf32>
      %upe = tensor.empty(%batch, %seq) : tensor<?x?x64xf32>
      %upf = linalg.fill ins(%zero : f32) outs(%upe : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
      %upp = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%n2, %upw : tensor<?x?x16xf32>, tensor<16x64xf32>) outs(%upf : tensor<?x?x64xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %m = arith.mulf %a, %c : f32
        %r = arith.addf %o, %m : f32
        linalg.yield %r : f32
      } -> tensor<?x?x64xf32>
      %up = linalg.generic {indexing_maps = [#bsd, #d, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%upp, %upb : tensor<?x?x64xf32>, tensor<64xf32>) outs(%upe : tensor<?x?x64xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %r = arith.addf %a, %c : f32
        linalg.yield %r : f32
      } -> tensor<?x?x64xf32>
      %ge = tensor.empty(%batch, %seq) : tensor<?x?x64xf32>
      %gelu = linalg.generic {indexing_maps = [#bsd, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%up : tensor<?x?x64xf32>) outs(%ge : tensor<?x?x64xf32>) {
      ^bb0(%a: f32, %o: f32):
        %t = math.tanh %a : f32
        %t1 = arith.addf %t, %one : f32
        %h = arith.mulf %a, %half : f32
        %r = arith.mulf %h, %t1 : f32
        linalg.yield %r : f32
      } -> tensor<?x?x64xf32>
      %downw = model.get @down[%l] : tensor<64x16xf32>
      %downb = model.get @downbias[%l] : tensor<16xf32>
      %downe = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
      %downf = linalg.fill ins(%zero : f32) outs(%downe : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
      %downp = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%gelu, %downw : tensor<?x?x64xf32>, tensor<64x16xf32>) outs(%downf : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %m = arith.mulf %a, %c : f32
        %r = arith.addf %o, %m : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %down = linalg.generic {indexing_maps = [#bsd, #d, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%downp, %downb : tensor<?x?x16xf32>, tensor<16xf32>) outs(%downe : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %r = arith.addf %a, %c : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      %y2e = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
      %y2 = linalg.generic {indexing_maps = [#bsd, #bsd, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%y1, %down : tensor<?x?x16xf32>, tensor<?x?x16xf32>) outs(%y2e : tensor<?x?x16xf32>) {
      ^bb0(%a: f32, %c: f32, %o: f32):
        %r = arith.addf %a, %c : f32
        linalg.yield %r : f32
      } -> tensor<?x?x16xf32>
      scf.yield %y2 : tensor<?x?x16xf32>
    }
    %fgain = model.get @gain : tensor<16xf32>
    %fbias = model.get @bias : tensor<16xf32>
    %fre = tensor.empty(%batch, %seq) : tensor<?x?xf32>
    %frf = linalg.fill ins(%zero : f32) outs(%fre : tensor<?x?xf32>) -> tensor<?x?xf32>
    %ftotal = linalg.generic {indexing_maps = [#bsd, #bs_], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%hidden : tensor<?x?x16xf32>) outs(%frf : tensor<?x?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
    } -> tensor<?x?xf32>
    %fmean = linalg.generic {indexing_maps = [#bs, #bs], iterator_types = ["parallel", "parallel"]}
        ins(%ftotal : tensor<?x?xf32>) outs(%fre : tensor<?x?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.divf %a, %width : f32
      linalg.yield %r : f32
    } -> tensor<?x?xf32>
    %fde = tensor.empty(%batch, %seq) : tensor<?x?x16xf32>
    %fcentred = linalg.generic {indexing_maps = [#bsd, #bs_, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%hidden, %fmean : tensor<?x?x16xf32>, tensor<?x?xf32>) outs(%fde : tensor<?x?x16xf32>) {
    ^bb0(%a: f32, %m: f32, %o: f32):
      %r = arith.subf %a, %m : f32
      linalg.yield %r : f32
    } -> tensor<?x?x16xf32>
    %fsquares = linalg.generic {indexing_maps = [#bsd, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%fcentred : tensor<?x?x16xf32>) outs(%fde : tensor<?x?x16xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.mulf %a, %a : f32
      linalg.yield %r : f32
    } -> tensor<?x?x16xf32>
    %fpower = linalg.generic {indexing_maps = [#bsd, #bs_], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%fsquares : tensor<?x?x16xf32>) outs(%frf : tensor<?x?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
    } -> tensor<?x?xf32>
    %fscale = linalg.generic {indexing_maps = [#bs, #bs], iterator_types = ["parallel", "parallel"]}
        ins(%fpower : tensor<?x?xf32>) outs(%fre : tensor<?x?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %vv = arith.divf %a, %width : f32
      %e = arith.addf %vv, %epsilon : f32
      %r = math.rsqrt %e : f32
      linalg.yield %r : f32
    } -> tensor<?x?xf32>
    %funit = linalg.generic {indexing_maps = [#bsd, #bs_, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%fcentred, %fscale : tensor<?x?x16xf32>, tensor<?x?xf32>) outs(%fde : tensor<?x?x16xf32>) {
    ^bb0(%a: f32, %m: f32, %o: f32):
      %r = arith.mulf %a, %m : f32
      linalg.yield %r : f32
    } -> tensor<?x?x16xf32>
    %f = linalg.generic {indexing_maps = [#bsd, #d, #d, #bsd], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%funit, %fgain, %fbias : tensor<?x?x16xf32>, tensor<16xf32>, tensor<16xf32>) outs(%fde : tensor<?x?x16xf32>) {
    ^bb0(%a: f32, %g: f32, %c: f32, %o: f32):
      %m = arith.mulf %a, %g : f32
      %r = arith.addf %m, %c : f32
      linalg.yield %r : f32
    } -> tensor<?x?x16xf32>
    %tte = tensor.empty() : tensor<16x32xf32>
    %tt = linalg.transpose ins(%table : tensor<32x16xf32>) outs(%tte : tensor<16x32xf32>) permutation = [1, 0]
    %end = arith.subi %seq, %c1 : index
    %row = tensor.extract_slice %f[0, %end, 0] [%batch, 1, 16] [1, 1, 1] : tensor<?x?x16xf32> to tensor<?x16xf32>
    %le = tensor.empty(%batch) : tensor<?x32xf32>
    %lf = linalg.fill ins(%zero : f32) outs(%le : tensor<?x32xf32>) -> tensor<?x32xf32>
    %logits = linalg.generic {indexing_maps = [#lx, #lw, #ly], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%row, %tt : tensor<?x16xf32>, tensor<16x32xf32>) outs(%lf : tensor<?x32xf32>) {
    ^bb0(%a: f32, %c: f32, %o: f32):
      %m = arith.mulf %a, %c : f32
      %r = arith.addf %o, %m : f32
      linalg.yield %r : f32
    } -> tensor<?x32xf32>
    return %logits : tensor<?x32xf32>
  }
}

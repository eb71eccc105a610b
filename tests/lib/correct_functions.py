# SPDX-License-Identifier: BSD-3-Clause
"""Correct functions whose results rounding decides, or much of them: values that cancel, ties, what is constant, overflows, zeros of either sign.
graph compare must call none of them wrong.  tests/correct.py compares all, t2782 a few.

A function is an expression of x, [8, 64] of random numbers, w, [64, 64] of them, n, the numbers from 0 to 511 as [8, 64], and sign,
-1 and 1 in turn."""

FUNCTIONS = (
    ("var", "(x * 0 + 0.1).var(1)"),
    ("std", "(x * 0 + 0.1).std(1)"),
    ("var_mean", "torch.var_mean(x * 0 + 0.1, 1)"),
    ("var_all", "(x * 0 + 0.3).var()"),
    ("std0", "(x * 0 + 1e3 + 0.1).std(0, unbiased=False)"),
    ("var_big", "(x * 1e-4 + 1e4).var(1)"),
    ("norm_const", "(x * 0 + 0.1).norm(dim=1)"),
    ("norm_shift", "(x * 0 + 0.1).norm(dim=1) - 0.8"),
    ("norm_p3", "(x * 0 + 0.7).norm(p=3, dim=1)"),
    ("diff_eq", "x - x * 1.0000001"),
    ("div_mul", "x / 3 * 3 - x"),
    ("sq_diff", "(x + 1) ** 2 - x ** 2 - 2 * x - 1"),
    ("softmax_mean", "torch.softmax(x * 0 + 2.5, -1) - torch.softmax(x * 0 + 2.5, -1).mean(-1, keepdim=True)"),
    ("mean_diff", "(x * 0 + 0.1) - (x * 0 + 0.1).mean(-1, keepdim=True)"),
    ("logsumexp", "torch.logsumexp(x + 1e4, -1) - torch.logsumexp(x, -1) - 1e4"),
    ("logsumexp_c", "torch.logsumexp(x * 0 + 3, -1)"),
    ("cos_sim", "1 - F.cosine_similarity(x, x, dim=-1)"),
    ("cos_sim2", "torch.acos(F.cosine_similarity(x, x * 2, dim=-1).clamp(-1, 1))"),
    ("layer_norm_c", "F.layer_norm(x * 0 + 0.1, (64,))"),
    ("layer_norm_big", "F.layer_norm(x * 1e-3 + 100, (64,))"),
    ("group_norm_c", "F.group_norm((x * 0 + 0.1).view(2, 4, 64), 2)"),
    ("batch_norm_c", "F.batch_norm(x * 0 + 0.1, None, None, training=True)"),
    ("batch_norm_b", "F.batch_norm(x * 1e-4 + 10, None, None, training=True)"),
    ("instance_norm_c", "F.instance_norm((x * 0 + 0.1).view(2, 4, 64))"),
    ("rms_c", "F.rms_norm(x * 0 + 1e-4, (64,))"),
    ("normalize", "F.normalize(x * 1e-20, dim=1)"),
    ("normalize0", "F.normalize(x * 0, dim=1)"),
    ("cdist_eq", "torch.cdist(x, x)"),
    ("cdist_mm", "torch.cdist(x, x * 1.0000001, compute_mode='use_mm_for_euclid_dist')"),
    ("pair_dist", "F.pairwise_distance(x, x)"),
    ("sqrt_diff", "(x.pow(2).sum(1) - (x * x).sum(1)).abs().sqrt()"),
    ("cancel_sum", "torch.cat([x * 1e6, -x * 1e6, x], 1).sum(1)"),
    ("cancel_dot", "(torch.cat([x, -x], 1) @ torch.cat([w, w], 0))"),
    ("cancel_cumsum", "torch.cat([x * 1e4, -x * 1e4], 1).cumsum(1)"),
    ("alt_sum", "(x * sign * 1e5).sum()"),
    ("mm_cancel", "x @ w - (x @ w)"),
    ("mm_assoc", "(x @ w) @ w - x @ (w @ w)"),
    ("log1p", "torch.log1p(x * 1e-8)"),
    ("log_1p", "torch.log(1 + x * 1e-7)"),
    ("exp_1", "torch.exp(x * 1e-7) - 1"),
    ("acos1", "torch.acos(1 - x.abs() * 1e-7)"),
    ("asin1", "torch.asin(1 - x.abs() * 1e-7)"),
    ("acosh1", "torch.acosh(1 + x.abs() * 1e-7)"),
    ("atanh1", "torch.atanh(1 - x.abs() * 1e-7)"),
    ("atan2_0", "torch.atan2(x * 0, x)"),
    ("atan2_n0", "torch.atan2(-x * 0, x)"),
    ("atan2_eq", "torch.atan2(x - x * 1.0000001, -x.abs())"),
    ("remainder", "torch.remainder(n * 0.1, 0.1)"),
    ("fmod", "torch.fmod(n * 0.1, 0.1)"),
    ("remainder3", "torch.remainder(x * 0 + n / 3, 1 / 3)"),
    ("floor", "torch.floor(n / 10 * 10)"),
    ("floor2", "torch.floor(n * 0.1 * 10)"),
    ("ceil", "torch.ceil(n / 3 * 3)"),
    ("round", "torch.round((n + 0.5) * 0.1 * 10)"),
    ("trunc", "torch.trunc(n / 7 * 7)"),
    ("frac", "torch.frac(n / 7 * 7)"),
    ("floor_div", "torch.div(n * 0.1, 0.1, rounding_mode='floor')"),
    ("sign", "torch.sign(x / 3 * 3 - x)"),
    ("heaviside", "torch.heaviside(n * 0.1 * 10 - n, x)"),
    ("sgn", "torch.sgn(n / 7 * 7 - n)"),
    ("sign_var", "torch.sign((x * 0 + 0.1).mean(1) - 0.1)"),
    ("argmax", "(x * 0 + n / 3 * 3 - n).argmax(1)"),
    ("argmin", "(x * 0 + n * 0.1 * 10 - n).argmin(1)"),
    ("argmax_sm", "torch.softmax(x * 0 + n * 0, -1).argmax(-1)"),
    ("topk", "torch.topk(n / 3 * 3 - n, 3)[1]"),
    ("sort", "torch.sort(n * 0.1 * 10 - n, -1)[1]"),
    ("argsort_sm", "torch.argsort(torch.softmax(x * 0 + 1, -1), dim=-1, stable=True)"),
    ("max_dim", "(n / 7 * 7 - n).max(1)"),
    ("median", "(n / 7 * 7 - n).median(1)"),
    ("kth", "(n / 7 * 7 - n).kthvalue(2, 1)"),
    ("mode", "(n / 7 * 7 - n).mode(1)"),
    ("eq", "(x / 3 * 3) == x"),
    ("ge", "(n * 0.1 * 10) >= n"),
    ("lt", "torch.exp(torch.log(n + 1)) < n + 1"),
    ("isclose", "torch.isclose(n * 0.1 * 10, n, rtol=1e-7, atol=0)"),
    ("ne_sum", "((x / 3 * 3) != x).sum()"),
    ("where_eq", "torch.where(n / 7 * 7 == n, x, -x)"),
    ("where_pos", "torch.where(x - x * 1.0000001 > 0, x, -x)"),
    ("masked", "x.masked_fill(n * 0.1 * 10 > n, 0.0)"),
    ("nonzero_cnt", "torch.count_nonzero(x / 3 * 3 - x)"),
    ("relu_tie", "torch.relu(n / 7 * 7 - n) * 1e7"),
    ("clamp_idx", "(n * 0.1 * 10).long()"),
    ("to_int", "(n / 7 * 7).int()"),
    ("idx_take", "w[(n.flatten()[:8] * 0.1 * 10).long()]"),
    ("bucketize", "torch.bucketize(n * 0.1, torch.arange(64) * 0.1)"),
    ("digit", "torch.searchsorted(torch.arange(600) / 7, n / 7)"),
    ("one_hot", "F.one_hot((n[0] / 7 * 7).long() % 70, 70)"),
    ("half_over", "(x * 3e4).half()"),
    ("half_over2", "(x.half() * 300) * 300"),
    ("half_exp", "torch.exp(x.half() * 6)"),
    ("bf16_sum", "(x * 0 + 1).bfloat16().sum()"),
    ("bf16_cancel", "x.bfloat16() / 3 * 3 - x.bfloat16()"),
    ("bf16_norm", "F.layer_norm((x * 0 + 0.1).bfloat16(), (64,))"),
    ("half_var", "(x * 0 + 0.1).half().var(1)"),
    ("bf16_mm", "(x.bfloat16() @ w.bfloat16()) - (x.bfloat16() @ w.bfloat16() * 1.01)"),
    ("bf16_softmax", "torch.softmax(x.bfloat16() * 20, -1)"),
    ("half_inv", "1 / (x.half() * 1e-4)"),
    ("half_denorm", "x.half() * 1e-6"),
    ("bf16_cumsum", "x.bfloat16().cumsum(1)"),
    ("bf16_floor", "torch.floor(n.bfloat16() / 3 * 3)"),
    ("bf16_argmax", "(n.bfloat16() / 3 * 3 - n.bfloat16()).argmax(1)"),
    ("half_mean", "(x.half() * 1e4).mean(1)"),
    ("half_norm", "(x * 100).half().norm(dim=1)"),
    ("half_sum", "(x.half() * 1e4).abs().sum(1)"),
    ("f16_f32", "(x.half().float() - x)"),
    ("bf16_eq", "(x.bfloat16() * 1.5 / 1.5 == x.bfloat16())"),
    ("denormal", "x * 1e-40"),
    ("denormal2", "x * 1e-38 * 1e-5"),
    ("denormal3", "(x * 1e-40) * 1e30"),
    ("exp_under", "torch.exp(x * 10 - 100)"),
    ("exp_over", "torch.exp(x * 100)"),
    ("sq_under", "(x * 1e-25) ** 2"),
    ("rsqrt0", "torch.rsqrt(x * 0)"),
    ("log0", "torch.log(x - x)"),
    ("pow_over", "(x.abs() * 1e20) ** 2"),
    ("div0", "x / (x - x)"),
    ("sq_over_sub", "(x * 1e30) ** 2 - (x * 1e30) ** 2"),
    ("tanh_sat", "1 - torch.tanh(x.abs() + 10)"),
    ("sig_sat", "1 - torch.sigmoid(x.abs() + 17)"),
    ("erf_sat", "1 - torch.erf(x.abs() + 4)"),
    ("erfc", "torch.erfc(x.abs() + 4)"),
    ("softplus", "F.softplus(x - 20)"),
    ("logsig", "F.logsigmoid(x + 20)"),
    ("gelu_tail", "F.gelu(x - 6)"),
    ("lgamma1", "torch.lgamma(1 + x * 1e-6)"),
    ("digamma", "torch.digamma(x.abs() + 1.4616321)"),
    ("sin_big", "torch.sin(x * 1e5)"),
    ("sin_pi", "torch.sin(n * 3.14159265)"),
    ("tan", "torch.tan(x * 0 + 1.5707963)"),
    ("cos_big", "torch.cos(x * 1e8)"),
    ("cos_half", "torch.cos(n * 3.14159265 + 1.57079633)"),
    ("sinc", "torch.sinc(n)"),
    ("cross_ent", "F.cross_entropy(x * 100, n[:, 0].long() % 64)"),
    ("nll", "F.nll_loss(torch.log_softmax(x * 50, -1), n[:, 0].long() % 64)"),
    ("kl", "F.kl_div(torch.log_softmax(x, -1), torch.softmax(x, -1), reduction='sum')"),
    ("kl2", "F.kl_div(torch.log_softmax(x, -1), torch.log_softmax(x * 1.0000001, -1), log_target=True, reduction='batchmean')"),
    ("mse_eq", "F.mse_loss(x / 3 * 3, x)"),
    ("l1_eq", "F.l1_loss(x / 3 * 3, x)"),
    ("huber", "F.huber_loss(x / 3 * 3, x)"),
    ("bce", "F.binary_cross_entropy_with_logits(x * 50, (x > 0).float())"),
    ("bce_p", "F.binary_cross_entropy(torch.sigmoid(x * 30), (x > 0).float())"),
    ("det", "torch.linalg.det(w[:4, :4] * 0 + 0.1)"),
    ("prod_c", "(x * 0 + 1.0001).prod(1)"),
    ("cumprod", "(x * 0 + 1.01).cumprod(1)"),
    ("logcumsum", "torch.logcumsumexp(x, 1)"),
    ("interp", "F.interpolate(n.view(1, 1, 8, 64), scale_factor=0.5, mode='bilinear', align_corners=False)"),
    ("nearest", "F.interpolate(x.view(1, 1, 8, 64), scale_factor=1.3, mode='nearest')"),
    ("grid", "F.grid_sample(x.view(1, 1, 8, 64), torch.stack([torch.linspace(-1, 1, 64).expand(8, 64), torch.linspace(-1, 1, 8)[:, None].expand(8, 64)], -1)[None], align_corners=True)"),
    ("pool_tie", "F.max_pool1d((n / 7 * 7 - n)[None], 4, return_indices=True)[1]"),
    ("adapt", "F.adaptive_avg_pool1d((x * 0 + 0.1)[None], 7)"),
    ("std_mean", "torch.std_mean(x * 0 + 5e5 + 0.3, 1)"),
    ("zscore", "(x * 0 + 0.1 - (x * 0 + 0.1).mean()) / ((x * 0 + 0.1).std() + 1e-5)"),
    ("softmax_row", "(torch.softmax(x, -1).sum(-1) - 1) * 1e6"),
    ("logsoft_exp", "torch.log_softmax(x, -1).exp().sum(-1) - 1"),
    ("quantize", "torch.fake_quantize_per_tensor_affine(n * 0.05, 0.1, 0, -128, 127)"),
    ("round_dec", "torch.round(n * 0.05, decimals=1)"),
    ("hist", "torch.histc(n * 0.1, 10, 0.0, 6.4)"),
    ("uniq", "torch.unique(n / 7 * 7 - n)"),
    ("uniq_c", "torch.unique(torch.round(x * 2 / 3 * 3), return_counts=True)[1]"),
    ("embed_bag", "F.embedding_bag(n[:2].long().view(2, 64) % 64, w * 0 + 0.1, mode='mean')"),
    ("complex_abs", "torch.view_as_complex(x.reshape(8, 32, 2)).abs() - torch.view_as_complex(x.reshape(8, 32, 2)).mul(1j).abs()"),
    ("complex_angle", "torch.view_as_complex((x * 0).reshape(8, 32, 2)).angle()"),
    ("fft_const", "torch.fft.fft(x * 0 + 0.1).real"),
    ("fft_inv", "torch.fft.ifft(torch.fft.fft(x)).real - x"),
    ("addcdiv", "torch.addcdiv(-x, x, x * 0 + 3, value=3)"),
    ("lerp", "torch.lerp(x, x * 1.0000001, 0.3) - x"),
    ("hypot", "torch.hypot(x, x * 1e-9) - x.abs()"),
    ("logit", "torch.logit(torch.sigmoid(x * 15))"),
    ("sqrt_sq", "torch.sqrt(x * x) - x.abs()"),
    ("rsqrt", "torch.rsqrt(x * x) * x.abs() - 1"),
    ("recip", "torch.reciprocal(n + 1) * (n + 1) - 1"),
    ("tri", "torch.tril(x @ x.t() - (x @ x.t()).t())"),
    ("einsum", "torch.einsum('ij,ij->i', x, x) - (x * x).sum(1)"),
    ("conv_c", "F.conv1d((x * 0 + 0.1)[None], w[:8, :24].reshape(8, 8, 3)) - F.conv1d((x * 0 + 0.1)[None], w[:8, :24].reshape(8, 8, 3)).mean(-1, keepdim=True)"),
    ("sdpa", "F.scaled_dot_product_attention(x[None] * 30, x[None] * 30, x[None])"),
    ("sdpa_c", "F.scaled_dot_product_attention(x[None] * 0, x[None] * 0, x[None]) - x.mean(0)"),
    ("total_var", "(x.pow(2).mean(1) - x.mean(1).pow(2))"),
    ("total_var_c", "((x * 0 + 0.1).pow(2).mean(1) - (x * 0 + 0.1).mean(1).pow(2))"),
    ("std_sqrt", "torch.sqrt(((x * 0 + 0.1) - (x * 0 + 0.1).mean(1, keepdim=True)).pow(2).mean(1))"),
    ("dist_sq", "(x.pow(2).sum(1)[:, None] + x.pow(2).sum(1)[None] - 2 * x @ x.t()).clamp(min=0).sqrt()"),
    ("bn_eval", "F.batch_norm(x * 0 + 0.1, w[0] * 0 + 0.1, w[0] * 0, training=False)"),
    ("long_sum", "(x.repeat(1, 200) * 0 + 0.1).sum(1)"),
    ("long_mean", "(x.repeat(1, 200) * 0 + 0.1).mean(1) - 0.1"),
    ("long_var", "(x.repeat(1, 200) * 0 + 0.1).var(1)"),
    ("long_norm", "(x.repeat(1, 200) * 0 + 0.1).norm(dim=1)"),
    ("long_std", "(x.repeat(1, 200) * 0 + 1000.1).std(1)"),
    ("long_ln", "F.layer_norm(x.repeat(1, 200) * 0 + 0.1, (12800,))"),
    ("long_gn", "F.group_norm((x.repeat(1, 200) * 0 + 0.1).view(2, 4, 12800), 4)"),
    ("long_bn", "F.batch_norm((x.repeat(1, 200) * 0 + 0.1).t().reshape(-1, 8), None, None, training=True)"),
    ("long_lse", "torch.logsumexp(x.repeat(1, 200) * 0 + 0.1, 1)"),
    ("long_cs", "(x.repeat(1, 200) * 0 + 0.1).cumsum(1)"),
    ("long_sm", "torch.softmax(x.repeat(1, 200) * 0, 1) * 12800 - 1"),
    ("long_l1", "(x.repeat(1, 200) * 0 + 0.1).norm(p=1, dim=1)"),
)

HEAD = """
import torch, warnings
import torch.nn.functional as F
import torch._dynamo
warnings.simplefilter("ignore")
torch._dynamo.config.capture_dynamic_output_shape_ops = True
torch.set_num_threads(1)
"""

END = """
torch.manual_seed(0)
x, w = torch.randn(8, 64), torch.randn(64, 64)
n, sign = torch.arange(512.).view(8, 64), torch.ones(8, 64)
sign[:, ::2] = -1
for function in [%s]:
    torch.compile(function, backend=%r, dynamic=False)(x, w, n, sign)
"""


def chosen(words):
    """Those with one of these names; all if there is none."""
    return [f for f in FUNCTIONS if not words or f[0] in words]


def grouped(functions, size):
    return [functions[i:i + size] for i in range(0, len(functions), size)]


def program(groups, backend):
    """A program that compiles the functions of each group as one, group_0(), group_1() ..., and calls it once."""
    text = HEAD
    for i, group in enumerate(groups):
        text += "def group_%d(x, w, n, sign):\n" % i
        text += "".join("    %s_ = %s\n" % f for f in group)
        text += "    return %s,\n" % ", ".join(name + "_" for name, _ in group)
    return text + END % (", ".join("group_%d" % i for i in range(len(groups))), backend)


def compare(d, groups):
    """Runs the program to each group and compares it: yields (group, the answer, [what is called wrong])."""
    for i, group in enumerate(groups):
        d.do("tbreak group_%d" % i)
        d.go()
        answer = d.cmd("graph compare")
        wrong = [row["node"] for row in answer.get("rows", ()) if row["ok"] is False]
        if answer.get("first") and not wrong or not answer["ok"]:
            wrong.append(answer.get("first") or answer.get("error"))
        yield group, answer, wrong

"""The peers' rows of rows_graph.c: CuPy's and PyTorch's own CUDA graphs of the same work, and NumPy call by call."""


def small(xp):
    def work(x, y, z, operators, factor):
        for _ in range(operators // 2):
            xp.add(x, y, out=z)
            xp.multiply(z, factor, out=x)

    return work


def cg_operands(xp, a, b):
    n = a.shape[0]
    a = a + a.T + 2 * n * xp.eye(n, dtype=a.dtype)
    return a, xp.zeros_like(b), b + 0, b + 0, (b * 0 + 1)[:1].reshape(())


def cg(a, x, r, p, square):
    """Scalars stay on the device."""
    image = a @ p
    length = square / (p @ image)
    x += length * p
    r -= length * image
    after = r @ r
    p *= after / square
    p += r
    square[...] = after


def mlp_operands(xp, x, wanted, w1, w2, rate, momentum, scale):
    w1, w2 = w1 * scale, w2 * scale
    zero = [xp.zeros_like(w) for w in (w1, w1[0], w1, w1[0], w2, w2[0], w2, w2[0])]
    return x, wanted, w1, zero[1], zero[0], zero[3], w2, zero[5], zero[4], zero[7], rate, momentum


def mlp(xp):
    def descend(weights, bias, weights_step, bias_step, given, d, rate, momentum):
        weights_step *= momentum
        weights_step -= rate * (given.T @ d)
        bias_step *= momentum
        bias_step -= rate * d.sum(0)
        weights += weights_step
        bias += bias_step

    def work(x, wanted, w1, b1, sw1, sb1, w2, b2, sw2, sb2, *rates):
        hidden = (x @ w1 + b1).clip(0)
        scores = hidden @ w2 + b2
        most = scores.max(1, keepdims=True) if xp.__name__ != "torch" else scores.amax(1, keepdims=True)
        powers = xp.exp(scores - most)
        total = powers.sum(1, keepdims=True)
        error = (powers / total - wanted) / len(x)
        back = (error @ w2.T) * (hidden > 0)
        descend(w2, b2, sw2, sb2, hidden, error, *rates)
        descend(w1, b1, sw1, sb1, x, back, *rates)

    return work


def rows_of(xp, row, recorded):
    """`recorded(work, operands)` gives what is timed for a graph; None: the peer has none."""
    works = {"small_20": (small(xp), lambda *given: given),
             "cg_1024": (cg, lambda a, b: cg_operands(xp, a, b)),
             "mlp_digits": (mlp(xp), lambda *given: mlp_operands(xp, *given))}
    for name, (work, operands) in works.items():
        row(f"graph.{name}_calls", work, operands)
        if recorded:
            row(f"graph.{name}", lambda launch: launch(),
                lambda *given, work=work, operands=operands: (recorded(work, operands(*given)),))


def array_rows(xp, row):
    """NumPy, and CuPy with graphs that a stream of its own captures after the work ran there once."""
    def recorded(work, operands):
        stream = xp.cuda.Stream(non_blocking=True)
        xp.cuda.get_current_stream().synchronize()
        with stream:
            work(*operands)
            stream.synchronize()
            stream.begin_capture()
            work(*operands)
            graph = stream.end_capture()
        keep = (stream, operands)
        return lambda: graph.launch(keep and xp.cuda.get_current_stream())

    rows_of(xp, row, recorded if xp.__name__ != "numpy" else None)


def torch_rows(torch, row):
    def recorded(work, operands):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                work(*operands)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            work(*operands)
        keep = operands
        return lambda: graph.replay() if keep else None

    rows_of(torch, row, recorded)

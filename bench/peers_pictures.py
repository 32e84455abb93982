"""The peers' rows of rows_pictures.c, by the same names: SciPy's and CuPy's own functions."""

from peers_linalg import size

SIDE = 4096


def array_rows(xp, make, row):
    """The rows of SciPy and CuPy, which share a language."""
    import importlib

    ndimage = importlib.import_module(("scipy" if xp.__name__ == "numpy" else "cupyx.scipy") + ".ndimage")
    n = size(SIDE)

    def measured(blocks):
        labels = (make(n, n) * 200).astype("int32")
        if blocks:
            along = xp.arange(n, dtype="int32") // 290
            labels = along[:, None] * 14 + along
        return make(n, n), labels, xp.arange(200)

    for share in (40, 60):
        row(f"ndi.label_4096_p{share}", lambda s=share: (make(n, n) < s / 100,), lambda x: ndimage.label(x))
    for kind, blocks in (("200", False), ("blocks", True)):
        prepare = lambda blocks=blocks: measured(blocks)
        row(f"ndi.sum_labels_4096_{kind}", prepare, lambda x, labels, index: ndimage.sum_labels(x, labels, index))
        row(f"ndi.center_of_mass_4096_{kind}", prepare,
            lambda x, labels, index: ndimage.center_of_mass(x, labels, index))
    row("ndi.mean_labels_4096_200", lambda: measured(False), lambda x, labels, index: ndimage.mean(x, labels, index))

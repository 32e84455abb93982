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
    for name in ("variance", "maximum"):
        row(f"ndi.{name}_labels_4096_200", lambda: measured(False),
            lambda x, labels, index, f=getattr(ndimage, name): f(x, labels, index))
    row("ndi.maximum_position_4096_200", lambda: measured(False),
        lambda x, labels, index: ndimage.maximum_position(x, labels, index))
    if xp.__name__ == "numpy":
        row("ndi.find_objects_4096_200", lambda: measured(False)[1:2], lambda labels: ndimage.find_objects(labels, 200))
    distance_rows(xp, make, row, ndimage)
    filter_rows(xp, make, row, ndimage)
    interpolation_rows(xp, make, row, ndimage)


def distance_rows(xp, make, row, ndimage):
    n = size(SIDE)
    noise = lambda: (make(n, n) < 0.5,)

    def disc():
        along = xp.arange(n, dtype="float32") - n / 2
        return (xp.hypot(along[:, None], along) < 0.48 * n,)

    row("ndi.distance_transform_edt_4096", noise, lambda x: ndimage.distance_transform_edt(x))
    row("ndi.distance_transform_edt_4096_disc", disc, lambda x: ndimage.distance_transform_edt(x))
    row("ndi.distance_transform_edt_4096_indices", noise,
        lambda x: ndimage.distance_transform_edt(x, return_indices=True))
    if xp.__name__ == "numpy":
        row("ndi.distance_transform_cdt_4096", noise, lambda x: ndimage.distance_transform_cdt(x))


def filter_rows(xp, make, row, ndimage):
    n, half, small, cube = size(SIDE), size(2048), size(1024), size(256)
    picture = lambda: (make(n, n),)
    row("ndi.gaussian_filter_4096_s3", picture, lambda x: ndimage.gaussian_filter(x, 3))
    row("ndi.gaussian_filter3d_256_s2", lambda: (make(cube, cube, cube),), lambda x: ndimage.gaussian_filter(x, 2))
    row("ndi.uniform_filter_4096_9", picture, lambda x: ndimage.uniform_filter(x, 9))
    row("ndi.median_filter_4096_5x5", picture, lambda x: ndimage.median_filter(x, 5))
    row("ndi.median_filter_1024_51x51_u8", lambda: ((make(small, small) * 255).astype("uint8"),),
        lambda x: ndimage.median_filter(x, 51))
    row("ndi.percentile_filter_2048_5x5_20", lambda: (make(half, half),), lambda x: ndimage.percentile_filter(x, 20, 5))
    row("ndi.maximum_filter_4096_15", picture, lambda x: ndimage.maximum_filter(x, 15))
    row("ndi.grey_erosion_4096_5", picture, lambda x: ndimage.grey_erosion(x, (5, 5)))
    row("ndi.sobel_4096", picture, lambda x: ndimage.sobel(x))
    row("ndi.laplace_4096", picture, lambda x: ndimage.laplace(x))
    row("ndi.convolve_4096_15x15", lambda: (make(n, n), make(15, 15)), lambda x, w: ndimage.convolve(x, w))
    row("ndi.gaussian_laplace_4096_s2", picture, lambda x: ndimage.gaussian_laplace(x, 2))
    noise = lambda: (make(n, n) < 0.6,)
    row("ndi.binary_erosion_4096", noise, lambda x: ndimage.binary_erosion(x))
    row("ndi.binary_erosion_it10_4096", noise, lambda x: ndimage.binary_erosion(x, iterations=10))
    row("ndi.binary_closing_4096_5x5", noise, lambda x: ndimage.binary_closing(x, xp.ones((5, 5), bool)))
    row("ndi.binary_fill_holes_2048", lambda: (make(half, half) < 0.6,), lambda x: ndimage.binary_fill_holes(x))
    row("ndi.fourier_gaussian_4096", lambda: (make(n, n).astype("complex64"),),
        lambda x: ndimage.fourier_gaussian(x, 3))


def interpolation_rows(xp, make, row, ndimage):
    n, half = size(SIDE), size(2048)
    picture, small = lambda: (make(n, n),), lambda: (make(half, half),)
    coordinates = lambda: (make(n, n), xp.indices((n, n)).astype("float32") + make(2, n, n))
    row("ndi.map_coordinates_o1_4096", coordinates, lambda x, c: ndimage.map_coordinates(x, c, order=1))
    for order in (1, 3):
        row(f"ndi.zoom2_o{order}_2048", small, lambda x, o=order: ndimage.zoom(x, 2, order=o))
        row(f"ndi.rotate30_o{order}_4096", picture, lambda x, o=order: ndimage.rotate(x, 30, reshape=False, order=o))
    matrix = xp.asarray([[0.9, 0.1], [-0.1, 0.9]])
    row("ndi.affine_o1_4096", picture, lambda x: ndimage.affine_transform(x, matrix, (5, 7), order=1))
    row("ndi.shift_o3_4096", picture, lambda x: ndimage.shift(x, (2.5, -3.5), order=3))
    row("ndi.spline_filter_4096", picture, lambda x: ndimage.spline_filter(x, 3, output="float32"))

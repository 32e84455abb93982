"""The peers' rows of rows_pictures.c, by the same names (peers_rows.py): SciPy's and CuPy's own functions."""

import importlib


def array_rows(xp, row):
    """The rows of SciPy and CuPy, which share a language."""
    ndimage = importlib.import_module(("scipy" if xp.__name__ == "numpy" else "cupyx.scipy") + ".ndimage")

    def labelled(x, labels, count):
        return x, labels, xp.arange(count)

    def blocks(x, count, side, beside):
        along = xp.arange(len(x), dtype="int32") // side
        return x, along[:, None] * beside + along, xp.arange(count)

    for share in (40, 60):
        row(f"ndi.label_4096_p{share}", lambda x: ndimage.label(x))
    for kind, change in (("200", labelled), ("blocks", blocks)):
        row(f"ndi.sum_labels_4096_{kind}", lambda x, labels, index: ndimage.sum_labels(x, labels, index), change)
        row(f"ndi.center_of_mass_4096_{kind}", lambda x, labels, index: ndimage.center_of_mass(x, labels, index),
            change)
    row("ndi.mean_labels_4096_200", lambda x, labels, index: ndimage.mean(x, labels, index), labelled)
    for name in ("variance", "maximum"):
        row(f"ndi.{name}_labels_4096_200",
            lambda x, labels, index, f=getattr(ndimage, name): f(x, labels, index), labelled)
    row("ndi.maximum_position_4096_200", lambda x, labels, index: ndimage.maximum_position(x, labels, index), labelled)
    distance_rows(xp, row, ndimage)
    filter_rows(row, ndimage)
    interpolation_rows(xp, row, ndimage)


def distance_rows(xp, row, ndimage):
    def disc(x, share):
        along = xp.arange(len(x)) - len(x) / 2
        return (xp.hypot(along[:, None], along) < share * len(x),)

    row("ndi.distance_transform_edt_4096", lambda x: ndimage.distance_transform_edt(x))
    row("ndi.distance_transform_edt_4096_disc", lambda x: ndimage.distance_transform_edt(x), disc)
    row("ndi.distance_transform_edt_4096_indices", lambda x: ndimage.distance_transform_edt(x, return_indices=True))
    if xp.__name__ == "numpy":
        row("ndi.distance_transform_cdt_4096", lambda x: ndimage.distance_transform_cdt(x))
        row("ndi.find_objects_4096_200", lambda labels, most: ndimage.find_objects(labels, int(most)))


def filter_rows(row, ndimage):
    for name in ("filter_4096_s3", "filter3d_256_s2"):
        row(f"ndi.gaussian_{name}", lambda x, sigma: ndimage.gaussian_filter(x, sigma))
    row("ndi.uniform_filter_4096_9", lambda x, size: ndimage.uniform_filter(x, size))
    for name in ("4096_5x5", "1024_51x51_u8"):
        row(f"ndi.median_filter_{name}", lambda x, size: ndimage.median_filter(x, size))
    row("ndi.percentile_filter_2048_5x5_20", lambda x, size, q: ndimage.percentile_filter(x, q, size))
    row("ndi.maximum_filter_4096_15", lambda x, size: ndimage.maximum_filter(x, size))
    row("ndi.grey_erosion_4096_5", lambda x, size: ndimage.grey_erosion(x, (size, size)))
    row("ndi.sobel_4096", lambda x: ndimage.sobel(x))
    row("ndi.laplace_4096", lambda x: ndimage.laplace(x))
    row("ndi.convolve_4096_15x15", lambda x, w: ndimage.convolve(x, w))
    row("ndi.gaussian_laplace_4096_s2", lambda x, sigma: ndimage.gaussian_laplace(x, sigma))
    for name in ("4096", "it10_4096"):
        row(f"ndi.binary_erosion_{name}", lambda x, times: ndimage.binary_erosion(x, iterations=times))
    row("ndi.binary_closing_4096_5x5", lambda x, structure: ndimage.binary_closing(x, structure))
    row("ndi.binary_fill_holes_2048", lambda x: ndimage.binary_fill_holes(x))
    row("ndi.fourier_gaussian_4096", lambda x, sigma: ndimage.fourier_gaussian(x, sigma))


def interpolation_rows(xp, row, ndimage):
    def coordinates(x, c, order):
        return x, c + xp.indices(x.shape).astype("float32"), order

    def at(x, c, order):
        return ndimage.map_coordinates(x, c, order=order)

    row("ndi.map_coordinates_o1_4096", at, coordinates)
    row("ndi.map_coordinates_o1_4096_scattered", at, lambda x, c, order: (x, c * (len(x) - 1), order))
    for order in (1, 3):
        row(f"ndi.zoom2_o{order}_2048", lambda x, factor, order: ndimage.zoom(x, factor, order=order))
        row(f"ndi.rotate30_o{order}_4096",
            lambda x, angle, order: ndimage.rotate(x, angle, reshape=False, order=order))
    row("ndi.affine_o1_4096", lambda x, matrix, offset, order: ndimage.affine_transform(x, matrix, offset, order=order),
        lambda x, *p: (x, xp.asarray(p[:4]).reshape(2, 2), p[4:6], p[6]))
    row("ndi.shift_o3_4096", lambda x, *p: ndimage.shift(x, p[:2], order=p[2]))
    row("ndi.spline_filter_4096", lambda x, order: ndimage.spline_filter(x, order, output="float32"))

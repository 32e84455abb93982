# Spack's recipe, for the source that it lies in: `spack repo add packaging/spack && spack install gnd`.
from pathlib import Path

from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.meson import MesonPackage

from spack.package import *

SOURCE = Path(__file__).resolve().parents[4]


class Gnd(MesonPackage, CudaPackage):
    """n-dimensional arrays on the GPU and the CPU, with NumPy's meaning, in C."""

    git = SOURCE.as_uri()

    license("MIT")

    version("main", branch="main")

    variant("tools", default=True, description="gnd-info speaks JSON")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("meson@1.0:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.8:", type="build")
    depends_on("cuda@12:", when="+cuda")
    depends_on("cjson")
    # What gnd opens at the first call that needs it; as link dependencies they are in its RPATH.
    depends_on("openblas threads=pthreads")
    depends_on("fftw@3.3.8: precision=float,double")
    depends_on("libjpeg-turbo@2:")
    depends_on("libpng")
    depends_on("libtiff@4.5:")
    depends_on("libzip")

    conflicts("platform=darwin", msg="gnd is for Linux")
    conflicts("platform=windows", msg="gnd is for Linux")

    def meson_args(self):
        chosen = self.spec.variants["cuda_arch"].value if self.spec.satisfies("+cuda") else ("none",)
        return [
            "-Dtests=false",
            "-Dcuda=" + ("enabled" if self.spec.satisfies("+cuda") else "disabled"),
            "-Dgpu_arch=" + ("release" if "none" in chosen else ",".join(chosen)),
        ]

"""recipes.py SOURCE: the recipes of conda-forge, Spack and vcpkg, and gnd.wrap, fit the source, as far as that is seen
without these services.

All name gnd's version and options that Meson has. Spack's package.py runs against stand-ins for Spack's names, and
its arguments of Meson are looked at. vcpkg.json has the fields that vcpkg's schema knows. conda's recipe is rendered
with and without CUDA, where rattler-build is installed (Python package py-rattler-build).
"""

import json
import pathlib
import re
import sys
import types

OF_MESON = {"prefix", "libdir", "buildtype"}
OF_VCPKG = {"name", "version", "description", "license", "supports", "dependencies", "features"}


def options(text):
    return set(re.findall(r"-D(\w+)=", text))


def spack(path):
    """Meson's arguments without and with CUDA."""
    asked = []

    def directive(*names, **_):
        asked.append(names)

    package = types.ModuleType("spack.package")
    for name in ("license", "version", "variant", "depends_on", "conflicts"):
        setattr(package, name, directive)
    modules = {"spack": types.ModuleType("spack"), "spack.package": package, "spack_repo": None,
               "spack_repo.builtin": None, "spack_repo.builtin.build_systems": None}
    for name in ("cuda", "meson"):
        module = types.ModuleType(name)
        setattr(module, f"{name.capitalize()}Package", type(name, (), {}))
        modules[f"spack_repo.builtin.build_systems.{name}"] = module
    sys.modules.update({name: module or types.ModuleType(name) for name, module in modules.items()})
    scope = {"__file__": str(path), "__name__": "package"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    assert (scope["SOURCE"] / "meson.build").exists()
    assert {"meson@1.0:", "cuda@12:", "libzip"} <= {names[0] for names in asked}

    def arguments(cuda, architectures):
        spec = types.SimpleNamespace(satisfies=lambda what: {"+cuda": cuda}[what],
                                     variants={"cuda_arch": types.SimpleNamespace(value=architectures)})
        return scope["Gnd"].meson_args(types.SimpleNamespace(spec=spec))

    assert arguments(False, ()) == ["-Dtests=false", "-Dcuda=disabled", "-Dgpu_arch=release"]
    assert arguments(True, ("none",)) == ["-Dtests=false", "-Dcuda=enabled", "-Dgpu_arch=release"]
    assert arguments(True, ("80", "90")) == ["-Dtests=false", "-Dcuda=enabled", "-Dgpu_arch=80,90"]


def conda(path, version):
    try:
        from rattler_build import Stage0Recipe, VariantConfig
    except ImportError:
        print("conda's recipe is not rendered: rattler-build is not installed")
        return
    recipe = Stage0Recipe.from_yaml(path.read_text())
    for cuda in ("None", "13.0"):
        variant = VariantConfig.from_yaml(f"""
            c_compiler: [gcc]
            cxx_compiler: [gxx]
            cuda_compiler: [cuda-nvcc]
            cuda_compiler_version: ["{cuda}"]
            c_stdlib: [sysroot]
            c_stdlib_version: ["2.28"]
        """)
        rendered, = recipe.render(variant)
        rendered = rendered.recipe.to_dict()
        assert rendered["package"] == {"name": "gnd", "version": version}
        assert (path.parent / rendered["source"][0]["path"] / "meson.build").exists()
        assert any("cuda-nvcc" in need for need in rendered["requirements"]["build"]) == (cuda != "None")


def main(source):
    source = pathlib.Path(source).resolve()
    packaging = source / "packaging"
    version = re.search(r"^  version: '([^']*)'", (source / "meson.build").read_text(), flags=re.M)[1]
    known = OF_MESON | set(re.findall(r"^option\('(\w+)'", (source / "meson_options.txt").read_text(), flags=re.M))
    recipes = {name: packaging / name for name in (
        "conda/recipe.yaml", "spack/packages/gnd/package.py", "vcpkg/gnd/portfile.cmake", "vcpkg/gnd/vcpkg.json",
        "gnd.wrap")}
    texts = {name: path.read_text() for name, path in recipes.items()}
    texts["CMakeLists.txt"] = (source / "CMakeLists.txt").read_text()
    unknown = {name: options(text) - known for name, text in texts.items() if options(text) - known}
    assert not unknown, f"Meson has no such option: {unknown}"
    for name in ("conda/recipe.yaml", "spack/packages/gnd/package.py", "vcpkg/gnd/portfile.cmake"):
        assert {"cuda", "gpu_arch", "tests"} <= options(texts[name]), name

    manifest = json.loads(texts["vcpkg/gnd/vcpkg.json"])
    assert manifest.keys() <= OF_VCPKG and manifest["name"] == "gnd" and manifest["features"]["cuda"]["description"]
    assert (recipes["vcpkg/gnd/portfile.cmake"].parent / "../../../meson.build").exists()
    assert (recipes["vcpkg/gnd/portfile.cmake"].parent / "usage").exists()
    told = {"conda": re.search(r'version: "([^"]*)"', texts["conda/recipe.yaml"])[1], "vcpkg": manifest["version"],
            "gnd.wrap": re.search(r"revision = v(.*)", texts["gnd.wrap"])[1]}
    assert told == dict.fromkeys(told, version), told
    spack(recipes["spack/packages/gnd/package.py"])
    conda(recipes["conda/recipe.yaml"], version)


if __name__ == "__main__":
    main(*sys.argv[1:])

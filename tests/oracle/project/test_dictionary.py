"""The dictionary of NumPy's and CuPy's names (docs/dictionary.toml): NumPy's are all there, what stands beside
them is gnd's, and the page is the one that is made of it."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import gnd
import headers

tomllib = pytest.importorskip("tomllib")  # Python 3.11
sys.path.insert(0, str(headers.ROOT / "docs"))

import dictionary  # noqa: E402

TOPICS = dictionary.read()
TEXT = "\n".join(p.read_text() for p in [*headers.INCLUDE.glob("*.h"), headers.ROOT / "include" / "gnd.h"])
FUNCTIONS = headers.read_functions()
DIST = set(headers.read_functions(headers.DIST))  # of libgnd_dist
ENUMS = headers.read_enums()
MACROS = set(re.findall(r"^\s*#\s*define\s+(gnd_\w+|GND_\w+)", TEXT, flags=re.M))
INLINE = set(re.findall(r"^static inline [^(;]*?\b(gnd_\w+)\(", TEXT, flags=re.M))
TYPES = set(re.findall(r"\}\s*(gnd_\w+);|typedef struct \w+ (gnd_\w+);", TEXT))
TYPES = {name for pair in TYPES for name in pair if name}
# The environment's variables.
VARIABLES = set(re.findall(r"\bGND_[A-Z_]+", TEXT))


def public(owner):
    return {name for name in dir(owner) if not name.startswith("_")}


NUMPY = {
    "numpy": set(np.__all__),
    "numpy.ndarray": public(np.ndarray),
    "numpy.ufunc": public(np.ufunc),
    "numpy.linalg": set(np.linalg.__all__),
    "numpy.fft": set(np.fft.__all__),
    "numpy.random": set(np.random.__all__),
    "numpy.random.Generator": public(np.random.Generator),
    "numpy.lib": set(np.lib.__all__),
    "numpy.lib.stride_tricks": public(np.lib.stride_tricks),
    "numpy.emath": set(np.emath.__all__),
}


def numbers(version):
    return tuple(int(part) for part in version.split(".")[:2])


WRITTEN_FOR = numbers(tomllib.loads(dictionary.DATA.read_text())["numpy"])
INSTALLED = numbers(np.__version__)


def names_of(topics, of):
    return [entry.name for topic in topics for entry in topic.entries if topic.of == of]


@pytest.mark.parametrize("of", NUMPY)
def test_every_name_of_numpy_is_there(of):
    if INSTALLED < WRITTEN_FOR:
        pytest.skip("this NumPy has names that are gone since")
    missing = NUMPY[of] - set(names_of(TOPICS, of))
    assert not missing, f"add to docs/dictionary.toml, of {of}: {sorted(missing)}"


# Names of other libraries, by module, and in which of the dictionary's modules they stand besides. A name may also
# stand with its module in front.
PEERS = {module: names.split()
         for module, names in tomllib.loads(Path(__file__).with_name("peer_names.toml").read_text()).items()}
SIGNAL = ["scipy.signal", "scipy.signal.windows", "cupyx.scipy.signal"]
BESIDES = {"scipy.signal": SIGNAL, "cupyx.scipy.signal": SIGNAL, "cupyx.scipy.signal.windows": SIGNAL,
           "cusignal": ["cupyx.signal", *SIGNAL], "cupyx.scipy.ndimage": ["scipy.ndimage"], "cupy": ["numpy"],
           "cupy.linalg": ["numpy.linalg"], "cupy.fft": ["numpy.fft"],
           "cupy.random": ["numpy.random", "numpy.random.Generator"],
           "cupy.lib.stride_tricks": ["numpy.lib.stride_tricks"], "cupyx.lapack": ["cupyx.linalg"],
           "cupyx.distributed.array": ["cupyx.distributed"], "cupyx.scipy.sparse.csgraph": ["cupyx.scipy.sparse"],
           "cupyx.scipy.spatial.distance": ["cupyx.scipy.spatial"]}
def unanswered(module, topics):
    places = [module, *BESIDES.get(module, [])]
    names = {name for place in places for name in names_of(topics, place)}
    whole = {entry.name for topic in topics for entry in topic.entries}
    return [n for n in PEERS[module] if n not in names and f"{module}.{n}" not in whole]


@pytest.mark.parametrize("module", PEERS)
def test_every_name_of_peers_is_there(module):
    missing = unanswered(module, TOPICS)
    assert not missing, f"add to docs/dictionary.toml, of {module}: {' '.join(missing)}"


def test_a_missing_name_of_peers_is_noticed():
    assert len(PEERS) > 30 and {"scipy.signal", "cusignal", "cupyx.signal", "cupy"} <= set(PEERS)
    assert len(PEERS["cusignal"]) == 102 and len(PEERS["scipy.signal"]) > 150
    for module, name in [("scipy.signal", "lsim"), ("cusignal", "hann"), ("cupyx.jit", "laneid"), ("cupy", "einsum")]:
        topics = [t._replace(entries=[e for e in t.entries if e.name != name]) for t in TOPICS]
        assert unanswered(module, topics) == [name] and unanswered(module, TOPICS) == []


def test_the_names_of_peers_are_all():
    scipy, signal = pytest.importorskip("scipy"), pytest.importorskip("scipy.signal")
    if numbers(scipy.__version__) > (1, 18):
        pytest.skip("a newer SciPy has other names")
    assert set(signal.__all__) - {"windows"} <= set(PEERS["scipy.signal"])
    assert set(signal.windows.__all__) <= set(PEERS["scipy.signal.windows"])


def test_what_is_missing_has_a_reason():
    """Or what does the job: "none yet" alone tells nobody anything."""
    bare = [f"{topic.of}.{e.name}" for topic in TOPICS for e in topic.entries if e.kind != "there" and not e.remark]
    assert not bare, bare


def test_a_missing_name_is_noticed():
    topics = [t._replace(entries=[e for e in t.entries if e.name != "einsum"]) for t in TOPICS]
    assert "einsum" in NUMPY["numpy"] - set(names_of(topics, "numpy"))
    assert "einsum" not in NUMPY["numpy"] - set(names_of(TOPICS, "numpy"))


def test_no_other_name_is_there():
    """Of the NumPy that the dictionary was written for: others have other names."""
    if INSTALLED != WRITTEN_FOR:
        pytest.skip(f"this is NumPy {np.__version__}, and the dictionary is of another")
    strange = {of: sorted(set(names_of(TOPICS, of)) - names) for of, names in NUMPY.items()}
    assert not any(strange.values()), strange


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.title)
def test_no_name_is_there_twice(topic):
    names = names_of(TOPICS, topic.of)
    assert len(set(names)) == len(names), sorted(n for n in set(names) if names.count(n) > 1)


def is_exported(name):
    return name in FUNCTIONS and hasattr(gnd.lib, name)


def exists(name):
    return is_exported(name) or name in MACROS | INLINE | TYPES | DIST | set(ENUMS[0]) | set(ENUMS[1])


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.title)
def test_what_stands_beside_is_gnds(topic):
    wrong = [f"{e.name}: {name}" for e in topic.entries for name in e.gnd if not exists(name)]
    for text in [topic.intro, *(e.remark for e in topic.entries)]:
        wrong += [f"{word} in {text!r}" for word in re.findall(r"\b(?:gnd|GND)_\w+", text)
                  if not exists(word) and word not in VARIABLES]
    assert not wrong, "\n".join(wrong)


def test_what_is_not_gnds_is_noticed():
    assert exists("gnd_add") and exists("gnd_abs") and exists("GND_FLOAT32") and exists("GND_FUSE")
    assert not exists("gnd_poly1d") and not exists("GND_FLOAT128") and not exists("gnd_ad")


# Names that mean something else in gnd.
OTHERS = {("numpy.ufunc", "identity")}


def test_what_gnd_has_is_not_called_missing():
    prefixes = {"numpy.random": "gnd_random_", "numpy.random.Generator": "gnd_random_"}
    found = [f"{topic.of}.{e.name}" for topic in TOPICS for e in topic.entries
             if topic.of in NUMPY and topic.of != "numpy.emath" and e.kind != "there"
             and exists(prefixes.get(topic.of, "gnd_") + e.name) and (topic.of, e.name) not in OTHERS]
    assert not found, f"docs/dictionary.toml calls missing what gnd has: {found}"


def test_second_names_are_numpys():
    """Macros that give a function a second name: NumPy must mean the same by both."""
    aliases = re.findall(r"^#define gnd_(\w+) gnd_(\w+)$", TEXT, flags=re.M)
    pairs = [(a, b) for a, b in aliases if not a.endswith("_into")]
    assert {"abs", "concat", "permute_dims", "around", "bitwise_invert"} <= {a for a, _ in pairs}
    own = {"gammaln": "lgamma", "permute_dims": "permute", "psi": "digamma", "btdtr": "betainc",
           "btdtri": "betaincinv"}  # SciPy's, and with axes
    for second, first in pairs:
        assert exists("gnd_" + first)
        if own.get(second) == first or second not in NUMPY["numpy"]:
            assert second in own or second == first, f"gnd_{second} is no name of NumPy's"
            continue
        a, b = getattr(np, second), getattr(np, first)
        x = np.linspace(-0.9, 0.9, 7)
        assert a is b or np.array_equal(a(x), b(x)), f"numpy.{second} is not numpy.{first}"


def test_the_page_is_made_of_it():
    assert dictionary.PAGE.read_text() == dictionary.page(TOPICS), \
        "docs/guide/dictionary.md is not what docs/dictionary.py makes: run it"


def test_code_is_marked():
    assert dictionary.as_code("gnd_fft of gnd_eye(3, gnd_f(1, (2)))") == "`gnd_fft` of `gnd_eye(3, gnd_f(1, (2)))`"
    assert dictionary.as_code("GND_NVTX=1 and `gnd_x`, gnd_y.") == "`GND_NVTX=1` and `gnd_x`, `gnd_y`."

"""Reports what is linked into the binaries of the bundle. It runs in Pyodide."""

import ctypes
import decimal
import io
import json
import sys
import zipfile

import pyexpat


def linked(wheel):
    """Return what the interpreter has, and the bill of materials of a wheel's library, as JSON."""
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".cyclonedx.json"))
        bill = json.loads(archive.read(name))
    versions = {
        "Emscripten": ".".join(map(str, sys._emscripten_info.emscripten_version)),
        "Expat": pyexpat.EXPAT_VERSION.removeprefix("expat_"),
        "SQLite": version_of("sqlite3_libversion"),
        "XZ Utils (liblzma)": version_of("lzma_version_string"),
        "Zstandard": version_of("ZSTD_versionString"),
        "bzip2": version_of("BZ2_bzlibVersion").partition(",")[0],
        "mpdecimal": decimal.__libmpdec_version__,
        "zlib": version_of("zlibVersion"),
    }
    modules = sys.builtin_module_names
    return json.dumps({"modules": modules, "versions": versions, "bill": bill})


def version_of(symbol):
    """Return what a C function without arguments returns, a text."""
    function = getattr(ctypes.CDLL(None), symbol)
    function.restype = ctypes.c_char_p
    return function().decode()

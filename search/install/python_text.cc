// SPDX-License-Identifier: MIT
#include "search/install/python_text.h"

namespace exh::search {

const char* const kPythonText =
    R"PY("""The kernels of tuned.h for NumPy and PyTorch: tuned.KERNEL(a, b, ...).

Arrays that are read stand in the order of the kernel; what is written is returned. Sizes follow from
shapes. Options that nobody names are what they are by default, scalars likewise. Data types, shapes,
strides, devices and alignment must be those that a unit was tuned for: nothing is copied or cast.
What is not tuned raises NotTuned, or is handed to `fallback`, a function of the same arrays and
options. From PyTorch 2.4 on each kernel is the operator torch.ops.tuned.KERNEL, which torch.compile
traces. Names that are words of Python or C have an underscore behind them, as in tuned.h: an option
`fallback` is `fallback_`.

The shared library is looked for in $TUNED_LIBRARY, beside this file, and in build/ beside it.
"""

import ctypes
import json
import os
import pathlib

KERNELS = json.loads(r"""
$KERNELS$
""")
DEVICE = "$DEVICE$"
HAS_STREAM = $STREAM$

C_TYPES = {"float": ctypes.c_float, "double": ctypes.c_double, "int": ctypes.c_int,
           "unsigned": ctypes.c_uint, "unsigned int": ctypes.c_uint, "long long": ctypes.c_longlong}
NUMPY_TYPES = {"f64": "float64", "f32": "float32", "f16": "float16", "i64": "int64", "i32": "int32",
               "u32": "uint32", "i8": "int8", "bool": "bool"}
TORCH_TYPES = dict(NUMPY_TYPES, bf16="bfloat16", f8e4m3="float8_e4m3fn", f8e5m2="float8_e5m2")


class NotTuned(ValueError):
    """Nothing is tuned for these arrays on this device."""


class TunedError(RuntimeError):
    """The library answered with something else than EXH_OK."""


def _load():
    here = pathlib.Path(__file__).resolve().parent
    named = os.environ.get("TUNED_LIBRARY")
    paths = [pathlib.Path(named)] if named else [here / "libtuned.so", here / "build/libtuned.so"]
    for path in paths:
        if path.exists():
            return ctypes.CDLL(str(path))
    raise OSError(f"there is no {' and no '.join(map(str, paths))}: build it, cmake -B build && "
                  f"cmake --build build in {here}, or name it in TUNED_LIBRARY")


_library = None


def library():
    """The shared library, loaded when it is first needed."""
    global _library
    if _library is None:
        _library = _load()
        _library.exh_status_text.restype = ctypes.c_char_p
        for name, kernel in KERNELS.items():
            sizes = [ctypes.c_int64] * len(kernel["sizes"])
            arrays = [ctypes.c_void_p] * len(kernel["arrays"])
            scalars = [C_TYPES[scalar["c"]] for scalar in kernel["scalars"]]
            stream = [ctypes.c_void_p] if HAS_STREAM else []
            workspace = [ctypes.c_void_p, ctypes.c_size_t] if HAS_STREAM else []
            getattr(_library, "exh_" + name).argtypes = stream + sizes + arrays + scalars + workspace
            getattr(_library, f"exh_{name}_is_tuned").argtypes = sizes
            if HAS_STREAM:
                getattr(_library, f"exh_{name}_workspace_bytes").argtypes = sizes
                getattr(_library, f"exh_{name}_workspace_bytes").restype = ctypes.c_size_t
                getattr(_library, f"exh_{name}_workspace_init").argtypes = stream + sizes + workspace
    return _library


def _status(name, status):
    if status == 1:
        raise NotTuned(f"{name} is not tuned for these sizes on this device")
    if status != 0:
        raise TunedError(f"{name}: {library().exh_status_text(status).decode()}")


def _inputs(kernel):
    return [i for i, array in enumerate(kernel["arrays"]) if not array["output"]]


def _outputs(kernel):
    return [i for i, array in enumerate(kernel["arrays"]) if array["output"]]


def _alike(array, shape, strides, word):
    """Does an argument lie as the array of a unit? An axis of one step has any stride."""
    if array["type"] != word or array["shape"] != list(shape):
        return False
    return all(stride == wanted or extent == 1
               for stride, wanted, extent in zip(strides, array["strides"], shape))


def _fits(kernel, unit, seen, options):
    if not all(_alike(unit["arrays"][i], *one) for i, one in zip(_inputs(kernel), seen)):
        return False
    for size in kernel["sizes"]:
        said = options.get(size["name"])
        wanted = size["default"] if said is None else said
        if wanted is not None and unit["sizes"][size["name"]] != wanted:
            return False
    return True


def _steps(array, what):
    """Strides in elements. A field of a structured array may have some that are no whole number."""
    for stride, extent in zip(array.strides, array.shape):
        if extent > 1 and stride % array.itemsize != 0:
            raise NotTuned(f"{what} has strides of {tuple(array.strides)} bytes, which are no multiples of its "
                           f"elements of {array.itemsize}: numpy.ascontiguousarray makes a copy that will do")
    return [stride // array.itemsize for stride in array.strides]


def _lies(shape, strides, word):
    return f"{word}{list(shape)} with strides {tuple(strides)}"


def _word(kernel, name, value):
    """A value as people say it: that of an option has a name."""
    words = next(size["words"] for size in kernel["sizes"] if size["name"] == name)
    return words[value] if value < len(words) else value


def _pick(name, seen, options):
    """The sizes of the unit for arguments like these, and how its outputs lie. Which device it is
    for, the library says: units of one size are alike."""
    kernel = KERNELS[name]
    for unit in kernel["units"]:
        if _fits(kernel, unit, seen, options):
            return unit
    inputs = _inputs(kernel)
    given = "; ".join(f"{kernel['arrays'][i]['name']}: {_lies(*one)}" for i, one in zip(inputs, seen))
    tuned = {"; ".join(f"{kernel['arrays'][i]['name']}: "
                       + _lies(unit["arrays"][i]["shape"] or "?", unit["arrays"][i]["strides"] or "?",
                               unit["arrays"][i]["type"]) for i in inputs)
             + (f" ({', '.join(f'{n}={_word(kernel, n, v)}' for n, v in unit['sizes'].items())})")
             for unit in kernel["units"]}
    raise NotTuned(f"{name} is not tuned for {given}; it is for\n  " + "\n  ".join(sorted(tuned)))


def _check_options(name, options, scalars):
    known = [each["name"] for each in KERNELS[name]["sizes"] + KERNELS[name]["scalars"]]
    for option in [*options, *scalars]:
        if option not in known:
            raise TypeError(f"{name} has no '{option}'; it has: {', '.join(known)}")


def _numbers(kernel, options):
    """Options by their numbers: op="max" is op=1, or whatever the kernel says."""
    words = {size["name"]: size["words"] for size in kernel["sizes"]}
    numbers = {}
    for name, value in options.items():
        if isinstance(value, str):
            if value not in words[name]:
                raise ValueError(f"{name} is one of {', '.join(words[name]) or 'no words, but a number'}, not '{value}'")
            value = words[name].index(value)
        numbers[name] = value
    return numbers


def _scalars(kernel, given):
    values = []
    for scalar in kernel["scalars"]:
        value = given.get(scalar["name"])
        value = scalar["default"] if value is None else value
        try:
            values.append(float(value) if scalar["c"] in ("float", "double") else int(value))
        except (TypeError, ValueError):
            raise TypeError(f"{scalar['name']} is a number, not {value!r}") from None
    return values


def _is_of(value, module):
    """Is it of NumPy or PyTorch? Neither need be there. Classes derived from theirs are theirs."""
    return any(one.__module__.split(".")[0] == module for one in type(value).__mro__)


def _is_torch(name, arrays):
    """Are all of them tensors? Otherwise all of them are arrays of NumPy."""
    kernel = KERNELS[name]
    kinds = []
    for i, array in zip(_inputs(kernel), arrays):
        is_tensor = _is_of(array, "torch") and hasattr(array, "data_ptr")
        if not is_tensor and not (_is_of(array, "numpy") and hasattr(array, "ctypes")):
            raise TypeError(f"{name}: {kernel['arrays'][i]['name']} is an array of NumPy or a tensor of PyTorch, "
                            f"not {type(array).__name__}")
        kinds.append(is_tensor)
    if len(set(kinds)) > 1:
        raise TypeError(f"{name}: some arrays are of NumPy and some of PyTorch; give it all of one kind")
    return kinds[0] if kinds else HAS_STREAM


def _sizes(kernel, unit):
    return [unit["sizes"][size["name"]] for size in kernel["sizes"]]


def _check_alignment(name, kernel, unit, pointers):
    for array, known, pointer in zip(kernel["arrays"], unit["arrays"], pointers):
        if pointer % known["alignment"] != 0:
            raise ValueError(f"{name}: {array['name']} is not aligned to {known['alignment']} bytes")


# ---- NumPy ---------------------------------------------------------------------------------------


def _numpy_call(name, inputs, options, scalars):
    import numpy
    if HAS_STREAM:
        raise NotTuned(f"{name}: this library is for {DEVICE}: give it tensors of PyTorch that are there")
    kernel = KERNELS[name]
    words = {numpy.dtype(type_name): word for word, type_name in NUMPY_TYPES.items()}
    for i, array in zip(_inputs(kernel), inputs):
        if array.dtype not in words:
            raise NotTuned(f"{name}: {kernel['arrays'][i]['name']} is {array.dtype}, of which no kernel is")
    seen = [(x.shape, _steps(x, f"{name}: {kernel['arrays'][i]['name']}"), words[x.dtype])
            for i, x in zip(_inputs(kernel), inputs)]
    unit = _pick(name, seen, options)
    results = [_numpy_empty(numpy, unit["arrays"][i]) for i in _outputs(kernel)]
    places = dict(zip(_inputs(kernel), inputs)) | dict(zip(_outputs(kernel), results))
    pointers = [places[i].ctypes.data for i in range(len(kernel["arrays"]))]
    _check_alignment(name, kernel, unit, pointers)
    _status(name, getattr(library(), "exh_" + name)(
        *_sizes(kernel, unit), *pointers, *_scalars(kernel, scalars)))
    return results[0] if len(results) == 1 else tuple(results)


def _numpy_empty(numpy, array):
    if array["type"] not in NUMPY_TYPES:
        raise NotTuned(f"NumPy has no type {array['type']}: use PyTorch")
    dtype = numpy.dtype(NUMPY_TYPES[array["type"]])
    # A buffer with room to begin at a multiple of the alignment.
    buffer = numpy.empty(array["elements"] * dtype.itemsize + array["alignment"], numpy.int8)
    begin = -buffer.ctypes.data % array["alignment"]
    flat = buffer[begin:begin + array["elements"] * dtype.itemsize].view(dtype)
    strides = [stride * dtype.itemsize for stride in array["strides"]]
    return numpy.lib.stride_tricks.as_strided(flat, array["shape"], strides)


# ---- PyTorch -------------------------------------------------------------------------------------


def _torch_unit(torch, name, inputs, options):
    words = {getattr(torch, type_name): word for word, type_name in TORCH_TYPES.items()
             if hasattr(torch, type_name)}
    kernel = KERNELS[name]
    for i, tensor in zip(_inputs(kernel), inputs):
        if tensor.device.type != DEVICE:
            raise NotTuned(f"{name}: {kernel['arrays'][i]['name']} is on {tensor.device}, and this "
                           f"library is for {DEVICE}")
        if tensor.device != inputs[0].device:
            raise ValueError(f"{name}: {kernel['arrays'][i]['name']} is on {tensor.device}, and the "
                             f"first array on {inputs[0].device}")
        if tensor.dtype not in words:
            raise NotTuned(f"{name}: {kernel['arrays'][i]['name']} is {tensor.dtype}, of which no kernel is")
    return _pick(name, [(x.shape, x.stride(), words[x.dtype]) for x in inputs], options)


def _torch_empty(torch, name, unit, device):
    return [torch.empty_strided(unit["arrays"][i]["shape"], unit["arrays"][i]["strides"], device=device,
                                dtype=getattr(torch, TORCH_TYPES[unit["arrays"][i]["type"]]))
            for i in _outputs(KERNELS[name])]


_workspaces = {}


def _torch_workspace(torch, name, sizes, stream, device):
    """One for each stream and kernel, for runs on one stream come one after the other. What is
    captured into a graph has one of its own there, which each replay makes ready."""
    count = getattr(library(), f"exh_{name}_workspace_bytes")(*sizes)
    if count == 0:
        return None
    key = (name, tuple(sizes), device.index, stream)
    memory = None if torch.cuda.is_current_stream_capturing() else _workspaces.get(key)
    if memory is None:
        memory = torch.empty(count, dtype=torch.uint8, device=device)
        _status(name, getattr(library(), f"exh_{name}_workspace_init")(stream, *sizes, memory.data_ptr(), count))
        if not torch.cuda.is_current_stream_capturing():
            _workspaces[key] = memory
    return memory


def _torch_run(torch, name, inputs, options, scalars):
    kernel = KERNELS[name]
    unit = _torch_unit(torch, name, inputs, options)
    device = inputs[0].device if inputs else torch.device(DEVICE)
    results = _torch_empty(torch, name, unit, device)
    places = dict(zip(_inputs(kernel), inputs)) | dict(zip(_outputs(kernel), results))
    pointers = [places[i].data_ptr() for i in range(len(kernel["arrays"]))]
    _check_alignment(name, kernel, unit, pointers)
    sizes, values = _sizes(kernel, unit), _scalars(kernel, scalars)
    call = getattr(library(), "exh_" + name)
    if not HAS_STREAM:
        _status(name, call(*sizes, *pointers, *values))
        return results
    with torch.cuda.device(device):
        stream = torch.cuda.current_stream(device).cuda_stream
        workspace = _torch_workspace(torch, name, sizes, stream, device)
        place = (None, 0) if workspace is None else (workspace.data_ptr(), workspace.numel())
        _status(name, call(stream, *sizes, *pointers, *values, *place))
    return results


def _define(torch, name):
    kernel = KERNELS[name]
    inputs = [kernel["arrays"][i]["name"] for i in _inputs(kernel)]
    options = [size["name"] for size in kernel["sizes"]]
    # An integer of 64 bits is more than a float has.
    scalars = [(scalar["name"], "float" if scalar["c"] in ("float", "double") else "int")
               for scalar in kernel["scalars"]]
    arguments = ([f"Tensor {array}" for array in inputs] + ["*"] * bool(options + scalars)
                 + [f"int? {option}=None" for option in options]
                 + [f"{kind}? {scalar}=None" for scalar, kind in scalars])
    outputs = ["Tensor"] * len(_outputs(kernel))
    schema = f"({', '.join(arguments)}) -> {outputs[0] if len(outputs) == 1 else '(' + ', '.join(outputs) + ')'}"

    def split(given):
        return ({option: given.get(option) for option in options},
                {scalar: given.get(scalar) for scalar, _ in scalars})

    def result(made):
        return made[0] if len(made) == 1 else tuple(made)

    def run(*tensors, **given):
        return result(_torch_run(torch, name, tensors, *split(given)))

    def fake(*tensors, **given):
        unit = _torch_unit(torch, name, tensors, split(given)[0])
        return result(_torch_empty(torch, name, unit, tensors[0].device if tensors else torch.device(DEVICE)))

    operator = torch.library.custom_op("tuned::" + name, run, mutates_args=(), schema=schema,
                                       device_types=DEVICE)
    operator.register_fake(fake)
    return operator


def _has_operators(torch):
    return hasattr(getattr(torch, "library", None), "custom_op")


def _torch_call(name, tensors, options, scalars):
    import torch
    if _has_operators(torch):
        return operator(name)(*tensors, **options, **scalars)
    results = _torch_run(torch, name, tensors, options, scalars)
    return results[0] if len(results) == 1 else tuple(results)


_operators = {}


def operator(name):
    """The operator of PyTorch of a kernel: tuned.operator("matmul") is torch.ops.tuned.matmul."""
    import torch
    if not _has_operators(torch):
        raise ImportError(f"PyTorch {torch.__version__} has no torch.library.custom_op: 2.4 or later has")
    if name not in _operators:
        _operators[name] = _define(torch, name)
    return _operators[name]


# ---- Both ----------------------------------------------------------------------------------------


def _function(name):
    kernel = KERNELS[name]
    inputs = [kernel["arrays"][i]["name"] for i in _inputs(kernel)]
    scalar_names = [scalar["name"] for scalar in kernel["scalars"]]

    def call(*arrays, fallback=None, **given):
        if len(arrays) != len(inputs):
            raise TypeError(f"{name} takes {len(inputs)} arrays ({', '.join(inputs)}), not {len(arrays)}")
        if fallback is not None and not callable(fallback):
            raise TypeError(f"fallback is a function that computes what is not tuned, not {fallback!r}")
        scalars = {key: given[key] for key in given if key in scalar_names}
        options = {key: given[key] for key in given if key not in scalar_names}
        _check_options(name, options, scalars)
        try:
            options = _numbers(kernel, options)
            if _is_torch(name, arrays):
                return _torch_call(name, arrays, options, scalars)
            return _numpy_call(name, arrays, options, scalars)
        except NotTuned:
            if fallback is None:
                raise
            return fallback(*arrays, **given)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{kernel['summary']}: {name}({', '.join(inputs)}, *, fallback=None, **options)"
    return call


# They are no names of this module itself: a kernel may be called as what is used above.
_functions = {_name + "_" * (_name in globals()): _function(_name) for _name in KERNELS}
__all__ = [*_functions, "NotTuned", "TunedError", "operator"]


def __getattr__(name):
    if name in _functions:
        return _functions[name]
    raise AttributeError(f"there is no kernel '{name}' here, but {', '.join(_functions)}")


def __dir__():
    return [*globals(), *_functions]
)PY";

}  // namespace exh::search

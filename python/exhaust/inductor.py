# SPDX-License-Identifier: MIT
"""A tuned kernel as one more candidate of Inductor's autotuning.

    r = exhaust.tune("c[i,j] = sum(k) a[i,k] * b[k,j]", i=512, j=512, k=512, type="f16", device="cuda")
    offer = exhaust.inductor.offer(torch.ops.aten.mm, r)
    fast = torch.compile(model, mode="max-autotune")

Where a graph has that operation with exactly the shapes, strides and types of the run, Inductor measures the
kernel beside its own candidates, and takes it when it is the fastest. Nothing is swapped silently: without
max-autotune nothing is measured and nothing changes. `offer.withdraw()` takes it back.

Compiled graphs name the kernel, which only this process has. So as long as anything is offered, Inductor's caches of
whole graphs are off. It works on how Inductor is made inside, which is no promise of PyTorch: 2.4 to 2.8 are
what it is written for, and offer() raises Unsupported where what it needs is not there.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any, Dict, List, Optional, Tuple

from .errors import Error

# Operations, the name that Inductor's autotuning has for each, and how many tensors it is given.
OPERATIONS = {"aten::mm": ("mm", 2), "aten::bmm": ("bmm", 2)}


class Unsupported(Error):
    """This cannot be offered to Inductor. The text says why."""


class Offer:
    """What offer() made: `taken` counts how often Inductor was given it as a candidate."""

    def __init__(self, operation: str, operator: Any, choice: Any) -> None:
        self.operation = operation
        self.operator = operator
        self.choice = choice
        self.taken = 0

    def withdraw(self) -> None:
        """Nothing that is compiled from now on is given it. What was compiled keeps it."""
        if self in _offers:
            _offers.remove(self)
            if not _offers:
                _unhook()

    def fits(self, name: str, nodes: List[Any], layout: Any) -> bool:
        """Is this the operation at the shapes, strides and types of the run, on its device?"""
        wanted, count = OPERATIONS[self.operation]
        if name != wanted or len(nodes) != count:
            return False
        operator = self.operator
        kernel = operator.module.KERNELS[operator.name]
        unit = kernel["units"][0]
        outputs = [array for array, said in zip(unit["arrays"], kernel["arrays"]) if said["output"]]
        inputs = [array for array, said in zip(unit["arrays"], kernel["arrays"]) if not said["output"]]
        if len(outputs) != 1 or len(inputs) != count:
            return False
        return all(_lies(array, each, operator.module) for array, each in zip([*inputs, *outputs], [*nodes, layout]))


_offers: List[Offer] = []
_choices: Dict[str, Any] = {}  # Inductor knows each by its name, once.
_before: Dict[str, Any] = {}


def _whole(values: Any) -> Optional[Tuple[int, ...]]:
    """Extents as numbers; None where one is not known when the graph is compiled."""
    found = []
    for value in values:
        try:
            found.append(int(value))
        except (TypeError, ValueError):
            return None
    return tuple(found)


def _lies(array: Dict[str, Any], node: Any, module: Any) -> bool:
    """Does a tensor of a graph, or the layout of one, lie as an array of the run?"""
    import torch
    layout = node.get_layout() if hasattr(node, "get_layout") else node
    size, stride = _whole(layout.size), _whole(layout.stride)
    if size is None or stride is None or array["shape"] is None or size != tuple(array["shape"]):
        return False
    if layout.device.type != module.DEVICE or layout.dtype != getattr(torch, module.TORCH_TYPES[array["type"]], None):
        return False
    if int(getattr(layout, "offset", 0) or 0) * layout.dtype.itemsize % array["alignment"] != 0:
        return False
    return all(extent == 1 or one == other for extent, one, other in zip(size, stride, array["strides"]))


def _autotunes() -> bool:
    from torch._inductor import config
    return bool(config.max_autotune or getattr(config, "max_autotune_gemm", False))


def _hook() -> None:
    """From now on what Inductor measures has what is offered beside it."""
    from torch._inductor import config, select_algorithm
    selector = getattr(select_algorithm, "AlgorithmSelectorCache", None)
    if selector is None:
        raise Unsupported("this PyTorch has no torch._inductor.select_algorithm.AlgorithmSelectorCache")
    call = selector.__call__

    def with_offers(self: Any, name: str, choices: List[Any], input_nodes: List[Any], layout: Any, *more: Any,
                    **named: Any) -> Any:
        if _autotunes():
            for offer in _offers:
                if offer.fits(name, list(input_nodes), layout):
                    choices = [*choices, offer.choice.bind(tuple(input_nodes), layout)]
                    offer.taken += 1
        return call(self, name, choices, input_nodes, layout, *more, **named)

    _before.update(selector=selector, call=call, cache=getattr(config, "fx_graph_cache", None))
    selector.__call__ = with_offers
    if _before["cache"] is not None:
        config.fx_graph_cache = False


def _unhook() -> None:
    from torch._inductor import config
    _before["selector"].__call__ = _before["call"]
    if _before["cache"] is not None:
        config.fx_graph_cache = _before["cache"]
    _before.clear()


def offer(operation: Any, result: Any, name: Optional[str] = None) -> Offer:
    """Offers the best of a run for an operation of PyTorch: torch.ops.aten.mm or torch.ops.aten.bmm (or the
    .default overload). The kernel must read two arrays in the operation's order and write one; `name` is what the
    operator is called (default: after the run). Raises Unsupported."""
    try:
        import torch
    except ImportError as error:
        raise Unsupported("PyTorch is not installed: an offer to Inductor needs it, 2.4 or later") from error
    if not hasattr(torch.library, "custom_op"):
        raise Unsupported(f"PyTorch {torch.__version__} has no torch.library.custom_op: 2.4 or later has")
    packet = getattr(operation, "overloadpacket", operation)
    known = getattr(packet, "_qualified_op_name", str(packet)).replace(".", "::")
    if known not in OPERATIONS:
        raise Unsupported(f"{operation} cannot be offered for: Inductor chooses among kernels for "
                          + ", ".join(each.replace("::", ".") for each in OPERATIONS) + " here")
    best = result.log.best
    digest = hashlib.sha256(f"{os.path.abspath(result.run)}@{best['n'] if best else 0}".encode()).hexdigest()[:8]
    operator = result.operator(name or f"exhaust_{OPERATIONS[known][0]}_{digest}")
    if len(operator.inputs) != OPERATIONS[known][1] or len(operator.outputs) != 1:
        raise Unsupported(f"{operator.signature} is not {known}: that reads {OPERATIONS[known][1]} arrays and writes one")
    from torch._inductor import select_algorithm
    if not hasattr(select_algorithm, "ExternKernelChoice"):
        raise Unsupported(f"PyTorch {torch.__version__} has no ExternKernelChoice in torch._inductor.select_algorithm")

    def run(a: Any, b: Any) -> Any:
        return operator.torch(a, b)

    run.__name__ = operator.name
    if operator.name not in _choices:
        _choices[operator.name] = select_algorithm.ExternKernelChoice(run, name=operator.name, has_out_variant=False)
    made = Offer(known, operator, _choices[operator.name])
    if not _offers:
        _hook()
    _offers.append(made)
    return made

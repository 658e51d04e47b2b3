"""From the ONNX files back to weights that can be trained further.

Exporting folds each batch normalisation into its convolution and so loses the scale of what the convolution gave. Here
that scale is measured again on pictures: with the measured mean and variance put into the normalisation, the thawed net
says what the ONNX file says, and goes on learning as the net did before it was exported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn

Pair = tuple[nn.Conv2d, nn.BatchNorm2d]


def stored(path: Path) -> dict[str, np.ndarray]:
    """The named arrays of an ONNX file, in their order."""
    import onnx
    from onnx import numpy_helper

    return {i.name: numpy_helper.to_array(i) for i in onnx.load(path).graph.initializer}


def unfold(pairs: Sequence[Pair], folded: Sequence[tuple[np.ndarray, np.ndarray]], run: Callable[[], None]) -> None:
    """Give each convolution and its normalisation the weights that were folded into one.

    Args:
        pairs: convolutions (without bias), each with the normalisation that follows it.
        folded: weight and bias of each, as exported.
        run: shows pictures to the net, in evaluation mode.
    """
    sums: list[list[torch.Tensor]] = [[] for _ in pairs]
    hooks = []
    for k, ((conv, norm), (weight, bias)) in enumerate(zip(pairs, folded, strict=True)):
        with torch.no_grad():
            conv.weight.copy_(torch.from_numpy(weight.copy()))
            norm.weight.fill_(float(np.sqrt(1 + norm.eps)))
            norm.bias.copy_(torch.from_numpy(bias.copy()))
            _running(norm, torch.zeros(len(bias)), torch.ones(len(bias)))

        def keep(module: nn.Module, args: object, out: torch.Tensor, k: int = k) -> None:
            flat = out.detach().transpose(0, 1).reshape(out.shape[1], -1).double()
            sums[k].append(torch.stack([torch.full_like(flat[:, 0], flat.shape[1]), flat.sum(1), (flat**2).sum(1)]))

        hooks.append(conv.register_forward_hook(keep))
    with torch.no_grad():
        run()
    for hook in hooks:
        hook.remove()
    for (_, norm), parts in zip(pairs, sums, strict=True):
        count, total, squares = torch.stack(parts).sum(0)
        mean = total / count
        variance = (squares / count - mean**2).clamp(min=1e-8)
        with torch.no_grad():
            norm.weight.copy_(torch.sqrt(variance + norm.eps))
            norm.bias.add_(mean.to(norm.bias.dtype))
            _running(norm, mean, variance)


def _running(norm: nn.BatchNorm2d, mean: torch.Tensor, variance: torch.Tensor) -> None:
    assert norm.running_mean is not None and norm.running_var is not None
    norm.running_mean.copy_(mean)
    norm.running_var.copy_(variance)


def _plain(module: nn.Module, arrays: dict[str, np.ndarray]) -> None:
    """Copy what was exported under its own name."""
    for name, value in module.named_parameters():
        if name in arrays and arrays[name].shape == tuple(value.shape):
            with torch.no_grad():
                value.copy_(torch.from_numpy(arrays[name].copy()))


def thaw_finder(source: Path, model: str, pictures: Iterable[np.ndarray], target: Path, size: int = 320) -> Path:
    """Write an Ultralytics checkpoint with the weights of ``finder.onnx``; ``pictures`` uint8 (h, w, 3) BGR."""
    import cv2
    from ultralytics import YOLO

    whole = YOLO(model, task="obb")
    net = whole.model
    assert isinstance(net, nn.Module)
    net.float().eval()
    arrays = stored(source)
    _plain(net, arrays)
    modules = dict(net.named_modules())
    pairs, folded = [], []
    for name, part in modules.items():
        if isinstance(part, nn.Conv2d) and isinstance(modules.get(name.removesuffix("conv") + "bn"), nn.BatchNorm2d):
            norm = modules[name.removesuffix("conv") + "bn"]
            assert isinstance(norm, nn.BatchNorm2d)
            pairs.append((part, norm))
            folded.append((arrays[f"{name}.weight"], arrays[f"{name}.bias"]))
    batches = [cv2.resize(p, (size, size), interpolation=cv2.INTER_AREA)[..., ::-1] for p in pictures]

    def run() -> None:
        for k in range(0, len(batches), 16):
            block = np.stack(batches[k : k + 16]).transpose(0, 3, 1, 2).astype(np.float32) / 255
            net(torch.from_numpy(np.ascontiguousarray(block)))

    unfold(pairs, folded, run)
    target.parent.mkdir(parents=True, exist_ok=True)
    whole.save(str(target))
    return target


def thaw_faces(source: Path, crops: np.ndarray, target: Path) -> Path:
    """Write a checkpoint with the weights of ``faces.onnx``; ``crops`` float32 (n, 3, 64, 64), white balanced."""
    from vision.train.face import FaceModel

    model = FaceModel().eval()
    arrays = stored(source)
    _plain(model, arrays)
    convolutions = [m for m in model.trunk.modules() if isinstance(m, nn.Conv2d)]
    norms = [m for m in model.trunk.modules() if isinstance(m, nn.BatchNorm2d)]
    trunk = list(zip(convolutions, norms, strict=True))
    nameless = [v for name, v in arrays.items() if name.startswith("onnx::Conv")]
    folded = list(zip(nameless[::2], nameless[1::2], strict=True))

    def run() -> None:
        for k in range(0, len(crops), 128):
            model(torch.from_numpy(crops[k : k + 128]))

    unfold(trunk, folded, run)
    target.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"model": model.state_dict()}, target)
    return target

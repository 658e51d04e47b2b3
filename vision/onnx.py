"""ONNX Runtime sessions, and one clear line where the weights are missing or damaged."""

from __future__ import annotations

from pathlib import Path

import onnxruntime


class WeightsError(RuntimeError):
    """Weights are missing or damaged; the message names the file and the command that makes it."""


def models_folder() -> Path:
    """Where the weights lie: inside the installed package, or beside it in a checkout."""
    packed = Path(__file__).parent / "weights"
    return packed if packed.is_dir() else Path(__file__).parent.parent / "models"


def session(path: Path, threads: int = 2) -> onnxruntime.InferenceSession:
    """A CPU session for ``path``. Raises `WeightsError`."""
    command = f"tilekeeper train {'finder' if 'finder' in path.name else 'face'}"
    if not path.is_file():
        raise WeightsError(f"the weights {path} are missing; reinstall Tilekeeper or make them with `{command}`")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime raises its own classes, of which none is public
        raise WeightsError(
            f"the weights {path} are damaged; reinstall Tilekeeper or make them with `{command}` ({str(error)[:80]})"
        ) from None

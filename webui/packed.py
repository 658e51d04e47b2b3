"""Scripts, styles and texts go over the line packed. Nothing else does: what is secret must not show by its length."""

from __future__ import annotations

import gzip
from functools import lru_cache

from flask import Flask, Response, request

LEAST = 1024
KINDS = frozenset({"text/javascript", "application/javascript", "text/css", "application/json", "image/svg+xml"})


@lru_cache(maxsize=256)
def _packed(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def pack(app: Flask) -> None:
    """Packs the static files for browsers that take it."""

    @app.after_request
    def packed(response: Response) -> Response:
        if request.endpoint != "static" or response.status_code != 200 or response.mimetype not in KINDS:
            return response
        response.vary.add("Accept-Encoding")
        if request.method != "GET" or request.accept_encodings.quality("gzip") <= 0:
            return response
        file = response.response
        response.direct_passthrough = False
        data = response.get_data()
        if hasattr(file, "close"):
            file.close()
        if len(data) >= LEAST:
            response.set_data(_packed(data))
            response.content_encoding = "gzip"
            etag, _ = response.get_etag()
            if etag:
                response.set_etag(etag, weak=True)  # the same text, not the same bytes
        return response

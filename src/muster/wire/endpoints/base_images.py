"""Calls about the system images that discovery images are made from."""

from muster.wire.base_images import BaseImagesOut

from .endpoint import READER, ours

LIST_BASE_IMAGES = ours(
    "listBaseImages",
    "GET /base-images",
    READER,
    answers=BaseImagesOut,
    summary="The system images that discovery images are made from, and how far the file of each has come",
)

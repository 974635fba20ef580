"""The system images that discovery images are made from, over HTTP."""

import asyncio

from muster.api.call import Call, serves
from muster.wire.base_images import BaseImagesOut, base_images_out
from muster.wire.endpoints import base_images as rows


@serves(rows.LIST_BASE_IMAGES)
async def list_base_images(call: Call) -> BaseImagesOut:
    """How the file of every system image stands, and which files belong to none."""
    kept = call.service.base_images
    return base_images_out(kept.states(), await asyncio.to_thread(kept.unused))

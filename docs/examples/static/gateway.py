"""The model of a static site: the gateway in a process of its own, behind nginx."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette

from webagent_site.llm.gateway import LlmGateway

gateway = LlmGateway.for_site(os.environ["MODEL"], proxies=["127.0.0.1"])


@asynccontextmanager
async def lifespan(_: Starlette) -> AsyncIterator[None]:
    """Close the connections to the model at the end."""
    yield
    await gateway.close()


app = Starlette(routes=gateway.routes(), lifespan=lifespan)

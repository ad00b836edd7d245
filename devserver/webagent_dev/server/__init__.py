"""The server process: uvicorn's runner and the protocols that it speaks."""

"""HTTP for every endpoint: who may ask, files, bodies, HTML with our tags, event streams."""

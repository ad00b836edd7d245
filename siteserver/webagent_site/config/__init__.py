"""The configuration: models, URLs and folders."""

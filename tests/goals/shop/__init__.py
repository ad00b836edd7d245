"""Goals and conversations of visitors of the demo shop, played in its pages."""

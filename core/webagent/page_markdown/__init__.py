"""Pages as Markdown: what people read in an HTML document, for readers that are programs."""

from webagent.page_markdown.html_reader import page_markdown, page_summary, prefers_markdown
from webagent.page_markdown.writer import plain_text

__all__ = ["page_markdown", "page_summary", "plain_text", "prefers_markdown"]

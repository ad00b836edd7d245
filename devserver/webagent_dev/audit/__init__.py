"""Audits the agentic side of a site: everything that `check` finds, and what else agents meet, as a score."""

"""A report as people and programs read it: in a terminal, as a page, as JUnit XML, as JSON."""

"""Reports of evaluations and contract tests: as text, HTML and JUnit XML."""

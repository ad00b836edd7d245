"""Arguments that nobody wrote: from a tool's schema to values that fit it, small ones first."""

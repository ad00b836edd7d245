"""Programs in the sandbox: what they may do, what they get, and what they cannot reach."""

"""Whether a site that is published can be used by agents: what its server says, and what its page does."""

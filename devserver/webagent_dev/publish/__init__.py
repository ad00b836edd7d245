"""What a site needs to go live: its files, the bundle, and what its server has to say of them."""

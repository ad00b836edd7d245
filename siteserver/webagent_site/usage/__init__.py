"""How the tools of a site are used: numbers that pages report, for the site's owner."""

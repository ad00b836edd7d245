"""Functions of the site's application that agents call as tools of its pages."""

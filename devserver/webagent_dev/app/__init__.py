"""The application that the development server runs: the site, and the services around its pages."""

from webagent_dev.app.application import END_S, Ending, ServiceRoutes, create_app

__all__ = ["END_S", "Ending", "ServiceRoutes", "create_app"]

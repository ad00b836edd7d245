"""The application, with the agent in its pages."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")
project = get_asgi_application()

# Once Django has loaded its models, which tools may use.
from tasks import webagent  # noqa: E402

app = webagent.wrap(project)
